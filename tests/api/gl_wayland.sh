#!/bin/sh
# A program under a Wayland compositor that has no screen.
#     gl_wayland.sh WESTON PROGRAM
weston=$1 program=$2
XDG_RUNTIME_DIR=$(mktemp -d) || exit 1
export XDG_RUNTIME_DIR WAYLAND_DISPLAY=pumice-test
trap 'kill $compositor 2>/dev/null; wait $compositor; rm -rf "$XDG_RUNTIME_DIR"' EXIT
"$weston" --backend=headless-backend.so --socket=$WAYLAND_DISPLAY --idle-time=0 >"$XDG_RUNTIME_DIR/log" 2>&1 &
compositor=$!
tries=0
while [ ! -S "$XDG_RUNTIME_DIR/$WAYLAND_DISPLAY" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ] || ! kill -0 $compositor 2>/dev/null; then
        cat "$XDG_RUNTIME_DIR/log"
        echo "skipped: the compositor does not start"
        exit 77
    fi
    sleep 0.1
done
"$program"
