#!/bin/sh
# pumice cache on a folder that is made here: what it counts, what it removes, and what it leaves alone.
#     cache.sh PUMICE
pumice=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset PUMICE_CACHE
export PUMICE_CACHE_DIR="$work/cache"
command=cache
. "$(dirname "$0")/checks.sh"
digits=0123456789abcdef0123456789abcde

for option in '' '--trim 1M' --clear; do
    # shellcheck disable=SC2086
    status 0 $option
    says "nothing is kept yet"
done
[ ! -e "$work/cache" ] || fail "looking makes the folder"
mkdir -m 700 "$work/cache"
status 0
says "compiled programs  *0 files"
says "at most 256 MiB"
export PUMICE_CACHE_SIZE=12
status 0
says "at most 12 MiB: then"
unset PUMICE_CACHE_SIZE

# Four programs of a MiB each, the first used longest ago; pipelines; a probe; what a killed writer left; somebody else's file.
for i in 1 2 3 4; do
    head -c 1048576 /dev/zero >"$work/cache/${digits}$i.pcc"
    touch -d "2001-01-0$i" "$work/cache/${digits}$i.pcc"
done
head -c 2097152 /dev/zero >"$work/cache/pipelines-0001-00020-${digits}0.bin"
echo x >"$work/cache/probe-0123456789abcdef"
echo x >"$work/cache/${digits}1.pcc.tmp-abcdef"
echo x >"$work/cache/${digits}2.pcc.tmp-abcdef"
touch -d 2001-01-01 "$work/cache/${digits}1.pcc.tmp-abcdef"
# Others' files may be called like ours, but for a character, and be older.
others="mine.txt 1.pcc ${digits}.pcc ${digits}11.pcc ${digits}g.pcc ${digits}A.pcc ${digits}1.pcc.txt ${digits}1.pcc.tmp-abcde ${digits}1.pcc.tmp-abcdefg
    notes.tmp-abcdef x${digits}1.pcc pipelines-of-mine.bin pipelines-0001-0002-${digits}0.bin.old pipelines-1-0002-${digits}0.bin probe-report.txt probe-0123
    probe-other-0123456789abcdef"
for i in $others; do
    echo x >"$work/cache/$i"
    touch -d 2001-01-01 "$work/cache/$i"
done
mkdir "$work/cache/${digits}f.pcc"
status 0
says "compiled programs  *4 files  *4.0 MiB"
says "pipelines  *1 files  *2.0 MiB"
says "being written  *2 files"

status 0 --trim 4M
[ ! -e "$work/cache/${digits}1.pcc" ] && [ ! -e "$work/cache/${digits}2.pcc" ] || fail "the oldest were not removed"
[ -e "$work/cache/${digits}3.pcc" ] && [ -e "$work/cache/${digits}4.pcc" ] || fail "more than needed was removed"
[ ! -e "$work/cache/${digits}1.pcc.tmp-abcdef" ] || fail "what a killed writer left is still there"
[ -e "$work/cache/${digits}2.pcc.tmp-abcdef" ] || fail "what is being written was removed"
says "compiled programs  *2 files  *2.0 MiB"

status 2 --trim 4X
status 2 --trim -4
status 2 --trim 99999999999G
status 2 --trim
status 2 --nonsense
[ -e "$work/cache/${digits}4.pcc" ] || fail "a wrong argument removed a program"

status 0 --clear
rmdir "$work/cache/${digits}f.pcc" || fail "a folder was removed"
[ "$(LC_ALL=C ls "$work/cache")" = "$(printf '%s\n' $others | LC_ALL=C sort)" ] || fail "after --clear there is: $(ls "$work/cache")"
PUMICE_CACHE=0 "$pumice" cache >"$work/out" 2>"$work/err" && fail "PUMICE_CACHE=0: expected 1"
says "PUMICE_CACHE=0"
chmod 777 "$work/cache"
status 1 --clear
says "others may write"
# A home that is not there is not made.
unset PUMICE_CACHE_DIR XDG_CACHE_HOME
HOME="$work/nobody" "$pumice" cache >"$work/out" 2>"$work/err" && fail "HOME that is not there: expected 1"
says "HOME is no folder"
HOME="$work/nobody" MESA_SHADER_CACHE_DISABLE=true OCL_ICD_VENDORS=/nonexistent "$pumice" doctor >/dev/null 2>&1
[ ! -e "$work/nobody" ] || fail "a home was made"
exit $failed
