#!/bin/sh
# on.sh DEVICE COMMAND...: runs a command with one device that a driver makes without hardware. It compiles what the
# hardware would get, and executes nothing (PUMICE_COMPILE_ONLY).
#
#   radv-FAMILY     AMD's, of the installed Mesa: POLARIS10, VEGA10, NAVI21, NAVI31, GFX1200 and others
#   turnip-NUMBER   Adreno 630, 660, 730, 740
#   panvk-NUMBER    Mali: a867 (G610), ac74 (G310)
#   v3dv            Broadcom's of a Raspberry Pi 4
#   anv-PLATFORM    Intel's, of the installed Mesa with a shim of the folder: skl, tgl, adl, dg2, mtl and others
#   nvk-CHIP        NVIDIA's by Mesa: 162 (Turing), 172 (Ampere)
#
# All but the first kind want the folder PUMICE_DRIVERS: Mesa's libvulkan_freedreno.so, libvulkan_panfrost.so,
# libvulkan_broadcom.so and libvulkan_nouveau.so with their noop shims, and Intel's shim (built with -Dtools=drm-shim).
# For v3dv V3D_PARAMS names a library that answers what the shim does not know (v3d_params.c). Ends with 77 where the
# driver is missing.
skip() {
    echo "skipped: $1"
    exit 77
}

# Chooses a shim of the folder: its name, and what is loaded besides.
with_shim() {
    [ -n "$folder" ] || skip "PUMICE_DRIVERS names no folder with Mesa's drivers and shims"
    shim=$folder/lib$1_noop_drm_shim.so
    [ -s "$shim" ] || skip "there is no $shim"
    preload=$2${2:+:}$shim
}

# Chooses a driver of the folder, too: its name, the shim's, and what is loaded besides.
from_folder() {
    with_shim "$2" "$3"
    library=$folder/libvulkan_$1.so
    [ -s "$library" ] || skip "there is no $library"
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    cat >"$scratch/driver.json" <<JSON
{"file_format_version": "1.0.0", "ICD": {"library_path": "$library", "api_version": "1.4.305"}}
JSON
    export VK_DRIVER_FILES="$scratch/driver.json"
}

# Chooses a driver of the installed Mesa: its manifest's name.
from_mesa() {
    VK_DRIVER_FILES=$(ls /usr/share/vulkan/icd.d/"$1"_icd*.json 2>/dev/null | head -n 1)
    [ -n "$VK_DRIVER_FILES" ] || skip "Mesa's driver $1 is not installed"
    export VK_DRIVER_FILES
}

device=$1
folder=$PUMICE_DRIVERS
preload=
shift
unset PUMICE_DRIVERS # no setting of Pumice's, which would warn of it
export PUMICE_COMPILE_ONLY=1 PUMICE_PROBE=0 PUMICE_CACHE=0 MESA_SHADER_CACHE_DISABLE=true
case $device in
radv-*)
    from_mesa radeon
    export RADV_FORCE_FAMILY="${device#radv-}"
    ;;
turnip-*)
    from_folder freedreno freedreno
    export FD_GPU_ID="${device#turnip-}"
    ;;
panvk-*)
    from_folder panfrost panfrost
    export PAN_GPU_ID="${device#panvk-}"
    ;;
v3dv)
    from_folder broadcom v3d "$V3D_PARAMS"
    ;;
anv-*)
    from_mesa intel
    with_shim intel
    export INTEL_STUB_GPU_PLATFORM="${device#anv-}"
    ;;
nvk-*)
    from_folder nouveau nouveau
    export NOUVEAU_CHIPSET="${device#nvk-}"
    ;;
*)
    echo "on.sh: no device is called '$device'" >&2
    exit 2
    ;;
esac
if [ -n "$preload" ]; then
    LD_PRELOAD=$preload "$@"
else
    "$@"
fi
