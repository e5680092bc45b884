#!/bin/sh
# host_bodies.sh CLANG OUTPUT.o SOURCE.cl... : the math files of the library as one translation unit, for the host
set -e
clang=$1 output=$2
shift 2
for source; do
  case $source in
  *convert.cl | *divide.cl | *math_*.cl) cat "$source" ;;
  esac
done | "$clang" -x cl -cl-std=CL3.0 -Xclang -finclude-default-header -target x86_64-unknown-linux-gnu -O2 -fPIC \
  -ffp-contract=off -Wno-unused-function -Wno-psabi -c - -o "$output"
