#!/bin/bash
# architecture.sh ARCHITECTURE FOLDER [NAME...]: builds Pumice for another architecture of Debian's with its cross compiler, and tests it
# by qemu on the lavapipe of that architecture: two unit tests, and the files of tests/cl that are named, or else all of them.
# ARCHITECTURE: arm64, armhf, i386, ppc64el or riscv64. That of 32-bit x86 runs without qemu.
#
# With NATIVE=PROGRAM, the pumice of a native build, each file is also compiled by both, and a module that differs is named and a failure
# (see tests/modules.sh).
# QUICK=1: nothing but that and the unit tests, which need no Vulkan.
# By qemu, lavapipe compiles shaders without LLVM's optimisations, which take longer there than what they save. GALLIVM_PERF= turns them on.
#
# Needs gcc and g++ for the architecture (gcc-riscv64-linux-gnu ...) and qemu-user-static; everything else is downloaded into FOLDER/root,
# by an apt that knows nothing of this machine's packages and installs none. A second call uses what is there.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
architecture=$1
release=bookworm options=()
case $architecture in
arm64) triple=aarch64-linux-gnu qemu=aarch64 ;;
armhf) triple=arm-linux-gnueabihf qemu=arm ;;
i386) triple=i686-linux-gnu qemu= ;;
ppc64el) triple=powerpc64le-linux-gnu qemu=ppc64le ;;
riscv64)
    triple=riscv64-linux-gnu qemu=riscv64
    # Bookworm was not released for it. SPIRV-Tools of that release want a newer C library than the cross compiler's.
    release=trixie options=(-Dvalidate=false)
    ;;
*) echo "$0: no architecture '$architecture' here" >&2; exit 2 ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
root=$folder/root
libraries=usr/lib/${triple/i686/i386}

fetch() {
    local state=$folder/apt newer=()
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$root/usr/lib"
    : > "$state/status"
    local entry="deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian"
    echo "$entry $release main" > "$state/sources.list"
    if [ $release = bookworm ]; then
        echo "$entry bookworm-backports main" >> "$state/sources.list"
        newer=(-t bookworm-backports)
    fi
    local apt=(-qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o APT::Sandbox::User=root
        -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State=$state"
        -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache" -o APT::Install-Recommends=false)
    apt-get "${apt[@]}" update
    apt-get "${apt[@]}" install --download-only -y "${newer[@]}" mesa-vulkan-drivers libvulkan1 libvulkan-dev
    apt-get "${apt[@]}" install --download-only -y ocl-icd-libopencl1 ocl-icd-opencl-dev spirv-tools spirv-headers opencl-headers \
        libvulkan-volk-dev
    [ $release = bookworm ] || ln -s usr/lib "$root/lib" # as its base system has it
    for package in "$state"/cache/archives/*.deb; do
        case $package in
        */libc6-dev_* | */linux-libc-dev_*) ;; # the cross compiler has its own
        *) dpkg-deb -x "$package" "$root" ;;
        esac
    done
    rm -r "$state"
    # dynamic loaders are found by links from the root of the file system
    find "$root" -path '*/ld*.so*' -lname '/*' | while read -r link; do
        ln -snf "$(realpath --relative-to="$(dirname "$link")" "$root$(readlink "$link")")" "$link"
    done
    # manifests name drivers by their paths on the machine where they are installed
    sed -i "s|\"library_path\": \"/|\"library_path\": \"$root/|" "$root"/usr/share/vulkan/icd.d/*.json
}

run() {
    if [ -n "$qemu" ]; then
        "qemu-$qemu-static" "$@"
    else
        LD_LIBRARY_PATH=$root/$libraries:$root/${libraries#usr/} "$@"
    fi
}

[ -e "$root/usr/share/vulkan/icd.d" ] || fetch
export PKG_CONFIG_LIBDIR=$root/$libraries/pkgconfig:$root/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root QEMU_LD_PREFIX=$root
[ -e "$folder/build/build.ninja" ] ||
    meson setup "$folder/build" "$source" --cross-file "$source/cross/$triple.ini" -Dexamples=false "${options[@]}"
ninja -C "$folder/build" src/libpumice.so.1.0.0 tools/pumice tests/unit/test_base tests/unit/test_spv
status=0
for name in base spv; do
    echo "== unit $name"
    run "$folder/build/tests/unit/test_$name" || status=1
done
if [ $# -eq 0 ]; then
    for file in "$source"/tests/cl/*.cl; do
        set -- "$@" "$(basename "$file" .cl)"
    done
fi
if [ -n "${NATIVE:-}" ]; then
    for name; do
        mkdir -p "$folder/here/$name" "$folder/there/$name"
        "$NATIVE" compile "$source/tests/cl/$name.cl" -cl-std=CL3.0 -o "$folder/here/$name" 2> /dev/null || true
        run "$folder/build/tools/pumice" compile "$source/tests/cl/$name.cl" -cl-std=CL3.0 -o "$folder/there/$name" 2> /dev/null || true
        diff -rq "$folder/here/$name" "$folder/there/$name" || status=1
    done
fi
[ -z "${QUICK:-}" ] || exit $status
VK_DRIVER_FILES=$(ls "$root"/usr/share/vulkan/icd.d/lvp_icd*.json)
export VK_DRIVER_FILES OCL_ICD_VENDORS=$folder/build/pumice.icd PUMICE_CACHE_DIR=$folder/cache PUMICE_VALIDATE=1
[ -z "$qemu" ] || export GALLIVM_PERF=${GALLIVM_PERF-nopt}
for name; do
    echo "== $name"
    run "$folder/build/tools/pumice" run "$source/tests/cl/$name.cl" || status=1
done
exit $status
