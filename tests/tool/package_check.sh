#!/bin/sh
# packaging/check.sh takes all that it started along when it is ended: while it makes its first system, and while it makes the others from that.
# Stand-ins wait in the place of mmdebstrap, and of what runs in a system.
#     package_check.sh SOURCE_ROOT
root=$1
[ "$(id -u)" = 0 ] || { echo "check.sh wants root"; exit 77; }
for program in git tar unshare; do
    command -v "$program" >/dev/null || { echo "no $program"; exit 77; }
done
unshare --mount --pid --fork --kill-child --mount-proc true 2>/dev/null || { echo "no namespaces"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
set -e
mkdir -p "$work/first" "$work/other" "$work/system/tmp" "$work/system/etc/dpkg/dpkg.cfg.d"
for name in first other; do
    cat >"$work/$name/mmdebstrap" <<END
#!/bin/sh
exec 3>"$work/$name.waits"
flock --shared 3
mkdir "\${TMPDIR:-$work}/left"
sleep 120 &
touch "$work/$name.waiting"
wait
END
    chmod +x "$work/$name/mmdebstrap"
done
cp "$work/other/mmdebstrap" "$work/other/unshare"

# try NAME SIGNAL: ends check.sh where the stand-in NAME waits. The lock of NAME.waits is held until the last process there has ended.
try() {
    PATH=$work/$1:$PATH timeout 60 "$root/packaging/check.sh" "$work/folder" deb >"$work/$1.log" 2>&1 &
    process=$!
    for _ in $(seq 300); do
        [ ! -e "$work/$1.waiting" ] || break
        kill -0 "$process" 2>/dev/null || break
        sleep 0.1
    done
    [ -e "$work/$1.waiting" ] || { cat "$work/$1.log"; echo "$1: did not begin"; exit 1; }
    kill "-$2" "$process"
    status=0
    wait "$process" || status=$?
    [ "$status" != 0 ] || { echo "$1: passed"; exit 1; }
    flock --timeout 20 "$work/$1.waits" true || { echo "$1: a process is left after $2"; exit 1; }
    flock --nonblock "$work/folder/lock" true || { echo "$1: the lock is held after $2"; exit 1; }
    [ ! -e "$work/folder/base" ] || { ls -R "$work/folder/base"; echo "$1: files are left after $2"; exit 1; }
    rm "$work/$1.waiting"
}
try first TERM
try first HUP
tar -C "$work/system" -cf "$work/folder/base.tar" .
try other TERM
mkdir -p "$work/folder/bare"
echo "ca-certificates" >"$work/folder/bare.done"
try other TERM
