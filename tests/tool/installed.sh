#!/bin/sh
# What `meson install` puts where, as docs/packaging.md has it: the files, what pumice.icd names, and that kernels run on what was installed.
#     installed.sh BUILD SOURCE_ROOT
build=$1 root=$2
work=$(mktemp -d) || exit 1
log=$build/meson-logs/install-log.txt
cp "$log" "$work/log" 2>/dev/null || true # what `ninja uninstall` removes
trap 'rm -f "$log"; cp "$work/log" "$log" 2>/dev/null || true; rm -rf "$work"' EXIT
set -e
DESTDIR=$work/root meson install -C "$build" --no-rebuild --quiet
cd "$work/root"
find . -type f -o -type l | sed 's|^\.||' | sort >"$work/files"
# The C++ headers are those of the source; the folders are the configuration's.
grep -v '/include/pumice/opencl/' "$work/files" | sed 's|.*/||' >"$work/names"
printf '%s\n' libpumice.so libpumice.so.1 libpumice.so.1.0.0 pumice pumice.1 pumice.icd | sort >"$work/wanted"
grep -v '^libOpenCL\.so' "$work/names" | sort | diff "$work/wanted" -
[ "$(grep -c '/include/pumice/opencl/' "$work/files")" = "$(find "$root/include/opencl" -type f | wc -l)" ]
icd=$work/root$(grep '/OpenCL/vendors/pumice\.icd$' "$work/files")
library=$work/root$(grep '/libpumice\.so\.1$' "$work/files")
case $(cat "$icd") in
    libpumice.so.1) ;; # -Dicd-by-name=true
    *) [ "$work/root$(cat "$icd")" = "$library" ] ;;
esac
OCL_ICD_VENDORS=$library "$work/root$(grep '/bin/pumice$' "$work/files")" run "$root/tests/cl/structs.cl"
