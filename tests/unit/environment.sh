#!/bin/sh
# Nothing of the library reads the environment but platform_env() (base/platform.c), for which it is empty in a program with raised rights; and
# nothing of the tool reads a variable of Pumice's otherwise.
#     environment.sh SOURCE_ROOT
cd "$1" || exit 1
failed=0
if grep -rnE '\<(secure_)?getenv\(|\<environ\>' base compiler vk src --include='*.c' --include='*.h' | grep -v '^base/platform.c:'; then
    echo "read by something else than platform_env()"
    failed=1
fi
if grep -rnE '\<getenv\("PUMICE_' tools --include='*.c'; then
    echo "read by something else than platform_env()"
    failed=1
fi
exit $failed
