#!/bin/sh
# swiftshader.sh PROGRAM ARGUMENT...: runs a test on SwiftShader, a Vulkan driver for the CPU that has neither 64-, 16- nor
# 8-bit integers. Used by `meson test --setup swiftshader`. PUMICE_SWIFTSHADER names its manifest; without it the test is
# skipped.
#
# swiftshader.sh --get FOLDER: gets Debian's chromium-common (32 MB), unpacks the driver from it into FOLDER, and prints the name
# of the manifest. Nothing is installed.
set -e
if [ "$1" = --get ]; then
    mkdir -p "$2"
    cd "$2"
    if [ ! -s libvk_swiftshader.so ]; then
        apt-get -qq -o APT::Sandbox::User=root download chromium-common >&2
        dpkg-deb --fsys-tarfile chromium-common_*.deb |
            tar -x --strip-components=4 ./usr/lib/chromium/libvk_swiftshader.so
        rm chromium-common_*.deb
    fi
    cat > swiftshader.json <<JSON
{"file_format_version": "1.0.0", "ICD": {"library_path": "$PWD/libvk_swiftshader.so", "api_version": "1.3.0"}}
JSON
    echo "$PWD/swiftshader.json"
    exit
fi
if [ ! -s "$PUMICE_SWIFTSHADER" ]; then
    echo "skipped: PUMICE_SWIFTSHADER does not name SwiftShader's manifest (tests/swiftshader.sh --get FOLDER)"
    exit 77
fi
export VK_DRIVER_FILES="$PUMICE_SWIFTSHADER"
unset PUMICE_SWIFTSHADER # no setting of Pumice's, which would warn of it
exec "$@"
