# Fedora's spec, by Debian's rpmbuild: its macros for meson are not in Debian, and its dependencies have other names, so they are not looked at. The
# library goes where Debian's ld.so looks.
build() {
    mkdir -p /rpm/SOURCES
    cp /packages/pumice-"$version".tar.gz /rpm/SOURCES/
    rpmlint packaging/fedora/pumice.spec
    local setup="meson setup --buildtype=plain --prefix=%{_prefix} --libdir=%{_libdir} --sysconfdir=%{_sysconfdir} --mandir=%{_mandir}"
    rpmbuild -bb --nodeps --define '_topdir /rpm' --define '_libdir /usr/lib/x86_64-linux-gnu' --define 'debug_package %{nil}' --define "optflags $CFLAGS" \
        --define "meson CFLAGS='%{optflags}' CXXFLAGS='%{optflags}' $setup --wrap-mode=nodownload output" \
        --define 'meson_build meson compile -C output' --define 'meson_install DESTDIR=%{buildroot} meson install -C output --no-rebuild' \
        packaging/fedora/pumice.spec
    rm -f /packages/*.rpm
    mv /rpm/RPMS/*/*.rpm /packages/
}

try() {
    echo 'not tried: Fedora itself, whose packages cannot be had: the root is Debian, and dependencies are not looked at'
    mkdir -p /etc/OpenCL/vendors /usr/share/licenses # of Fedora's opencl-filesystem and filesystem
    install() { rpm --install --nodeps /packages/*.rpm && ldconfig; }
    use() { kernels pumice; }
    remove() { rpm --erase pumice pumice-tools && ldconfig; }
    traceless
}
