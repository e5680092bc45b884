# The commands of docs/containers.md, on the packages that `deb` made, where nothing but a bare Debian is.
build() {
    needs_debs
}

try() {
    cd /packages
    awk '/^```sh$/ { inside = 1; next } /^```$/ { exit } inside' /source/docs/containers.md >/tmp/commands
    [ "$(wc -l </tmp/commands)" -ge 5 ]
    bash -euxo pipefail /tmp/commands >/tmp/output
    cat /tmp/output
    grep 'Device #0: llvmpipe' /tmp/output
}
