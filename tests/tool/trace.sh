#!/bin/sh
# pumice trace: what is in the file and in the summary, of one program, of several processes and of none; exit codes; odd files.
#     trace.sh PUMICE EXAMPLE COMMAND_BUFFERS
# EXAMPLE computes SHA-256 digests; COMMAND_BUFFERS is the test of that extension.
here=$(realpath "$(dirname "$0")") pumice=$(realpath "$1") example=$(realpath "$2") command_buffers=$(realpath "$3")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
command=trace
. "$here/checks.sh"

# Whether the file is JSON, and the spans of each track lie inside each other or apart.
check_file() {
    command -v python3 >/dev/null || return
    python3 -c "
import json, sys
tracks = {}
for event in json.load(open(sys.argv[1])):
    if event['ph'] == 'X':
        tracks.setdefault((event['pid'], event['tid']), []).append((event['ts'], -event['dur'], event))
for spans in tracks.values():
    open_ends = []
    for begin, length, event in sorted(spans, key=lambda span: span[:2]):
        while open_ends and open_ends[-1] <= begin + 0.0015:
            open_ends.pop()
        assert event['tid'] < 1 << 24 or not open_ends, ('overlaps', event)
        assert not open_ends or begin - length <= open_ends[-1] + 0.0015, ('crosses', event)
        open_ends.append(begin - length)
" "$1" || fail "$1 is not as it should be"
}

status 2
status 2 --nonsense
status 2 --top -1 true
says "--top wants another value"
for option in -o --top --summary; do
    status 2 $option
    says "pumice trace: $option wants a value"
    status 2 $option -- true
    says "pumice trace: $option wants a value"
done
[ -e ./-- ] && fail "a file '--' was written"
status 127 -o "$work/a.json" "$work/no such program"
says "no such program"
status 1 -o "$work/no/such/folder.json" true
status 3 -o "$work/a.json" -- sh -c 'exit 3'
says "No OpenCL call of the program came to Pumice"
[ -e "$work/a.json" ] && fail "a trace of nothing was written"
# a trace that is there stays when nothing comes, or nothing starts
echo "an earlier trace" >"$work/b.json"
status 3 -o "$work/b.json" -- sh -c 'exit 3'
status 127 -o "$work/b.json" "$work/no such program"
[ "$(cat "$work/b.json")" = "an earlier trace" ] || fail "an earlier trace is gone: $(cat "$work/b.json")"
[ -e "$work/b.json.part" ] && fail "a part was left"
status 2 --nonsense x
says "'--nonsense'"

"$example" >/dev/null 2>&1 || { echo "skipped: the example does not run here"; exit 77; }
echo "an earlier trace" >trace.json
status 0 "$example"
[ -f trace.json ] || fail "there is no trace.json"
check_file trace.json
# with nothing in the cache the device is measured: Pumice's own kernels are in parentheses
PUMICE_CACHE=1 PUMICE_CACHE_DIR="$work/cache" PUMICE_PROBE=1 "$pumice" trace -o first.json "$example" >"$work/out" 2>"$work/err" || fail "the first run failed"
says "(Pumice's own)"
grep -q '^ *kernel  ' "$work/err" && fail "a kernel of Pumice's own is called 'kernel'"
for name in '"cat":"call".*"clEnqueueNDRangeKernel"' '"cat":"kernel".*"sha256","args":{"groups"' '"cat":"pipeline".*"sha256"' '"cat":"build"' '"compile"' \
    '"lower"' '"cat":"submit"' '"ph":"s"' '"ph":"f"' '"queue 1: '; do
    grep -q "$name" trace.json || fail "the trace has no $name"
done
for line in "kernels on the device" "  sha256  *1 " "  clCreateBuffer  *3 " "busy .* ms (.* %), idle"; do
    says "$line"
done
status 0 --summary trace.json --top 1
says "and [0-9]* more"

# a program of many functions passes its checks while it is traced, and extensions' functions are seen
PUMICE_CACHE_DIR="$work/cache" status 0 -o many.json "$command_buffers"
check_file many.json
for name in clCreateCommandBufferKHR clCommandNDRangeKernelKHR clEnqueueCommandBufferKHR; do
    grep -q "\"cat\":\"call\".*\"$name\"" many.json || fail "the trace has no call of $name"
done
grep -q '"cat":"replay".*"command buffer","args":{"commands"' many.json || fail "the trace has no command buffer on the device"
says "calls that failed"

# several processes, and one that is killed
status 137 -o both.json sh -c "'$example' & '$example'; wait; kill -9 \$\$"
says "was ended by signal 9"
says "of 2 processes"
check_file both.json

# who ends the tool ends the program, and the trace is whole
"$pumice" trace -o ended.json sh -c "'$example' >/dev/null; echo \$\$ >pid; exec sleep 60" >"$work/out" 2>"$work/err" &
tool=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -s pid ] && break
    sleep 0.5
done
kill "$tool"
wait "$tool"
[ $? -eq 143 ] || fail "a trace that was ended: $(cat "$work/err")"
kill -0 "$(cat pid)" 2>/dev/null && fail "the program goes on"
check_file ended.json

# what is no trace, and what was cut off
printf 'nonsense\n{"ph":"X"\n{"ph":"X","cat":"call","tid":1e99,"pid":-5,"ts":"x","name":"\\' >odd.json
status 0 --summary odd.json
status 1 --summary none.json
exit $failed
