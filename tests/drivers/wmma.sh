#!/bin/sh
# wmma.sh PUMICE IL: whether RADV makes instructions for matrices (v_wmma_f32_16x16x16_f16) of a module's kernel. Run by on.sh.
text=$(RADV_DEBUG=shaders "$1" cost "$2" 2>&1) || { echo "$text"; exit 1; }
case $text in
*v_wmma_f32_16x16x16_f16*) ;;
*)
    echo "no v_wmma_f32_16x16x16_f16 in:"
    echo "$text"
    exit 1
    ;;
esac
