# Flatpak's module, without a runtime: built with its options into /app, cleaned as it says, and used in a system without a loader.
from_module() {
    python3 -c 'import sys, yaml; print(*yaml.safe_load(open("packaging/flatpak/pumice-module.yml"))[sys.argv[1]], sep="\n")' "$1"
}

build() {
    local options
    mapfile -t options < <(from_module config-opts)
    meson setup output --prefix=/app --libdir=lib --sysconfdir=etc "${options[@]}"
    meson install -C output
    from_module cleanup | while read -r pattern; do
        # shellcheck disable=SC2086
        rm -r /app$pattern
    done
    tar -C / -cf /packages/flatpak.tar app
}

try() {
    echo 'not tried: a runtime of Flatpak, which cannot be had'
    dpkg --purge --force-depends ocl-icd-libopencl1
    install() { tar -C / -xf /packages/flatpak.tar; }
    use() { LD_LIBRARY_PATH=/app/lib kernels; }
    remove() { rm -r /app; }
    traceless
}
