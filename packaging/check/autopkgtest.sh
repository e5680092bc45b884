# Debian's tests of installed packages, on the packages that `deb` made.
build() {
    needs_debs
}

try() {
    apt-get install -qy --no-install-recommends autopkgtest dpkg-dev
    autopkgtest /packages/*.deb /source -- null
}
