#!/bin/sh
# msl.sh SPIRV-CROSS: converts the SPIR-V of standard input to Metal's language, as MoltenVK does with every module that
# it gets. Ends with 77 where SPIRV-Cross is known to be too old: Debian 12's, of January 2023, knows addresses, but no
# atomics at them, and no products of packed bytes. Its version of July 2026 knows both.
errors=$("$1" --msl --msl-version 30000 - 2>&1 >/dev/null) && exit 0
echo "$errors" >&2
case $errors in
*"No backing variable for atomic operation"* | *"Cannot resolve expression type"*) exit 77 ;;
esac
exit 1
