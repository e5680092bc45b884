#!/bin/bash
# modules.sh PUMICE FOLDER [CC]: builds the tool with another C compiler (clang, unless CC names one) in FOLDER, and compares what it and
# PUMICE make of the files of tests/cl and examples, byte by byte: for each device that `pumice compile` knows, with checks and as in a
# robust context. Ends with 0 where nothing differs. C leaves open much that compilers decide differently, the order of a call's arguments
# above all, and what is compiled must not depend on it. tests/unit/order.py looks for such places in the sources.
#
# OTHER=PROGRAM: compares with that instead, and builds nothing. RUNNER=COMMAND: what runs PROGRAM, qemu-riscv64-static for one.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
pumice=$(realpath "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
compiler=${3:-clang}
if [ -z "${OTHER:-}" ]; then
    [ -e "$folder/build/build.ninja" ] ||
        CC=$compiler meson setup "$folder/build" "$source" -Dvalidate=false -Dtests=false -Dexamples=false > "$folder/setup.log"
    ninja -C "$folder/build" tools/pumice > "$folder/build.log"
    OTHER=$folder/build/tools/pumice
fi
read -ra runner <<< "${RUNNER:-}"

files=0 modules=0 status=0
shopt -s nullglob
for path in "$source"/tests/cl/*.cl "$source"/examples/*.cl; do
    files=$((files + 1))
    for how in '' --device=gpu --device=minimal --check=all --robust; do
        here=$folder/here/$(basename "$path" .cl)$how there=$folder/there/$(basename "$path" .cl)$how
        rm -rf "$here" "$there"
        mkdir -p "$here" "$there"
        # What does not compile that way is left out, by both.
        "$pumice" compile "$path" -cl-std=CL3.0 ${how:+"$how"} -o "$here" 2> "$here.log" || true
        "${runner[@]}" "$OTHER" compile "$path" -cl-std=CL3.0 ${how:+"$how"} -o "$there" 2> "$there.log" || true
        diff -rq "$here" "$there" || status=1
        diff -q "$here.log" "$there.log" || status=1
        made=("$here"/*)
        modules=$((modules + ${#made[@]}))
    done
done
echo "$files files, $modules modules"
[ "$modules" -gt 0 ] || exit 1
exit $status
