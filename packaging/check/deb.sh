# Debian. lintian says nothing that is not overridden.
build() {
    unset CFLAGS CXXFLAGS CPPFLAGS
    dpkg-buildpackage -us -uc -b
    lintian --allow-root --fail-on=error,warning ../pumice_*.changes
    rm -f /packages/*.deb
    mv ../pumice-opencl-icd_*.deb ../pumice-tools_*.deb /packages/
}

try() {
    install() { apt-get install -qy --no-install-recommends /packages/*.deb; }
    use() { kernels pumice; }
    remove() { apt-get purge -qy pumice-opencl-icd pumice-tools; }
    traceless
}
