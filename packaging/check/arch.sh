# Arch, by Debian's makepkg and pacman: `arch-meson` is a script of Arch's that gives meson these options (libdir is what meson takes there), and compilers get their flags from makepkg.conf.
build() {
    cat >/usr/bin/arch-meson <<'SCRIPT'
#!/bin/sh
exec meson setup --prefix=/usr --libdir=lib --libexecdir=lib --sbindir=bin --buildtype=plain --auto-features=enabled --wrap-mode=nodownload -Db_pie=true "$@"
SCRIPT
    chmod +x /usr/bin/arch-meson
    mkdir /arch
    cp packaging/arch/PKGBUILD /packages/pumice-"$version".tar.gz /arch/
    chown -R nobody /arch
    cd /arch
    rm -f /packages/*.pkg.tar.gz
    su nobody -s /bin/bash -c "PATH=$PATH CCACHE_DIR=$CCACHE_DIR CCACHE_UMASK=000 CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=locale CFLAGS='$CFLAGS' CXXFLAGS='$CXXFLAGS' CPPFLAGS='$CPPFLAGS' HOME=/arch PKGEXT=.pkg.tar.gz makepkg --nodeps --skipinteg --noconfirm"
    mv ./*.pkg.tar.gz /packages/
}

try() {
    echo 'not tried: Arch itself, whose packages cannot be had: the root is Debian, and dependencies are not looked at'
    sed -i /^CheckSpace/d /etc/pacman.conf # it reads /etc/mtab
    install() { pacman --upgrade --nodeps --nodeps --noconfirm /packages/*.pkg.tar.gz && ldconfig; }
    use() { kernels pumice; }
    remove() { pacman --remove --nodeps --nodeps --noconfirm pumice-opencl && mkdir -p /usr/include && ldconfig; } # Arch has a package for that folder
    traceless
}
