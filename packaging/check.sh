#!/bin/bash
# check.sh FOLDER [RECIPE...]: builds packages of the commit HEAD by their recipes, installs each in a system that has never seen Pumice, runs
# kernels there by ocl-icd on lavapipe, removes the package, and fails where a file is left. The recipes are check/*.sh: all of them unless
# some are named. A recipe that cannot run says why and counts as skipped; what one that passed leaves out stands below its line. Each half of
# a recipe, building and trying, is ended after CHECK_LIMIT seconds (1200). Wants root, mmdebstrap, the network that apt uses, and 6 GB; it
# changes nothing outside FOLDER.
#
# FOLDER keeps three systems (Debian 12: bare, with compilers and the tools of packages, and with a Vulkan driver and a loader alone), packages,
# logs, and compiled objects of earlier runs. Each recipe sees copies of the systems, which overlayfs makes and which are thrown away.
set -euo pipefail
if [ $# -lt 1 ]; then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
fi
[ "$(id -u)" = 0 ] || { echo "check.sh: this wants root" >&2; exit 77; }
command -v mmdebstrap >/dev/null || { echo "check.sh: this wants mmdebstrap" >&2; exit 77; }
cd "$(dirname "$0")/.."
mkdir -p "$1/archives/partial" "$1/packages" "$1/ccache" "$1/logs"
folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- deb autopkgtest containers rpm arch alpine wheel npm oci conda nix flatpak

# inside ROOT COMMAND...: runs a command in a system. apt's archives are kept between runs.
inside() {
    timeout --kill-after=10 "${CHECK_LIMIT:-1200}" unshare --mount --pid --fork --kill-child bash -c 'root=$1 folder=$2 && shift 2
        [ "$(stat -c %d "$root")" != "$(stat -c %d "$root/..")" ] || mount --bind "$root" "$root"
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys"
        mkdir -p "$root/packages" "$root/var/tmp/ccache"
        mount --bind "$folder/archives" "$root/var/cache/apt/archives"
        mount --bind "$folder/packages" "$root/packages"
        mount --bind "$folder/ccache" "$root/var/tmp/ccache"
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"' \
        bash "$1" "$folder" "${@:2}"
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
        sh "${@:2}" >"$folder/logs/$1" 2>&1 || { tail -n 15 "$folder/logs/$1"; return 1; }
    echo "${*:2}" >"$root.done"
}

if [ ! -e "$folder/base.tar" ]; then
    mapfile -t sources < <(grep -rls bookworm /etc/apt/sources.list /etc/apt/sources.list.d | grep -v backports)
    mmdebstrap --quiet --variant=apt --include=ca-certificates bookworm "$folder/base.new" "${sources[@]}" --format=tar
    mv "$folder/base.new" "$folder/base.tar"
fi
system bare ca-certificates
system build build-essential buildah ccache debhelper dpkg-dev fakeroot g++ git libarchive-tools libvulkan-dev libvulkan-volk-dev lintian \
    makepkg meson musl-tools nix-bin pacman-package-manager opencl-headers patchelf pkg-config python3-jinja2 python3-yaml rpm rpmlint shellcheck spirv-headers spirv-tools
system run clinfo libvulkan1 mesa-vulkan-drivers/bookworm-backports ocl-icd-libopencl1 pacman-package-manager python3-venv rpm

version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build | head -n 1)
packaging/source_archive.sh HEAD "$folder/packages" >/dev/null

# step SYSTEM RECIPE FUNCTION: in a fresh copy of a system, with the sources in /source.
step() {
    local copy=$folder/copy
    mkdir -p "$copy/upper" "$copy/work" "$copy/root"
    mount -t overlay overlay -o "lowerdir=$folder/$1,upperdir=$copy/upper,workdir=$copy/work" "$copy/root" || return
    mkdir "$copy/root/source"
    tar -C "$copy/root/source" --strip-components=1 -xf "$folder/packages/pumice-$version.tar.gz"
    [ "$2" != oci ] || cp "$folder/base.tar" "$copy/root/"
    local status=0
    inside "$copy/root" bash -euc "export version=$version; . /source/packaging/check/common; . /source/packaging/check/$2.sh; cd /source; $3" || status=$?
    umount "$copy/root"
    rm -rf "$copy"
    return "$status"
}

trap 'if mountpoint -q "$folder/copy/root"; then umount "$folder/copy/root" && rm -rf "$folder/copy"; fi' EXIT
passed=0 failed=0 skipped=0
for recipe; do
    log=$folder/logs/$recipe
    [ "$recipe" = containers ] && where=bare || where=run
    status=0 began=$SECONDS
    { step build "$recipe" build && step "$where" "$recipe" try; } >"$log" 2>&1 </dev/null || status=$?
    case $status in
    0) echo "$recipe: passed, $((SECONDS - began)) s"; passed=$((passed + 1)) ;;
    77) echo "$recipe: skipped: $(tail -n 1 "$log")"; skipped=$((skipped + 1)) ;;
    124 | 137) echo "$recipe: failed, had not ended after ${CHECK_LIMIT:-1200} s ($log)"; failed=$((failed + 1)) ;;
    *) echo "$recipe: failed ($log)"; tail -n 15 "$log"; failed=$((failed + 1)) ;;
    esac
    sed -n 's/^not tried: /    &/p' "$log"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
