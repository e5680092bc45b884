#!/bin/sh
# Lets test_flow leave its modules in a directory, and validates each. usage: flow_valid.sh TEST_FLOW SPIRV_VAL
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" 120 "$work"
status=0
for module in "$work"/*.spv; do
    if ! "$2" --target-env vulkan1.3 "$module"; then
        echo "FAIL: $(basename "$module")"
        status=1
    fi
done
exit $status
