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

status 1
says "No such file"
mkdir -m 700 "$work/cache"
status 0
says "compiled programs  *0 files"
says "at most 256 MiB"

# Four programs of a MiB each, the first used longest ago; pipelines; a probe; what a killed writer left; somebody else's file.
for i in 1 2 3 4; do
    head -c 1048576 /dev/zero >"$work/cache/$i.pcc"
    touch -d "2001-01-0$i" "$work/cache/$i.pcc"
done
head -c 2097152 /dev/zero >"$work/cache/pipelines-0001-0002-00.bin"
echo x >"$work/cache/probe-0123"
echo x >"$work/cache/1.pcc.tmp-abcdef"
echo x >"$work/cache/2.pcc.tmp-abcdef"
touch -d 2001-01-01 "$work/cache/1.pcc.tmp-abcdef"
echo x >"$work/cache/mine.txt"
status 0
says "compiled programs  *4 files  *4.0 MiB"
says "pipelines  *1 files  *2.0 MiB"
says "being written  *2 files"

status 0 --trim 4M
[ ! -e "$work/cache/1.pcc" ] && [ ! -e "$work/cache/2.pcc" ] || fail "the oldest were not removed"
[ -e "$work/cache/3.pcc" ] && [ -e "$work/cache/4.pcc" ] || fail "more than needed was removed"
[ ! -e "$work/cache/1.pcc.tmp-abcdef" ] || fail "what a killed writer left is still there"
[ -e "$work/cache/2.pcc.tmp-abcdef" ] || fail "what is being written was removed"
says "compiled programs  *2 files  *2.0 MiB"

status 2 --trim 4X
status 2 --trim -4
status 2 --trim 99999999999G
status 2 --trim
status 2 --nonsense
[ -e "$work/cache/4.pcc" ] || fail "a wrong argument removed a program"

status 0 --clear
[ "$(ls "$work/cache")" = mine.txt ] || fail "after --clear there is: $(ls "$work/cache")"
PUMICE_CACHE=0 "$pumice" cache >"$work/out" 2>"$work/err" && fail "PUMICE_CACHE=0: expected 1"
says "PUMICE_CACHE=0"
chmod 777 "$work/cache"
status 1 --clear
says "others may write"
exit $failed
