#!/bin/sh
# Whether libOpenCL.so exports every function of the dispatch table (but Direct3D's, which this operating system has not),
# and nothing else.
#
#   exports.sh LIBRARY DISPATCH.DEF
set -eu
exported=$(nm -D --defined-only "$1" | sed -n 's/.* T \(cl[A-Za-z0-9]*\)@.*/\1/p' | sort)
wanted=$({ sed -n 's/^\(TAG\|ENTRY\|ENTRY_AS\)(\(cl[A-Za-z0-9]*\).*/\2/p' "$2" | grep -v 'D3D\|DX9'; echo clGetKernelSuggestedLocalWorkSize; } | sort -u)
if [ "$exported" != "$wanted" ]; then
    echo "exported, and in the table:"
    echo "$exported" >/tmp/exported.$$
    echo "$wanted" | diff /tmp/exported.$$ - || true
    rm -f /tmp/exported.$$
    exit 1
fi
echo "$exported" | wc -l
