#!/bin/bash
# windows.sh FOLDER [NAME...]: builds Pumice for 64-bit Windows with mingw-w64 in FOLDER, and tests it by Wine on this machine's Vulkan
# driver: the files of tests/cl that are named, or else all of them, and then the programs of tests/api and examples that need nothing
# which Windows lacks (fork(), file descriptors of other processes), and those of tests/windows. With the machine for itself building takes
# some minutes, and so does testing.
#
# Needs gcc-mingw-w64-x86-64-posix, g++-mingw-w64-x86-64-posix, wine64, xvfb (Wine finds Vulkan by an X server's driver only), and the
# headers that Pumice is built with on this machine.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
compiler=x86_64-w64-mingw32-gcc-posix

# The system's headers without its C library's.
mkdir -p "$folder/include" "$folder/pkgconfig" "$folder/run"
for name in vulkan vk_video volk.h volk.c CL spirv; do
    ln -sfn "/usr/include/$name" "$folder/include/$name"
done
describe() { # NAME VERSION: headers
    printf 'includedir=%s\nName: %s\nDescription: headers\nVersion: %s\nCflags: -I${includedir}\n' "$folder/include" "$1" "$2" \
        > "$folder/pkgconfig/$1.pc"
}
describe vulkan "$(pkg-config --modversion vulkan)"
describe SPIRV-Headers "$(pkg-config --modversion SPIRV-Headers)"
describe OpenCL-Headers 3.0

# A native build compiles the library of built-in functions; what it writes is the same on every machine.
[ -e "$folder/native/build.ninja" ] || meson setup "$folder/native" "$source" -Dvalidate=false -Dtests=false -Dexamples=false
ninja -C "$folder/native" compiler/builtins/lib/gen_library
export PKG_CONFIG_LIBDIR=$folder/pkgconfig
validate=false # unless tests/windows/spirv_tools.sh was there
[ ! -e "$folder/pkgconfig/SPIRV-Tools.pc" ] || validate=true
if [ -e "$folder/build/build.ninja" ]; then
    meson configure "$folder/build" "-Dvalidate=$validate"
else
    meson setup "$folder/build" "$source" --cross-file "$source/cross/x86_64-w64-mingw32.ini" "-Dvalidate=$validate" \
        "-Dgen-library=$folder/native/compiler/builtins/lib/gen_library" -Dopencl-lib=true -Dtests=false -Dexamples=false
fi
ninja -C "$folder/build" src/pumice.dll src/OpenCL.dll tools/pumice.exe
cp "$folder/build/src/pumice.dll" "$folder/build/src/OpenCL.dll" "$folder/build/tools/pumice.exe" "$folder/run"

# ---- programs ----

x86_64-w64-mingw32-dlltool -d "$folder/build/src/OpenCL.def" -D OpenCL.dll -l "$folder/libOpenCL.a"
flags=(-O1 -std=gnu11 -fstack-protector-strong -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_WIN32_WINNT=0x0A00 -DCL_TARGET_OPENCL_VERSION=300
    "-I$source/base/windows" -include "$source/base/windows/posix.h" "-I$source" "-I$source/tests/support" "-I$source/tests/api"
    "-I$folder/include" -w)
link=("$folder/build/base/libbase.a" "-L$folder" -lOpenCL -lm -static)
lacks='sys/wait|spawn\.h|sys/mman|sys/socket|sys/resource|link\.h|"peer\.h|share_test\.h|held_locks|gl[a-z_]*\.h|dma_buf|va/va|X11|aligned_alloc|mkdtemp|RTLD_NOLOAD|fork\('
programs=()
for name in opencl command_buffers file; do
    "$compiler" "${flags[@]}" -c "$source/tests/support/$name.c" -o "$folder/support_$name.o"
done
for path in $(grep -LE "$lacks" "$source"/tests/api/*.c); do
    name=$(basename "$path" .c)
    case $name in
    ggml | plugin | peer | programs | unload | icd) continue ;; # libraries, or programs that are told which library to load
    compile_only | watchdog) continue ;;                        # want a setting or a layer
    pinned | printed) continue ;;                               # want sections of 64 KiB, /dev/null
    esac
    programs+=("api_$name")
    [ "$folder/run/api_$name.exe" -nt "$path" ] ||
        "$compiler" "${flags[@]}" "$path" "$folder"/support_*.o "${link[@]}" -o "$folder/run/api_$name.exe"
done
shared=(-DVK_USE_PLATFORM_WIN32_KHR)
mkdir -p "$folder/run/handles"
for path in tests/windows/handles tests/api/peer vk/device/volk; do
    "$compiler" "${flags[@]}" "${shared[@]}" -c "$source/$path.c" -o "$folder/handles_$(basename "$path").o"
done
"$compiler" "${flags[@]}" "$folder"/handles_*.o "$folder"/support_*.o "${link[@]}" -o "$folder/run/handles/handles.exe"
"$compiler" -O1 -std=gnu11 "-I$folder/include" -shared "$source/tests/windows/vulkan_handles.c" -o "$folder/run/handles/vulkan-1.dll"
cp "$folder/run/OpenCL.dll" "$folder/run/handles"
for name in saxpy matmul nbody sha256 scan svm usm_gemm gemm primes; do
    programs+=("example_$name")
    [ "$folder/run/example_$name.exe" -nt "$source/examples/$name.c" ] ||
        "$compiler" "${flags[@]}" "-DEXAMPLE_DIR=\"Z:$source/examples\"" "$source/examples/$name.c" "$source/examples/common.c" "${link[@]}" \
            -o "$folder/run/example_$name.exe"
done

# ---- Wine ----

# Wine has an OpenCL.dll of its own, which calls this machine's OpenCL.
export WINEPREFIX=$folder/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe=;opencl=n'
export PUMICE_PROBE=0 PUMICE_CACHE=0 PUMICE_VALIDATE=1
wine=/usr/lib/wine/wine64
coproc SERVER { exec Xvfb -displayfd 1 -screen 0 640x480x24 -nolisten tcp 2>/dev/null; }
server=$SERVER_PID
trap 'wineserver -k || true; kill "$server"' EXIT
read -r display <&"${SERVER[0]}"
export DISPLAY=:$display
[ -e "$WINEPREFIX/system.reg" ] || "$wine" wineboot -i

status=0
check() { # NAME COMMAND...: what is skipped has said why
    local code=0 name=$1
    shift
    timeout 300 "$wine" "$@" > "$folder/$name.log" 2>&1 || code=$?
    case $code in
    0) echo "ok   $name" ;;
    77) echo "skip $name" ;;
    *) echo "FAIL $name ($code)"; tail -5 "$folder/$name.log"; status=1 ;;
    esac
}
cd "$folder/run"
check info pumice.exe info
if [ $# -eq 0 ]; then
    for file in "$source"/tests/cl/*.cl; do
        set -- "$@" "$(basename "$file" .cl)"
    done
fi
for name; do
    check "cl_$name" pumice.exe run "Z:$source/tests/cl/$name.cl"
done
for name in "${programs[@]}"; do
    check "$name" "$name.exe"
done
check handles handles/handles.exe needed
exit $status
