#!/bin/bash
# spirv_tools.sh FOLDER: builds SPIRV-Tools, the validator, for 64-bit Windows in FOLDER, from the source package of this machine's Debian.
# tests/windows.sh FOLDER links Pumice with it from then on.
#
# Needs cmake, ninja-build and the compilers of tests/windows.sh; the source is downloaded by an apt that changes nothing of this machine's.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
aside=$folder/spirv-tools
mkdir -p "$aside/lists/partial" "$aside/headers/include" "$aside/include" "$aside/lib" "$folder/pkgconfig"

if [ ! -e "$aside/source/CMakeLists.txt" ]; then
    # shellcheck source=/dev/null
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mkdir -p "$aside/sources"
    while read -r list; do
        sed 's/^deb /deb-src /; s/^Types:.*/Types: deb-src/' "$list" > "$aside/sources/$(basename "$list")"
    done < <(grep -rlsE "(^|[[:space:]])$release([[:space:]]|$)" /etc/apt/sources.list /etc/apt/sources.list.d | grep -v backports)
    options=(-qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$aside/sources" -o "Dir::State::lists=$aside/lists"
        -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update
    (cd "$aside" && apt-get "${options[@]}" source --download-only spirv-tools)
    mkdir -p "$aside/source"
    tar xf "$aside"/spirv-tools_*.orig.tar.* -C "$aside/source" --strip-components=1
fi

# The headers alone: all of /usr/include would bring Linux's C library.
ln -sfn /usr/include/spirv "$aside/headers/include/spirv"
[ -e "$aside/build/build.ninja" ] ||
    cmake -G Ninja -S "$aside/source" -B "$aside/build" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_SYSTEM_PROCESSOR=x86_64 \
        -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc-posix -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix -DCMAKE_BUILD_TYPE=Release \
        "-DSPIRV-Headers_SOURCE_DIR=$aside/headers" -DSPIRV_SKIP_TESTS=ON -DSPIRV_SKIP_EXECUTABLES=ON -DSPIRV_WERROR=OFF
ninja -C "$aside/build" SPIRV-Tools-static
cp "$aside/build/source/libSPIRV-Tools.a" "$aside/lib"
cp -r "$aside/source/include/spirv-tools" "$aside/include"
cat > "$folder/pkgconfig/SPIRV-Tools.pc" <<END
Name: SPIRV-Tools
Description: the validator
Version: $(dpkg-query -W -f '${Version}' spirv-tools | sed 's/[-~+].*//')
Libs: -L$aside/lib -lSPIRV-Tools
Cflags: -I$aside/include
END
