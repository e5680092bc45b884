# The image of packaging/oci, by buildah without any privilege of namespaces. Its base is the system that check.sh makes, in place of a registry's.
build() {
    export BUILDAH_ISOLATION=chroot
    # overlayfs does not lie on overlayfs, and `buildah build` asks neither STORAGE_DRIVER nor what storage there is
    printf '[storage]\ndriver = "vfs"\nrunroot = "/run/containers/storage"\ngraphroot = "/var/lib/containers/storage"\n' >/etc/containers/storage.conf
    local container
    container=$(buildah from scratch)
    buildah add -q "$container" /base.tar /
    buildah commit -q --rm "$container" localhost/debian
    # what apt fetched for other recipes serves here, too
    buildah build --quiet --volume /var/cache/apt/archives:/var/cache/apt/archives --build-arg BASE=localhost/debian -t pumice -f packaging/oci/Containerfile .
    container=$(buildah from localhost/pumice)
    buildah run "$container" -- clinfo -l | grep 'Device #0: llvmpipe'
    buildah copy -q "$container" tests/cl /tests
    buildah run "$container" -- env PUMICE_CACHE=0 pumice run /tests/structs.cl /tests/control.cl
}

# What is in an image needs no removal.
try() { :; }
