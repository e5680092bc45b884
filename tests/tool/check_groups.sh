#!/bin/sh
# pumice check with one option at a time: a program without faults counts as checked, whatever is looked for.
#     check_groups.sh PUMICE
here=$(realpath "$(dirname "$0")") pumice=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
command=check
. "$here/checks.sh"

cat >add.cl <<'END'
//! test: add
//! global: 4
//! buffer out int[4] = 0
//! buffer in int[4] = 1 2 3 4
//! expect out = 2 3 4 5
kernel void add(global int *out, global const int *in)
{
    out[get_global_id(0)] = in[get_global_id(0)] + 1;
}
END
"$pumice" run add.cl || exit # 77: no device
for option in all bounds init races barriers values loops finite host; do
    status 0 --$option --json faults.json -- "$pumice" run add.cl
    says 'no faults found'
    [ "$(tr -d '\n' <faults.json)" = "[]" ] || fail "--$option: $(cat faults.json)"
done
# A name that no kernel has is a slip of the hand, not a program without faults.
status 0 --kernel nosuch --kernel 'a*' -- "$pumice" run add.cl
says "no kernel that ran is named 'nosuch'"
grep -q "named 'a\*'" "$work/err" && fail "'a*' names a kernel: $(cat "$work/err")"
status 0 --kernel nosuch -- "$pumice" run --list add.cl
grep -q 'no kernel that ran' "$work/err" && fail "no kernel ran: $(cat "$work/err")"
# What is wrong in the settings is said once, though the tool has a copy of the library's code.
printf 'nosuch-kind add\n' >suppressions
status 0 --suppress suppressions -- "$pumice" run add.cl
once "no kind is named 'nosuch-kind'"
export PUMICE_CASH=1
status 0 -- "$pumice" run add.cl
once 'PUMICE_CASH is no setting'
PUMICE_CHECK=nosuch "$pumice" run add.cl >"$work/out" 2>"$work/err"
once "there is no 'nosuch'"
"$pumice" compile add.cl >"$work/out" 2>"$work/err"
once 'PUMICE_CASH is no setting'
exit $failed
