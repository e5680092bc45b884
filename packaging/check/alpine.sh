# Alpine's APKBUILD with musl, by musl-gcc: no abuild is in Debian, so its functions are called as abuild does, and the files go in without
# apk. `abuild-meson` gives meson these options. They are used in a root that has nothing but musl's loader, busybox and the packages: the
# compiler runs there, and a program loads the driver. There is no Vulkan for musl in Debian, so it has no device.
build() {
    # What abuild reads, and what it sets, is unknown to shellcheck.
    shellcheck --shell=sh --exclude=SC2034,SC2154 packaging/alpine/APKBUILD
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
    cat >/tmp/load.c <<'PROGRAM'
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *driver = dlopen("libpumice.so.1", RTLD_NOW);
    if (!driver)
        return puts(dlerror()), 1;
    void *(*find)(const char *) = (void *(*)(const char *))dlsym(driver, "clGetExtensionFunctionAddress");
    cl_int (*get_platforms)(cl_uint, cl_platform_id *, cl_uint *) = (cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))find("clIcdGetPlatformIDsKHR");
    cl_platform_id platform;
    cl_uint n = 0;
    cl_int code = get_platforms(1, &platform, &n);
    printf("code %d, platforms %u\n", code, n);
    return code || n != 1;
}
PROGRAM
    musl-gcc -idirafter/usr/include -DCL_TARGET_OPENCL_VERSION=300 /tmp/load.c -o /load
    mkdir -p /musl/bin /musl/lib
    cp /usr/lib/x86_64-linux-musl/libc.so /musl/lib/ld-musl-x86_64.so.1
    mv /load /musl/bin/
    tar -C /musl -cf /packages/musl.tar bin lib
}

try() {
    echo 'not tried: abuild and apk, which Debian lacks; a kernel, for lack of a Vulkan driver for musl'
    apt-get install -qy --no-install-recommends busybox-static
    mkdir -p /alpine/bin /alpine/lib /alpine/tmp /alpine/dev
    cp /bin/busybox /alpine/bin/ && chroot /alpine /bin/busybox --install /bin
    tar -C /alpine -xf /packages/musl.tar
    cp examples/saxpy.cl /alpine/tmp/
    install() { for package in alpine alpine-tools; do chroot /alpine tar -xzf - <"/packages/$package.tar.gz"; done; }
    use() {
        chroot /alpine pumice --version | grep "$version"
        chroot /alpine pumice compile /tmp/saxpy.cl -o /tmp/saxpy.spv
        test -s /alpine/tmp/saxpy.spv && rm /alpine/tmp/saxpy.spv
        chroot /alpine load
    }
    remove() {
        for package in alpine-tools alpine; do
            tar -tzf "/packages/$package.tar.gz" | grep -v '^\./$' | sort -r | while read -r name; do
                if [ -d "/alpine/$name" ]; then rmdir --ignore-fail-on-non-empty "/alpine/$name"; else rm "/alpine/$name"; fi
            done
        done
    }
    traceless
}
