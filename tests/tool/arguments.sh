#!/bin/sh
# Every command of the tool, as a stranger calls it: --help goes to the output and ends with 0, what is unknown is named and ends
# with 2, and what matches nothing says so.
#     arguments.sh PUMICE
pumice=$1 here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "$here/checks.sh"

for command in info doctor cache trace check compile cost c++ bench run; do
    for help in --help -h; do
        status 0 $help
        [ -s "$work/out" ] || fail "pumice $command $help says nothing"
        [ -s "$work/err" ] && fail "pumice $command $help: $(cat "$work/err")"
        grep -q "pumice $command" "$work/out" || fail "pumice $command $help: $(cat "$work/out")"
    done
done
for command in info doctor cache trace check cost c++ bench run; do
    status 2 --nonsense
    says "'--nonsense'"
done
for command in trace check cost c++ bench run compile; do
    status 2 --nonsense value
done

command=run
status 2
status 2 "$work/none.cl"
printf '//! test: one\n//! global: 1\n//! buffer a int[1] = 0\n//! expect a = 1\nkernel void one(global int *a) { *a = 1; }\n' >"$work/one.cl"
status 77 --device="no such device" "$work/one.cl"
says "no OpenCL device whose name contains 'no such device'"
status 77 --platform="no such platform" --device=x "$work/one.cl"
says "no OpenCL device whose platform's name contains 'no such platform' and whose name contains 'x'"
status 77 --filter="no such test" "$work/one.cl"
says "no test's name contains 'no such test'"
status 77 --test=on "$work/one.cl" # no part of a name
says "no test's name is 'on'"
sed 's/one/another_one/' "$work/one.cl" >>"$work/one.cl"
status 0 --list "$work/one.cl"
[ "$(cat "$work/out")" = "one
another_one" ] || fail "pumice run --list: $(cat "$work/out")"
status 2 --list "$work/none.cl"

command=compile
printf 'kernel void one(global float *a) { *a = sqrt(*a); }\n' >"$work/tree.cl"
status 0 --stage=ast -o "$work/tree" "$work/tree.cl"
grep -q "builtin sqrt 'float'" "$work/tree" || fail "the tree does not name the built-in function"
# Matrices, though nobody knows how large the device's sub-groups are.
printf '%s\n' 'typedef float __attribute__((coop_mat(memory_scope_sub_group, 8, 8, 2))) sum;' \
    'kernel void fill(global float *a) { sum m = coop_mat_init(1.0f); coop_mat_store(a, m, 0, 8); }' >"$work/matrix.cl"
for device in default gpu minimal; do
    status 0 --device=$device -cl-std=CL3.0 -o "$work/matrix.spv" "$work/matrix.cl"
done
sed 's/8, 8/16, 16/' "$work/matrix.cl" >"$work/unit.cl"
for device in default gpu; do
    status 0 --device=$device -cl-std=CL3.0 "$work/unit.cl"
    kept=$(grep -c 'OpTypeCooperativeMatrixKHR' "$work/out")
    [ $device$kept = default0 ] || [ $device$kept = gpu1 ] || fail "--device=$device keeps $kept types of matrices"
done
sed 's/8, 8/8, 9/' "$work/matrix.cl" >"$work/shape.cl"
status 1 -cl-std=CL3.0 -o "$work/matrix.spv" "$work/shape.cl"
says "a cooperative matrix of 8 rows and 9 columns of f32 for use 2, which the device does not offer"
# The words of PUMICE_CHECK, all of them; those that look at calls change nothing in kernels.
status 0 --check=bounds,init,races,barriers,values,loops "$work/tree.cl"
mv "$work/out" "$work/each"
for words in all all,init "host, all"; do
    status 0 --check="$words" "$work/tree.cl"
    cmp -s "$work/out" "$work/each" || fail "--check=$words is not what the words are that it stands for"
done
status 2 --check=all,everything "$work/tree.cl"
says "unknown check 'everything'"
exit $failed
