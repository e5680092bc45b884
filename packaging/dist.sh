#!/bin/sh
# Run by `meson dist`: gives the archive's folder the mode and time that git gives its files, so that the bytes do not depend on when it ran.
set -eu
chmod 755 "$MESON_DIST_ROOT"
touch -d "@$(git -C "$MESON_SOURCE_ROOT" log -1 --format=%ct)" "$MESON_DIST_ROOT"
