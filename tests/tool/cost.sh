#!/bin/sh
# pumice cost: on this machine's devices, on compilers that crash and hang (tests/support/faulty.c), and on RADV, which compiles
# without a GPU and tells what it made.
#     cost.sh PUMICE LAYERS RADV_MANIFEST
pumice=$1 layers=$2 radv=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export PUMICE_CACHE_DIR="$work/cache" PUMICE_PROBE=0
command=cost
. "$(dirname "$0")/checks.sh"

cat >"$work/x.cl" <<'END'
#include "half.h"
kernel void scale(global float *x, float a) { x[get_global_id(0)] *= HALF(a); }
kernel void sums(global float *x, local float *part)
{
    part[get_local_id(0)] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = part[get_local_id(0) ^ 1];
}
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void root(global float *x) { x[get_global_id(0)] = sqrt(x[0]) / x[1]; }
#ifdef LARGE
kernel void large(global float *x) { local float l[1 << 24]; l[get_local_id(0)] = x[0]; barrier(CLK_LOCAL_MEM_FENCE); *x = l[1]; }
#endif
END
echo '#define HALF(a) ((a) / 2)' >"$work/half.h"
echo 'kernel void wrong(global float *x) { *x = nothing; }' >"$work/wrong.cl"
echo 'float f(float x) { return x; }' >"$work/none.cl"
"$pumice" compile --stage=kernel -o "$work/x.spv" "$work/x.cl" || fail "x.cl does not compile"

export PUMICE_COMPILE_ONLY=1
status 0 "$work/x.cl"
says "^scale  *256x1x1 "
says "^root  *8x4x1 "
says "PUMICE_PROBE=0"
status 0 --local=64 --local=16,2 "$work/x.spv"
says "^scale  *64x1x1 "
says "^scale  *16x2x1 "
says "^root  *8x4x1 "
status 1 "$work/wrong.cl"
says "wrong.cl:1:.*nothing"
status 0 "$work/none.cl"
says "There is no kernel"
status 1 -DLARGE "$work/x.cl"
says "^large .* refused: it needs [0-9]* bytes of local memory"
says "^scale  *256x1x1 "
status 1 --local=100000 --kernel=scale "$work/x.cl"
says "refused: the device's work-groups have at most"
status 1 --local-args=100000000 --kernel=sums "$work/x.cl"
says "refused: its arguments may have"
status 2 --kernel=other "$work/x.cl"
says "there is no kernel 'other'"
status 2 --device="no such device" "$work/x.cl"
says "no device is or is called 'no such device'"
status 2 --local=0 "$work/x.cl"
status 2 --local=8,8,8,8 "$work/x.cl"
status 2 "$work/missing.cl"
status 2 --compare "$work/x.cl" "$work/x.cl"
status 0 --device=0 --json="$work/a.json" "$work/x.cl"
status 0 --device=0 --json="$work/b.json" --local=32 "$work/x.cl"
status 0 --compare "$work/a.json" "$work/b.json"
says "^scale  *256x1x1  *32x1x1"

# kernels with images, also where the device wants to know their formats
cat >"$work/images.cl" <<'END'
kernel void floats(write_only image2d_t to, read_only image2d_t from)
{ int2 at = (int2)(get_global_id(0), 0); write_imagef(to, at, read_imagef(from, at) + read_imagef(from, at + 1)); }
kernel void numbers(write_only image2d_t to) { write_imageui(to, (int2)(0), (uint4)(get_global_id(0))); }
kernel void both(read_write image2d_t image) { write_imagei(image, (int2)(0), read_imagei(image, (int2)(1)) + 1); }
END
for disabled in "" image_without_format; do
    PUMICE_DISABLE=$disabled status 0 --local=8,8 -cl-std=CL3.0 "$work/images.cl"
    for kernel in floats numbers both; do
        says "^$kernel  *8x8x1  *[0-9]"
    done
done

# one that crashes, hangs or refuses is a row, and the others are as they are
export VK_ADD_LAYER_PATH="$layers" VK_INSTANCE_LAYERS=VK_LAYER_PUMICE_faulty
status 1 --local=8 --local=13 --local=17 --local=19 --local=23 --local=32 --limit=2 --json="$work/faulty.json" "$work/x.cl"
for kernel in scale sums; do
    says "^$kernel  *8x1x1  *[0-9]"
    says "^$kernel  *13x1x1  the driver crashed: SIGSEGV$"
    says "^$kernel  *17x1x1  the driver was not done after 2 s$"
    says "^$kernel  *19x1x1  the driver ended the process with exit code 7$"
    says "^$kernel  *23x1x1  rejected: the driver does not take the module$"
    says "^$kernel  *32x1x1  *[0-9]"
done
says "^root  *8x4x1  *[0-9]"
[ "$(grep -c '"result": "made"' "$work/faulty.json")" -eq 5 ] || fail "not five are made: $(cat "$work/faulty.json")"
unset VK_ADD_LAYER_PATH VK_INSTANCE_LAYERS

[ -e "$radv" ] || { echo "the rest is skipped: there is no $radv"; exit $failed; }
export VK_DRIVER_FILES="$radv" VK_ICD_FILENAMES="$radv"
for family in POLARIS10 NAVI31; do
    export RADV_FORCE_FAMILY=$family
    status 0 --json="$work/$family.json" "$work/x.cl"
    says "VGPRs"
    says "^0 everywhere: .*Scratch size"
    grep -q '"statistics": {.*"VGPRs": [1-9]' "$work/$family.json" || fail "no registers: $(cat "$work/$family.json")"
done
status 0 --compare "$work/POLARIS10.json" "$work/NAVI31.json"
says "^  Code size  *[0-9]* *[0-9]* *[0-9.]*x$"
PUMICE_COMPILE_ONLY=0 status 2 "$work/x.cl"
says "cannot be opened"
exit $failed
