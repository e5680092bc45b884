# The image of packaging/oci, by buildah without any privilege of namespaces. Its base is the system that check.sh makes, in place of a registry's.
build() {
    export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
    local container
    container=$(buildah from scratch)
    buildah add -q "$container" /base.tar /
    buildah commit -q --rm "$container" debian
    buildah build --quiet --build-arg BASE=localhost/debian -t pumice -f packaging/oci/Containerfile .
    container=$(buildah from localhost/pumice)
    buildah run "$container" -- clinfo -l | grep 'Device #0: llvmpipe'
    buildah copy -q "$container" tests/cl /tests
    buildah run "$container" -- env PUMICE_CACHE=0 pumice run /tests/structs.cl /tests/control.cl
}

# What is in an image needs no removal.
try() { :; }
