#!/bin/sh
# The Python wheel of this build: pip takes it, its module names the driver, kernels run on that, and pip removes all of it.
#     wheel.sh PYTHON LIBRARY PUMICE SOURCE_ROOT
python=$1 library=$2 pumice=$3 root=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/environment" >/dev/null 2>&1 || { echo "no venv with pip: python3-venv"; exit 77; }
environment=$work/environment/bin/python
files() { find "$work/environment" -name __pycache__ -prune -o -print | sort; }
set -e
"$python" "$root/packaging/wheel/make_wheel.py" "$library" "$work"
files >"$work/before"
"$environment" -m pip install --no-index "$work"/pumice_opencl-*.whl
driver=$("$environment" -m pumice_opencl)
case $driver in "$work"/environment/*) ;; *) echo "the driver is $driver"; exit 1 ;; esac
# ocl-icd takes a library here; the tool looks for the loader as programs do
OCL_ICD_VENDORS=$driver "$pumice" run "$root/tests/cl/structs.cl"
[ "$("$environment" -c 'import os, pumice_opencl; pumice_opencl.use(); print(os.environ["OCL_ICD_VENDORS"])')" = "$driver" ]
"$environment" -m pip uninstall -y pumice-opencl
files | diff "$work/before" - || { echo "pip has left something"; exit 1; }
