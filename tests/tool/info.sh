#!/bin/sh
# pumice info and the machine's OpenGL: what it says where EGL is broken, and that it ends well.
#     info.sh PUMICE FOLDER_OF_A_BROKEN_EGL
pumice=$1 broken=$2
failed=0

# expect TEXT VARIABLE=VALUE...
expect() {
    text=$1
    shift
    out=$(env "$@" timeout 60 "$pumice" info 2>&1)
    got=$?
    if [ $got -ne 0 ] || ! echo "$out" | grep -q -- "$text"; then
        echo "with $*: ended with $got, expected '$text':"
        echo "$out"
        failed=1
    fi
}

if ! "$pumice" info | grep -q 'raw pointers'; then
    echo "skipped: there is no device that is offered"
    exit 77
fi

expect '^  OpenGL by EGL  *[a-zA-Z]' PUMICE_CACHE=0
expect '^  OpenGL by EGL  *none: EGL has no display here' LD_LIBRARY_PATH="$broken"
expect '^  OpenGL by EGL  *none: EGL ends the process' LD_LIBRARY_PATH="$broken" TEST_EGL=crash
expect '^  OpenGL by EGL  *none: EGL does not answer' LD_LIBRARY_PATH="$broken" TEST_EGL=hang
exit $failed
