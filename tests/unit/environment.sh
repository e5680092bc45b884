#!/bin/sh
# Nothing of the library reads the environment but platform_env() (base/platform.c), for which it is empty in a program with raised rights; and
# no variable of Pumice's is read but as a setting (base/settings.h).
#     environment.sh SOURCE_ROOT
cd "$1" || exit 1
failed=0
if grep -rnE '\<(secure_)?getenv\(|\<environ\>' base compiler vk src --include='*.c' --include='*.h' | grep -v '^base/platform.c:'; then
    echo "read by something else than platform_env()"
    failed=1
fi
if grep -rnE '(getenv|platform_env)\("PUMICE_' base compiler vk src tools --include='*.c' --include='*.h'; then
    echo "read by something else than setting_text() and its like"
    failed=1
fi
exit $failed
