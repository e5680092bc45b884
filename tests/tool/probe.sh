#!/bin/sh
# The probe of a device's functions, as pumice info shows it: the same answers from one thread and from several, and none with
# PUMICE_PROBE=0.
#     probe.sh PUMICE
pumice=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset PUMICE_PROBE PUMICE_PROBE_THREADS
command=info
. "$(dirname "$0")/checks.sh"

# ask THREADS FILE: what the devices' functions are worth, without the time that it took
ask() {
    PUMICE_PROBE_THREADS=$1 status 0
    sed -n 's/, measured in [0-9]* *ms//; /^[0-9]*: /p; /^  functions/,$p' "$work/out" >"$work/$2"
}

ask 1 one
if ! grep -q "^  functions" "$work/one"; then
    echo "skipped: there is no device that OpenCL programs are offered"
    exit 77
fi
says "^  sqrt .*\(exact\|native\|library\)"
for threads in 2 7 1000; do
    ask $threads several
    diff "$work/one" "$work/several" || fail "$threads threads find something else than one"
done
# what is no number counts as none
for threads in -3 none ""; do
    ask "$threads" several
    diff "$work/one" "$work/several" || fail "PUMICE_PROBE_THREADS='$threads' finds something else than one thread"
done
PUMICE_PROBE=0 PUMICE_PROBE_THREADS=2 status 0
says "functions: all by the library (no probe: PUMICE_PROBE=0)"
exit $failed
