#!/bin/bash
# android.sh BIONIC FOLDER [LEVEL]: compiles and links Pumice for 64-bit ARM Android without the NDK, in FOLDER. BIONIC is a checkout of the
# sources of Android's C library. From its headers and its lists of symbols this makes a stand-in for the NDK's sysroot: the headers, in
# which a function that is newer than API level LEVEL (28) cannot be called, and libraries that hold only the names of that level. The tool
# wants level 28 and is left out below. Nothing that comes out runs, since the libraries are empty.
#
# Needs clang-15, lld, gcc-aarch64-linux-gnu (whose libgcc stands for the NDK's compiler runtime), and the headers that Pumice is built
# with on this machine.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
bionic=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
level=${3:-28}
root=$folder/sysroot

rm -rf "$root"
mkdir -p "$root/usr/include" "$root/usr/lib" "$folder/pkgconfig"
cp -r "$bionic"/libc/include/* "$bionic"/libc/kernel/uapi/* "$root/usr/include"
cp -r "$bionic"/libc/kernel/android/uapi/* "$bionic"/libc/kernel/uapi/asm-arm64/asm "$root/usr/include"
for name in vulkan vk_video volk.h volk.c CL spirv; do
    ln -s "/usr/include/$name" "$root/usr/include/$name"
done
for name in vulkan SPIRV-Headers; do
    version=$(pkg-config --modversion $name)
    printf 'includedir=%s\nName: %s\nDescription: headers\nVersion: %s\nCflags: -I${includedir}\n' "$root/usr/include" $name "$version" \
        > "$folder/pkgconfig/$name.pc"
done

compile=(clang-15 "--target=aarch64-linux-android$level" -fPIC)
for name in libc libm libdl; do
    python3 - "$level" "$bionic/$name/$name.map.txt" > "$folder/$name.s" <<'END'
import re
import sys
level, path = int(sys.argv[1]), sys.argv[2]
NODES = {'LIBC': 0, 'LIBC_N': 24, 'LIBC_O': 26, 'LIBC_OMR1': 27, 'LIBC_P': 28, 'LIBC_Q': 29, 'LIBC_R': 30, 'LIBC_S': 31, 'LIBC_T': 33,
         'LIBC_U': 34, 'LIBC_V': 35}
ARCHITECTURES = {'arm', 'arm64', 'riscv64', 'x86', 'x86_64'}
since = None
for line in open(path):
    node = re.match(r'(\w+) \{', line)
    symbol = re.match(r'\s+(\w+);\s*(?:#(.*))?$', line)
    if node:
        since = NODES.get(node.group(1)) # None: not for applications
    elif symbol and since is not None:
        words = (symbol.group(2) or '').split()
        own = [word[17:] for word in words if word.startswith('introduced-arm64=')] or \
              [word[11:] for word in words if word.startswith('introduced=')]
        only = ARCHITECTURES & set(words)
        if int(own[0] if own else since) <= level and (not only or 'arm64' in only):
            kind = 'object' if 'var' in words else 'function'
            print(f'.globl {symbol[1]}\n.type {symbol[1]}, %{kind}\n.size {symbol[1]}, 8\n{symbol[1]}: .quad 0')
END
    "${compile[@]}" -shared -nostdlib -fuse-ld=lld "-Wl,-soname,$name.so" -o "$root/usr/lib/$name.so" "$folder/$name.s"
done
# what the NDK's crtbegin_so.o has
"${compile[@]}" -xc -c -o "$root/usr/lib/crtbegin.o" - <<'END'
void *__dso_handle;
int __cxa_atexit(void (*)(void *), void *, void *);
__attribute__((visibility("hidden"))) int atexit(void (*call)(void))
{
    return __cxa_atexit((void (*)(void *))call, 0, &__dso_handle);
}
END

# the programs that the cross file names
bin=$folder/ndk/toolchains/llvm/prebuilt/linux-x86_64/bin
mkdir -p "$bin"
printf '#!/bin/sh\nexec clang-15 --sysroot=%s "$@"\n' "$root" > "$bin/clang"
chmod +x "$bin/clang"
for name in ar strip; do
    ln -sf "$(command -v aarch64-linux-gnu-$name)" "$bin/llvm-$name"
done
cat > "$folder/stand-in.ini" <<END
[constants]
ndk = '$folder/ndk'
api = '$level'

[binaries]
pkgconfig = 'pkg-config'

[built-in options]
c_args = ['-mno-outline-atomics']
c_link_args = ['-fuse-ld=lld', '-nostdlib', '-L$root/usr/lib', '$root/usr/lib/crtbegin.o', '-lc', '-lm', '-ldl',
    '$(aarch64-linux-gnu-gcc -print-file-name=libgcc.a)', '$(aarch64-linux-gnu-gcc -print-file-name=libgcc_eh.a)', '-Wl,-z,max-page-size=16384']
END
[ -e "$folder/native/build.ninja" ] || meson setup "$folder/native" "$source" -Dvalidate=false -Dtests=false -Dexamples=false
ninja -C "$folder/native" compiler/builtins/lib/gen_library
export PKG_CONFIG_LIBDIR=$folder/pkgconfig
[ -e "$folder/build/build.ninja" ] ||
    meson setup "$folder/build" "$source" --cross-file "$source/cross/android-aarch64.ini" --cross-file "$folder/stand-in.ini" \
        "-Dgen-library=$folder/native/compiler/builtins/lib/gen_library" -Dvalidate=false -Dopencl-lib=true -Dtests=false -Dexamples=false \
        "-Dtools=$([ "$level" -ge 28 ] && echo true || echo false)" --werror
ninja -C "$folder/build"
for name in pumice OpenCL; do
    aarch64-linux-gnu-readelf -d "$folder/build/src/lib$name.so" | grep -E 'SONAME|NEEDED'
    aarch64-linux-gnu-readelf -d "$folder/build/src/lib$name.so" | grep -qF "[lib$name.so]"
done
