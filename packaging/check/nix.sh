# Nix' expression, without nixpkgs: evaluated with packages of Debian's in its place, and built with the flags that come out.
build() {
    cat >/nixpkgs.nix <<'NIX'
let found = name: { inherit name; outPath = "/usr"; };
in builtins.listToAttrs (map (name: { inherit name; value = found name; }) [ "meson" "ninja" "opencl-headers" "pkg-config" "python3"
  "spirv-headers" "vulkan-headers" "vulkan-loader" "vulkan-volk" ]) // {
  stdenv.mkDerivation = wanted: wanted;
  lib = { cleanSource = source: source; licenses.asl20 = "Apache-2.0"; };
}
NIX
    # nix-instantiate would make its store even to evaluate
    export NIX_STORE_DIR=/tmp/nix NIX_STATE_DIR=/tmp/nix-state NIX_LOG_DIR=/tmp/nix-log
    evaluate() { nix-instantiate --eval --strict --json --expr "(import ./packaging/nix { pkgs = import /nixpkgs.nix; }).$1"; }
    evaluate meta && evaluate nativeBuildInputs && evaluate buildInputs
    local flags
    mapfile -t flags < <(evaluate mesonFlags | python3 -c 'import json, sys; print(*json.load(sys.stdin), sep="\n")')
    export out=/opt/pumice
    meson setup output --prefix="$out" --libdir="$out/lib" --sysconfdir="$out/etc" "${flags[@]}"
    meson install -C output
    bash -euc "$(evaluate postFixup | python3 -c 'import json, sys; print(json.load(sys.stdin))')"
    readelf --dynamic "$out/lib/libpumice.so.1" | grep 'RUNPATH.*/usr/lib'
    tar -C / -cf /packages/nix.tar opt/pumice
}

try() {
    echo 'not tried: nixpkgs, which cannot be had'
    install() { tar -C / -xf /packages/nix.tar; }
    use() { OCL_ICD_VENDORS=/opt/pumice/etc/OpenCL/vendors kernels /opt/pumice/bin/pumice; }
    remove() { rm -r /opt/pumice; }
    traceless
}
