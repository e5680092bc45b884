#!/bin/sh
# pumice check: options, exit codes, files, of programs that find something, nothing, or crash. What is found is no matter here.
#     check.sh PUMICE CHECK_FOUND
# CHECK_FOUND (tests/unit/check_found.c) finds what it is told to.
here=$(realpath "$(dirname "$0")") pumice=$(realpath "$1") found=$(realpath "$2")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export TMPDIR="$work/tmp"
mkdir "$TMPDIR"
command=check
. "$here/checks.sh"

status 2
status 2 --limit 0 true
status 2 --limit x true
status 2 --exit 256 true
says "--exit wants another value"
for option in --kernel --suppress --json --limit --exit; do
    status 2 $option
    says "pumice check: $option wants a value"
    status 2 $option -- "$found" nothing
    says "pumice check: $option wants a value"
done
[ -e ./-- ] && fail "a file '--' was written"
status 2 --all
status 127 "$work/no such program"
says "no such program"
status 3 -- sh -c 'exit 3'
says "the program made no context with Pumice"

status 5 "$found" nothing
says "no faults found"
status 66 "$found" kernel
says "sum.cl:7:14: out-of-bounds"
status 7 --exit 7 "$found" kernel
status 0 --exit 0 "$found" kernel
status 66 --host "$found" kernel
status 66 --break "$found" kernel
status 134 "$found" killed
says "was ended by signal 6"
status 66 sh -c "'$found' kernel; exit 0"
status 66 --limit 1 "$found" leaks
says "2 not shown"
status 0 --kernel 'sum*' --kernel none "$found" wants
says ":10"

# files
printf '* * sum.cl\n' >suppressions
status 0 --suppress suppressions sh -c "cd / && '$found' kernel"
says "6 suppressed"
status 1 --suppress missing "$found" kernel
says "missing: "
printf '[\nof an earlier run' >faults.json
status 66 --json faults.json sh -c "cd / && '$found' kernel & '$found' leaks; wait"
command -v python3 >/dev/null && { python3 -c "import json; assert len(json.load(open('faults.json'))) == 5" || fail "$(cat faults.json)"; }
status 3 --json faults.json sh -c 'exit 3'
[ "$(tr -d '\n' <faults.json)" = "[]" ] || fail "nothing was found: $(cat faults.json)"
printf 'int main;\n' >source.c
status 1 --json source.c "$found" kernel
[ "$(cat source.c)" = "int main;" ] || fail "a source is gone"
status 1 --json /no/such/folder/x "$found" kernel
status 1 --json /dev/full "$found" kernel
[ -z "$(ls "$TMPDIR")" ] || fail "left in $TMPDIR: $(ls "$TMPDIR")"
exit $failed
