#!/bin/bash
# check.sh FOLDER [RECIPE...]: builds packages of the commit HEAD by their recipes, installs each in a system that has never seen Pumice, runs
# kernels there by ocl-icd on lavapipe, removes the package, and fails where a file is left. The recipes are check/*.sh: all of them unless
# some are named. A recipe that cannot run says why and counts as skipped; what one that passed leaves out stands below its line. Each half of
# a recipe, building and trying, is ended after CHECK_LIMIT seconds (1200). CHECK_JOBS recipes (2) run at the same time. Wants root,
# mmdebstrap, the network that apt uses, and 8 GB; it changes nothing outside FOLDER.
#
# FOLDER keeps three systems (Debian 12: bare, with compilers and the tools of packages, and with a Vulkan driver and a loader alone), packages,
# logs, archives that apt fetched, compiled objects, and in `results` what the last run came to. Each recipe sees copies of the systems, which
# overlayfs makes and which are thrown away. A second run in the same FOLDER must wait for the first.
set -euo pipefail
if [ $# -lt 1 ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
fi
[ "$(id -u)" = 0 ] || { echo "check.sh: this wants root" >&2; exit 77; }
command -v mmdebstrap >/dev/null || { echo "check.sh: this wants mmdebstrap" >&2; exit 77; }
cd "$(dirname "$0")/.."
mkdir -p "$1/archives" "$1/packages" "$1/ccache" "$1/logs" "$1/copies"
folder=$(cd "$1" && pwd)
shift
set -m
exec {lock}>"$folder/lock"
flock --nonblock "$lock" || { echo "check.sh: another run uses $folder" >&2; exit 1; }
chmod 777 "$folder/ccache" # one recipe compiles as another user
# Those that compile with flags of their own come first, so that the others find objects of theirs.
[ $# -gt 0 ] || set -- deb alpine oci wheel rpm autopkgtest containers arch conda nix flatpak npm

# inside ROOT COMMAND...: runs a command in a system. apt's archives are kept between runs: each call has links of its own to them, since apt
# locks the folder.
inside() {
    local root=$1 status=0
    rm -rf "$root.archives" && mkdir -p "$root.archives/partial"
    find "$folder/archives" -name '*.deb' -exec cp --link --target-directory="$root.archives" {} +
    # shellcheck disable=SC2016 # the shell inside expands them
    timeout --foreground --kill-after=10 "${CHECK_LIMIT:-1200}" unshare --mount --pid --fork --kill-child bash -c 'root=$1 folder=$2 && shift 2
        [ "$(stat -c %d "$root")" != "$(stat -c %d "$root/..")" ] || mount --bind "$root" "$root"
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys"
        mkdir -p "$root/packages" "$root/var/tmp/ccache"
        mount --bind "$root.archives" "$root/var/cache/apt/archives"
        mount --bind "$folder/packages" "$root/packages"
        mount --bind "$folder/ccache" "$root/var/tmp/ccache"
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"' \
        bash "$root" "$folder" "${@:2}" {lock}>&- || status=$?
    find "$root.archives" -name '*.deb' -exec mv --no-clobber --target-directory="$folder/archives" {} +
    rm -rf "$root.archives"
    return "$status"
}

# system NAME PACKAGE...: makes one of the systems, from the sources of packages that this machine uses, unless one with these packages is there.
system() {
    local root=$folder/$1
    [ "$(cat "$root.done" 2>/dev/null)" != "${*:2}" ] || return 0
    echo "making the system $1"
    rm -rf "$root" "$root.done" && mkdir -p "$root"
    tar -C "$root" -xf "$folder/base.tar"
    cp .ci/enable-backports "$root/tmp/"
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/no-sync" # dpkg waits for the disk after each file else
    inside "$root" sh -euc 'sh /tmp/enable-backports; rm /tmp/enable-backports; apt-get update -q; apt-get install -qy --no-install-recommends "$@"' \
        sh "${@:2}" >"$folder/logs/$1" 2>&1 </dev/null || { tail -n 15 "$folder/logs/$1"; return 1; }
    echo "${*:2}" >"$root.done"
}

# throw_away: what a run that ended early left of the copies and of the first system.
throw_away() {
    local copy try
    for copy in "$folder"/copies/*; do
        for try in 1 2 3 4 5 6; do # what was killed ends a moment later
            mountpoint -q "$copy/root" || break
            umount "$copy/root" 2>/dev/null || sleep "$try"
        done
        mountpoint -q "$copy/root" || rm -rf "$copy"
    done
    rm -rf --one-file-system "$folder/base"
}

# A run that ends early takes its processes along: each job is a process group. Whatever takes long is a job that is waited for, since bash takes
# notice of a signal only when the command in the foreground has ended. A second signal, as `timeout` sends it, must not end this.
# shellcheck disable=SC2154
trap 'for job in $(jobs -p); do kill -KILL -- "-$job" 2>/dev/null || true; done; wait; throw_away' EXIT
trap 'trap "" HUP INT TERM; exit 143' HUP INT TERM
throw_away
mkdir "$folder/base"

if [ ! -e "$folder/base.tar" ]; then
    mapfile -t sources < <(grep -rls bookworm /etc/apt/sources.list /etc/apt/sources.list.d | grep -v backports)
    # mmdebstrap mounts in the namespace that it is called in.
    TMPDIR=$folder/base unshare --mount --pid --fork --kill-child --mount-proc mmdebstrap --quiet --variant=apt --include=ca-certificates \
        bookworm "$folder/base/tar" "${sources[@]}" --format=tar </dev/null {lock}>&- &
    wait $!
    mv "$folder/base/tar" "$folder/base.tar"
fi
system bare ca-certificates &
wait $!
system run clinfo libvulkan1 mesa-vulkan-drivers/bookworm-backports ocl-icd-libopencl1 pacman-package-manager python3-venv rpm &
run=$!
system build build-essential buildah ccache debhelper dpkg-dev fakeroot g++ git libarchive-tools libvulkan-dev libvulkan-volk-dev lintian \
    makepkg meson musl-tools nix-bin pacman-package-manager opencl-headers patchelf pkg-config python3-jinja2 python3-yaml rpm rpmlint shellcheck spirv-headers spirv-tools &
wait $!
wait "$run"

version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build | head -n 1)
packaging/source_archive.sh HEAD "$folder/packages" >/dev/null

# step SYSTEM RECIPE FUNCTION: in a fresh copy of a system, with the sources in /source.
step() {
    local copy=$folder/copies/$2
    mkdir -p "$copy/upper" "$copy/work" "$copy/root"
    # Without `volatile` (Linux 5.10), umount writes to the disk what is thrown away next, and removing it from there takes long.
    local layers=lowerdir=$folder/$1,upperdir=$copy/upper,workdir=$copy/work
    mount -t overlay overlay -o "$layers,volatile" "$copy/root" 2>/dev/null || mount -t overlay overlay -o "$layers" "$copy/root" || return
    mkdir "$copy/root/source"
    tar -C "$copy/root/source" --strip-components=1 -xf "$folder/packages/pumice-$version.tar.gz"
    [ "$2" != oci ] || cp "$folder/base.tar" "$copy/root/"
    local status=0 began=$SECONDS
    inside "$copy/root" bash -euc "export version=$version; . /source/packaging/check/common; . /source/packaging/check/$2.sh; cd /source; $3" || status=$?
    echo "$3 took $((SECONDS - began)) s"
    umount "$copy/root"
    rm -rf "$copy"
    return "$status"
}

# check RECIPE: both halves. Its line goes to standard output and to results, its state to states/.
check() {
    local recipe=$1 log=$folder/logs/$1 status=0 began=$SECONDS where=run line state=failed
    [ "$recipe" != containers ] || where=bare
    { step build "$recipe" build && step "$where" "$recipe" try; } >"$log" 2>&1 </dev/null || status=$?
    case $status in
    0) state=passed line="passed, $((SECONDS - began)) s" ;;
    77) state=skipped line="skipped: $(grep -v '^[a-z]* took [0-9]* s$' "$log" | tail -n 1)" ;;
    124 | 137) line="failed, had not ended after ${CHECK_LIMIT:-1200} s ($log)" ;;
    *) line="failed ($log)" ;;
    esac
    {
        echo "$recipe: $line$(sed -n 's/^\([a-z]* took [0-9]* s\)$/, \1/p' "$log" | tr -d '\n')"
        [ "$state" != failed ] || tail -n 15 "$log"
        sed -n 's/^not tried: /    &/p' "$log"
    } | tee -a "$folder/results"
    echo "$state" >"$folder/states/$recipe"
}

rm -rf "$folder/states" && mkdir "$folder/states"
echo "commit $(git rev-parse --short HEAD), $(date --utc +%Y-%m-%d), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)" | tee "$folder/results"
waiting=("$@") began=$SECONDS
while [ ${#waiting[@]} -gt 0 ]; do
    later=()
    for recipe in "${waiting[@]}"; do
        # These take the packages of `deb`.
        case " $* $recipe " in
        *' deb '*' autopkgtest ' | *' deb '*' containers ') [ -e "$folder/states/deb" ] || { later+=("$recipe"); continue; } ;;
        esac
        if [ "$(jobs -pr | wc -l)" -ge "${CHECK_JOBS:-2}" ]; then later+=("$recipe"); continue; fi
        check "$recipe" &
    done
    waiting=("${later[@]}")
    [ ${#waiting[@]} = 0 ] || wait -n || true
done
wait
count() { cat "$folder"/states/* | grep -c "^$1" || true; }
echo "$(count passed) passed, $(count failed) failed, $(count skipped) skipped, in $((SECONDS - began)) s" | tee -a "$folder/results"
[ "$(count passed)" -gt 0 ] && [ "$(count failed)" = 0 ]
