#!/bin/sh
# validated.sh PROGRAM ARGUMENT...: runs a test with the Vulkan validation layer, synchronization validation included,
# and fails where the layer reports an error. Used by `meson test --setup validation`. The layer writes to a file of its
# own: tests compare their output.
if [ "$PUMICE_TEST_TWINS_EXPORT" = wrong ]; then
    echo "skipped: the test's own layer breaks Vulkan's rules on purpose (tests/support/twins.c)"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/vk_layer_settings.txt" <<END
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = ${VALIDATION_FLAGS:-error}
khronos_validation.log_filename = $dir/log
khronos_validation.duplicate_message_limit = 3
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.validate_sync = true
END
# A layer that is older than an extension hands its own handles on to the driver (VK_EXT_host_image_copy: 1.3.258).
manifest=$(ls "${VK_LAYER_PATH:-/usr/share/vulkan/explicit_layer.d}"/VkLayer_khronos_validation.json 2> "$dir/none")
version=$(sed -n 's/.*"api_version": *"\([0-9.]*\)".*/\1/p' ${manifest:-"$dir/none"} | head -n 1)
if [ "$(printf '%s\n' "${version:-0}" 1.3.258 | sort -V | head -n 1)" != 1.3.258 ]; then
    export PUMICE_DISABLE="${PUMICE_DISABLE:+$PUMICE_DISABLE,}host_image_copy"
fi
# The layer takes an image that is imported for a new one, whose layout is UNDEFINED. It is that in which its owner gives
# it (Vulkan 1.3, 7.7.4), which is GENERAL; UNDEFINED would let the driver drop what lies there.
case "$VK_INSTANCE_LAYERS" in *modifiers*)
    echo "khronos_validation.message_id_filter = UNASSIGNED-CoreValidation-DrawState-InvalidImageLayout" >> "$dir/vk_layer_settings.txt"
esac
# LeakSanitizer dies of the layer's threads where a process ends in the middle of its work
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
# above the layers that the test asks for itself (tests/support/twins.c)
export VK_INSTANCE_LAYERS="VK_LAYER_KHRONOS_validation${VK_INSTANCE_LAYERS:+:$VK_INSTANCE_LAYERS}"
VK_LAYER_SETTINGS_PATH="$dir/vk_layer_settings.txt" "$@"
result=$?
if [ -s "$dir/log" ]; then
    cat "$dir/log" >&2
    [ $result -eq 0 ] && result=1
fi
exit $result
