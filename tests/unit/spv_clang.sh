#!/bin/sh
# Compiles each kernels/*.cl with clang and LLVM's SPIR-V translator, takes it through test_spv, and validates what comes out.
# usage: spv_clang.sh TEST_SPV CLANG TRANSLATOR SPIRV_VAL SOURCE_DIR
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
for source in "$5"/kernels/*.cl; do
    name=$(basename "$source" .cl)
    for flags in -O0 "-O2 -g"; do
        # shellcheck disable=SC2086
        "$2" -c -emit-llvm -target spir64 -cl-std=CL3.0 -Xclang -finclude-default-header $flags -o "$work/x.bc" "$source"
        "$3" "$work/x.bc" -o "$work/x.spv"
        if ! "$1" "$work/x.spv" "$work/y.spv" || ! "$4" --target-env spv1.4 "$work/y.spv"; then
            echo "FAIL: $name $flags"
            status=1
        fi
    done
done
exit $status
