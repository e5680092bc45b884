#!/bin/sh
# The manual page names every variable of the README's table, and every command of the tool.
#     manual.sh PUMICE SOURCE_ROOT
pumice=$1 root=$2 failed=0
variables=$(sed -n 's/^| \(`PUMICE_[^|]*\) |.*/\1/p' "$root/README.md" | tr -d '`,')
commands=$("$pumice" --help | sed -n 's/^  \([a-z+]*\)  .*/\1/p')
[ "$(echo $variables | wc -w)" -ge 15 ] && [ "$(echo $commands | wc -w)" -ge 8 ] || { echo "no table of variables, or of commands"; exit 1; }
for name in $variables; do
    grep -q "^\.BR.* *$name\b" "$root/docs/pumice.1" || { echo "the manual page lacks $name"; failed=1; }
done
for name in $commands; do
    grep -q "^\\.BI* $name\\( \\|\$\\)" "$root/docs/pumice.1" || { echo "the manual page lacks pumice $name"; failed=1; }
done
exit $failed
