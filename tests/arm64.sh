#!/bin/bash
# arm64.sh FOLDER [NAME...]: builds Pumice for 64-bit ARM with Debian's cross compiler, and tests it by qemu on the lavapipe
# of that architecture: two unit tests, and the files of tests/cl that are named, or else all of them (9 minutes on two cores).
#
# Needs gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and qemu-user-static; everything else is downloaded into FOLDER/root,
# by an apt that knows nothing of this machine's packages and installs none. A second call uses what is there.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
root=$folder/root

fetch() {
    local state=$folder/apt
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$root"
    : > "$state/status"
    local options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root -o "Dir::State=$state"
        -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache" -o APT::Install-Recommends=false)
    apt-get "${options[@]}" update
    apt-get "${options[@]}" install --download-only -y -t bookworm-backports mesa-vulkan-drivers libvulkan1 libvulkan-dev
    apt-get "${options[@]}" install --download-only -y ocl-icd-libopencl1 ocl-icd-opencl-dev spirv-tools spirv-headers opencl-headers \
        libvulkan-volk-dev
    for package in "$state"/cache/archives/*.deb; do
        dpkg-deb -x "$package" "$root"
    done
    rm -r "$state"
    # manifests name drivers by their paths on the machine where they are installed
    sed -i "s|\"library_path\": \"/|\"library_path\": \"$root/|" "$root"/usr/share/vulkan/icd.d/*.json
}

[ -e "$root/usr/share/vulkan/icd.d" ] || fetch
export PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root QEMU_LD_PREFIX=$root
[ -e "$folder/build/build.ninja" ] ||
    meson setup "$folder/build" "$source" --cross-file "$source/cross/aarch64-linux-gnu.ini" -Dexamples=false
ninja -C "$folder/build" src/libpumice.so.1.0.0 tools/pumice tests/unit/test_base tests/unit/test_spv
VK_DRIVER_FILES=$(ls "$root"/usr/share/vulkan/icd.d/lvp_icd*.json)
export VK_DRIVER_FILES OCL_ICD_VENDORS=$folder/build/pumice.icd PUMICE_CACHE_DIR=$folder/cache PUMICE_VALIDATE=1
status=0
for name in base spv; do
    echo "== unit $name"
    qemu-aarch64-static "$folder/build/tests/unit/test_$name" || status=1
done
if [ $# -eq 0 ]; then
    for file in "$source"/tests/cl/*.cl; do
        set -- "$@" "$(basename "$file" .cl)"
    done
fi
for name; do
    echo "== $name"
    qemu-aarch64-static "$folder/build/tools/pumice" run "$source/tests/cl/$name.cl" || status=1
done
exit $status
