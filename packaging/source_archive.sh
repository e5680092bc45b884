#!/bin/sh
# source_archive.sh COMMIT FOLDER: writes FOLDER/pumice-VERSION.tar.gz and its SHA-256. The bytes depend on the commit
# alone: names, modes and the commit's time come from git, and gzip keeps no time of its own. `meson dist` is not used,
# since its files have the times at which it wrote them.
set -eu
cd "$(dirname "$0")/.."
version=$(git show "$1:meson.build" | sed -n "s/^  version: '\(.*\)',/\1/p" | head -n 1)
mkdir -p "$2"
git -c tar.umask=0022 archive --format=tar --prefix="pumice-$version/" "$1" | gzip -n -9 > "$2/pumice-$version.tar.gz"
cd "$2"
sha256sum "pumice-$version.tar.gz" | tee "pumice-$version.tar.gz.sha256"
