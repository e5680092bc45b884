#!/bin/sh
# The manual page names every command of the tool. (Its settings come from base/settings.def: tools/settings.py.)
#     manual.sh PUMICE SOURCE_ROOT
pumice=$1 root=$2 failed=0
commands=$("$pumice" --help | sed -n 's/^  \([a-z+]*\)  .*/\1/p')
[ "$(echo $commands | wc -w)" -ge 8 ] || { echo "no list of commands"; exit 1; }
for name in $commands; do
    grep -q "^\\.BI* $name\\( \\|\$\\)" "$root/docs/pumice.1" || { echo "the manual page lacks pumice $name"; failed=1; }
done
exit $failed
