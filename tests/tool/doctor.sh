#!/bin/sh
# pumice doctor in environments that are broken in one way each: it must name the fault, and end with 1.
#     doctor.sh PUMICE PUMICE.icd LAYERS
pumice=$1 icd=$2 layers=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH VK_ICD_FILENAMES VK_DRIVER_FILES PUMICE_CACHE PUMICE_PLAY PUMICE_DISABLE
export PUMICE_CACHE_DIR="$work/cache"
failed=0

# expect STATUS TEXT VARIABLE=VALUE...
expect() {
    status=$1 text=$2
    shift 2
    env "$@" "$pumice" doctor >"$work/out" 2>&1
    got=$?
    if [ $got -ne "$status" ] || ! grep -qF -- "$text" "$work/out"; then
        echo "with $*: ended with $got, expected $status and '$text':"
        cat "$work/out"
        failed=1
    fi
}

if ! "$pumice" info | grep -q '^0: '; then
    echo "skipped: there is no Vulkan device"
    exit 77
fi

expect 0 "All is well." OCL_ICD_VENDORS="$icd"
expect 0 "OCL_ICD_VENDORS is set to $icd" OCL_ICD_VENDORS="$icd"

# a driver that gives wrong results: said once by a process, and the device is not good as well
old="VK_ADD_LAYER_PATH=$layers VK_INSTANCE_LAYERS=VK_LAYER_PUMICE_old_mesa OCL_ICD_VENDORS=$icd"
expect 1 "cuts every kernel short" $old
[ "$(grep -c "cuts every kernel short" "$work/out")" -eq 1 ] || { echo "said more than once: $(cat "$work/out")"; failed=1; }
grep -q "^good .*Mesa 22.3.6" "$work/out" && { echo "good and bad: $(cat "$work/out")"; failed=1; }
printf '//! test: one\n//! global: 1\n//! buffer a int[1] = 0\n//! expect a = 1\nkernel void one(global int *a) { *a = 1; }\n' >"$work/one.cl"
env $old "$pumice" run --platform=Pumice "$work/one.cl" >"$work/out" 2>&1
[ "$(grep -c "cuts every kernel short" "$work/out")" -eq 1 ] || { echo "a program is told so not once: $(cat "$work/out")"; failed=1; }

# the OpenCL side
mkdir "$work/empty" "$work/wrong" "$work/hollow"
echo /nowhere/libpumice.so >"$work/wrong/pumice.icd"
: >"$work/hollow/pumice.icd"
expect 1 "no .icd file where the loader looks names libpumice.so" OCL_ICD_VENDORS="$work/empty/"
expect 1 "There is one at $icd" OCL_ICD_VENDORS="$work/empty/"
expect 1 "names what is not there: '$work/none'" OCL_ICD_VENDORS="$work/none"
expect 1 "$work/wrong/pumice.icd names a library that cannot be loaded: /nowhere/libpumice.so" OCL_ICD_VENDORS="$work/wrong/pumice.icd"
expect 1 "$work/hollow/pumice.icd is empty" OCL_ICD_VENDORS="$work/hollow/pumice.icd"
expect 1 "OCL_ICD_FILENAMES names a library that cannot be loaded" OCL_ICD_VENDORS="$icd" OCL_ICD_FILENAMES=/nowhere/libpumice.so

# a library that is none is what a missing one is to the dynamic linker
mkdir "$work/no_loader"
: >"$work/no_loader/libOpenCL.so.1"
expect 1 "there is no OpenCL loader: " OCL_ICD_VENDORS="$icd" LD_LIBRARY_PATH="$work/no_loader"
LD_LIBRARY_PATH="$work/no_loader" "$pumice" bench --suite launch >"$work/out" 2>&1
[ $? -eq 77 ] && grep -q "there is no OpenCL loader: " "$work/out" || { echo "bench without a loader: $(cat "$work/out")"; failed=1; }

# the Vulkan side
expect 1 "no Vulkan driver can be loaded" OCL_ICD_VENDORS="$icd" VK_ICD_FILENAMES="$work/none.json" VK_DRIVER_FILES=
expect 1 "VK_DRIVER_FILES is set to $work/none.json" OCL_ICD_VENDORS="$icd" VK_DRIVER_FILES="$work/none.json"
echo '{"ICD": {"library_path": "/nowhere/libvulkan_none.so", "api_version": "1.3.0"}}' >"$work/none.json"
expect 1 "/nowhere/libvulkan_none.so" OCL_ICD_VENDORS="$icd" VK_DRIVER_FILES="$work/none.json"
echo '{}' >"$work/none.json"
expect 1 "it names no library_path" OCL_ICD_VENDORS="$icd" VK_DRIVER_FILES="$work/none.json"

mkdir "$work/lib"
: >"$work/lib/libvulkan.so.1"
: >"$work/lib/libvulkan.so"
expect 1 "there is no Vulkan loader: " OCL_ICD_VENDORS="$icd" LD_LIBRARY_PATH="$work/lib"

# a device that is refused
expect 1 "is not offered: " OCL_ICD_VENDORS="$icd" PUMICE_DISABLE=bda
expect 1 "Pumice can use none of the Vulkan devices" OCL_ICD_VENDORS="$icd" PUMICE_DISABLE=bda

# settings
expect 0 "PUMICE_DISABLE is set to fp64, which is for tests" OCL_ICD_VENDORS="$icd" PUMICE_DISABLE=fp64
expect 0 "PUMICE_CASH is no setting of Pumice's" OCL_ICD_VENDORS="$icd" PUMICE_CASH=0
expect 0 "PUMICE_PROBE=maybe does not count: it takes one of: 0 1" OCL_ICD_VENDORS="$icd" PUMICE_PROBE=maybe
expect 0 "PUMICE_DISABLE: 'fp46' does not count" OCL_ICD_VENDORS="$icd" PUMICE_DISABLE=fp46

# the cache
mkdir "$work/open"
chmod 777 "$work/open"
: >"$work/file"
expect 1 "others may write to it" OCL_ICD_VENDORS="$icd" PUMICE_CACHE_DIR="$work/open"
expect 1 "compiled programs cannot be kept in $work/file/x: it cannot be made" OCL_ICD_VENDORS="$icd" PUMICE_CACHE_DIR="$work/file/x"
expect 0 "PUMICE_CACHE=0 turns it off" OCL_ICD_VENDORS="$icd" PUMICE_CACHE=0

"$pumice" doctor --nonsense >"$work/out" 2>&1
[ $? -eq 2 ] || { echo "--nonsense: expected 2"; failed=1; }
exit $failed
