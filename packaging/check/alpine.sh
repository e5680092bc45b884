# Alpine's APKBUILD with musl, by musl-gcc: no abuild is in Debian, so its functions are called as abuild does, and the files go in without
# apk. `abuild-meson` gives meson these options. There is no Vulkan for musl in Debian: the compiler runs, and the driver loads and has no device.
build() {
    cat >/usr/bin/abuild-meson <<'SCRIPT'
#!/bin/sh
exec meson setup --prefix=/usr --libdir=/usr/lib --localstatedir=/var --sysconfdir=/etc --buildtype=plain --auto-features=auto --wrap-mode=nodownload \
    -Db_lto=false -Db_staticpic=true -Db_pie=true --native-file=/source/cross/musl.ini "$@"
SCRIPT
    chmod +x /usr/bin/abuild-meson
    export CFLAGS=-O2
    sh -euc 'srcdir=/alpine; pkgdir=/alpine/pkg; subpkgdir=/alpine/tools; mkdir -p $srcdir $pkgdir $subpkgdir
        amove() { for name; do mkdir -p "$subpkgdir/$(dirname "$name")"; mv "$pkgdir/$name" "$subpkgdir/$name"; done; }
        . packaging/alpine/APKBUILD
        tar -C "$srcdir" -xf "/packages/$source"
        for function in build package tools; do (cd "$builddir" && $function); done
        tar -C "$pkgdir" -czf /packages/alpine.tar.gz . && tar -C "$subpkgdir" -czf /packages/alpine-tools.tar.gz .'
    tar -C / -cf /packages/musl.tar lib/ld-musl-x86_64.so.1 usr/lib/x86_64-linux-musl/libc.so
}

try() {
    tar -C / -xf /packages/musl.tar
    install() { tar -C / --keep-directory-symlink -xzf /packages/alpine.tar.gz && tar -C / --keep-directory-symlink -xzf /packages/alpine-tools.tar.gz; }
    use() {
        pumice --version | grep "$version"
        pumice compile examples/saxpy.cl -o /tmp/saxpy.spv
        test -s /tmp/saxpy.spv
    }
    remove() {
        for package in alpine-tools alpine; do
            tar -tzf /packages/$package.tar.gz | sort -r | while read -r name; do
                [ -d "/$name" ] && [ ! -L "/$name" ] && { rmdir "/$name" 2>/dev/null || true; } || rm "/$name"
            done
        done
    }
    traceless
}
