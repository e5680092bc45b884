#!/bin/sh
# pumice bench: the table, the JSON and its comparison, the chart, and wrong arguments and files. No time is asserted.
#     bench.sh PUMICE
pumice=$1 here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
command=bench
. "$here/checks.sh"

status 2 --suite nonsense
says "there is no suite 'nonsense'"
status 2 --suite
status 2 --nonsense x
says "unknown option '--nonsense'"
status 77 --device "no such device"
says "no OpenCL device whose platform or name contains 'no such device'"
# a file that cannot be written says so before minutes of measuring, and one that is there is kept until then
status 1 --json "$work/no/such/folder.json"
says "No such file or directory"
grep -q "launch and wait" "$work/out" && fail "measured for a file that cannot be written"
status 1 --plot "$work/no/such/folder.svg"
status 0 --suite launch --only "no such row"
says "has a name that contains 'no such row'"
status 0 --suite objects --only "4 bytes: read"
says "4 bytes: read, us"

# Two runs whose numbers are known: 2 times and 4 times as good, the second where less is better.
cat >"$work/a.json" <<'END'
{"devices": [{"platform": "P", "device": "D \"x\" \u00e4", "driver": "1", "version": "V"}], "more": [1, {"x": []}],
 "rows": [{"suite": "memory", "name": "copy, GB/s", "values": [10]}, {"suite": "launch", "name": "wait, us", "values": [8]},
          {"suite": "launch", "name": "only in a, us", "values": [8]}, {"suite": "launch", "name": "failed, us", "values": [null]}]}
END
sed 's/\[10\]/[20]/; s/\[8\]/[2]/; s/only in a/only in b/' "$work/a.json" >"$work/b.json"
status 0 --compare "$work/a.json" "$work/b.json"
says "copy, GB/s .* 2.00x"
says "wait, us .* 4.00x"
says "geometric mean .* 2.83x"
grep -q "only in\|failed" "$work/out" && fail "a row that is not in both was compared"
status 1 --compare "$work/a.json" "$work/none.json"
# every beginning of a file is refused, and none makes it crash
size=$(wc -c <"$work/a.json")
i=0
while [ $i -lt $((size - 2)) ]; do
    head -c $i "$work/a.json" >"$work/cut.json"
    status 1 --compare "$work/cut.json" "$work/b.json"
    i=$((i + 13))
done
printf '{"rows": %s' "$(head -c 100000 /dev/zero | tr '\0' '[')" >"$work/deep.json"
status 1 --compare "$work/deep.json" "$work/b.json"

# a run
status 0 --suite launch,kernels --only "launch" --json "$work/run.json" --plot "$work/run.svg"
says "launch and wait, us"
grep -q "matrix\|build" "$work/out" && fail "--only lets others pass"
grep -q '"driver": "' "$work/run.json" || fail "the JSON names no driver"
grep -q '</svg>' "$work/run.svg" || fail "the chart is not whole"
status 0 --compare "$work/run.json" "$work/run.json"
says "launch and wait, us .* 1.00x"
if command -v python3 >/dev/null; then
    python3 -c "
import json, sys, xml.dom.minidom
run = json.load(open(sys.argv[1]))
assert len(run['devices']) >= 1 and all(len(row['values']) == len(run['devices']) for row in run['rows'])
xml.dom.minidom.parse(sys.argv[2])" "$work/run.json" "$work/run.svg" || fail "the JSON or the chart does not parse"
fi
# sums that these check themselves, and programs that no cache knows
status 0 --suite atomics,local,builds --only "one"
says "increments of one word, Gop/s  *[0-9]"
says "reads of one word by all, GB/s  *[0-9]"
says "one kernel: both, ms  *[0-9]"
status 0 --suite launch,memory
says "process of one kernel, ms  *[0-9]"
says "kernels and copies of two queues, together x as fast  *[0-9]"
says "start - queued, us  *[0-9]"
says "blocks up, kernel, down by two queues, GB/s  *[0-9]"
grep -q "is wrong" "$work/err" && fail "$(cat "$work/err")"
status 1 --suite launch --only nothing --json "$work/none/run.json"
exit $failed
