# Alpine's APKBUILD with musl, by musl-gcc: no abuild is in Debian, so its functions are called as abuild does, and the files go in without
# apk. `abuild-meson` gives meson these options. They are used in a root that has nothing but musl, busybox, the packages and SwiftShader,
# which stands for a Vulkan driver of Alpine's (musl_glibc.c): a program loads the driver there, and kernels run.
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
    unset CPPFLAGS
    sh -euc 'srcdir=/alpine; pkgdir=/alpine/pkg; subpkgdir=/alpine/tools; mkdir -p $srcdir $pkgdir $subpkgdir
        amove() { for name; do mkdir -p "$subpkgdir/$(dirname "$name")"; mv "$pkgdir/$name" "$subpkgdir/$name"; done; }
        . packaging/alpine/APKBUILD
        tar -C "$srcdir" -xf "/packages/$source"
        for function in build package tools; do (cd "$builddir" && $function); done
        tar -C "$pkgdir" -czf /packages/alpine.tar.gz . && tar -C "$subpkgdir" -czf /packages/alpine-tools.tar.gz .'
    # What the packages lack to run kernels here: musl, SwiftShader with what that takes of glibc in place of a Vulkan loader, and the driver in
    # place of an OpenCL loader.
    mkdir -p /musl/bin /musl/lib
    cp /usr/lib/x86_64-linux-musl/libc.so /musl/lib/ld-musl-x86_64.so.1
    tests/swiftshader.sh --get /tmp/swiftshader
    cp /tmp/swiftshader/libvk_swiftshader.so /musl/lib/libvulkan.so.1
    musl-gcc -shared -fPIC -O1 packaging/check/musl_glibc.c -Wl,-soname,ld-linux-x86-64.so.2 -o /musl/lib/ld-linux-x86-64.so.2
    ln -s ld-linux-x86-64.so.2 /musl/lib/libgcc_s.so.1
    meson configure "/alpine/pumice-$version/output" -Dopencl-lib=true
    ninja -C "/alpine/pumice-$version/output" src/libOpenCL.so.1.0.0
    cp "/alpine/pumice-$version/output/src/libOpenCL.so.1.0.0" /musl/lib/libOpenCL.so.1
    cat >/tmp/load.c <<'PROGRAM'
#include <CL/cl_icd.h>
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
    cl_uint platforms = 0, devices = 0;
    cl_int code = get_platforms(1, &platform, &platforms);
    if (!code)
        code = (*(cl_icd_dispatch **)platform)->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &devices);
    printf("code %d, platforms %u, devices %u\n", code, platforms, devices);
    return code || platforms != 1 || devices != 1;
}
PROGRAM
    musl-gcc -idirafter/usr/include -DCL_TARGET_OPENCL_VERSION=300 /tmp/load.c -o /musl/bin/load
    tar -C /musl -cf /packages/musl.tar bin lib
}

try() {
    echo 'not tried: abuild and apk, which Debian lacks; a Vulkan driver made for musl'
    apt-get install -qy --no-install-recommends busybox-static
    mkdir -p /alpine/bin /alpine/lib /alpine/tmp
    cp /bin/busybox /alpine/bin/ && chroot /alpine /bin/busybox --install /bin
    tar -C /alpine -xf /packages/musl.tar
    cp examples/saxpy.cl tests/cl/structs.cl tests/cl/control.cl /alpine/tmp/
    install() { for package in alpine alpine-tools; do chroot /alpine tar -xzf - <"/packages/$package.tar.gz"; done; }
    use() {
        chroot /alpine pumice --version | grep "$version"
        chroot /alpine pumice compile /tmp/saxpy.cl -o /tmp/saxpy.spv
        test -s /alpine/tmp/saxpy.spv && rm /alpine/tmp/saxpy.spv
        chroot /alpine load
        chroot /alpine env PUMICE_CACHE=0 pumice run /tmp/structs.cl /tmp/control.cl
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
