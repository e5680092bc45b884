# docs/packaging.md says how this was tried. nix-build packaging/nix, from a checkout.
{ pkgs ? import <nixpkgs> { } }:
pkgs.stdenv.mkDerivation {
  pname = "pumice";
  version = "0.2.0";
  src = pkgs.lib.cleanSource ../..;
  strictDeps = true;
  nativeBuildInputs = with pkgs; [ meson ninja pkg-config python3 ];
  buildInputs = with pkgs; [ opencl-headers spirv-headers vulkan-headers vulkan-loader vulkan-volk ];
  postPatch = "patchShebangs tools";
  # SPIRV-Tools is wanted as static libraries, which nixpkgs does not build by default.
  mesonFlags = [ "-Dtests=false" "-Dexamples=false" "-Dvalidate=false" "-Db_ndebug=true" ];
  # libvulkan is opened by its name when devices are asked for.
  postFixup = "patchelf --add-rpath ${pkgs.vulkan-loader}/lib $out/lib/libpumice.so.1";
  meta = {
    description = "OpenCL on every GPU that speaks Vulkan";
    license = pkgs.lib.licenses.asl20;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "pumice";
  };
}
