#!/bin/sh
# make_room.sh SOURCE ROOM PATH...: makes the folder ROOM anew, in which each PATH is a link to the same path in SOURCE. See meson.build.
set -eu
source=$1 room=$2
shift 2
rm -rf "$room"
for path in "$@"; do
    mkdir -p "$room/$(dirname "$path")"
    ln -s "$source/$path" "$room/$path"
done
