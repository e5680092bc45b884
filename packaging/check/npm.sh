# An npm package. No package for OpenCL from Node is taken: a program that Node starts uses the driver.
build() {
    meson setup output -Dtests=false -Dexamples=false -Db_ndebug=true
    ninja -C output src/libpumice.so.1.0.0 tools/pumice
    mkdir /package
    cp packaging/npm/* /package/
    strip --strip-unneeded -o /package/libpumice.so.1 output/src/libpumice.so.1.0.0
    rm -rf /packages/npm && mkdir /packages/npm
    cp -r /package /packages/npm/ && cp output/tools/pumice /packages/npm/
}

try() {
    apt-get install -qy --no-install-recommends npm
    npm pack --pack-destination /tmp /packages/npm/package
    mkdir /project && cd /project
    npm init --yes
    npm install --offline && rm -f package-lock.json # npm's own files of a project without packages
    install() { npm install --offline --no-package-lock --no-save /tmp/pumice-opencl-*.tgz; }
    use() {
        cat >/tmp/start.js <<'SCRIPT'
require('/project/node_modules/pumice-opencl').use()
process.exit(require('child_process').spawnSync(process.argv[2], process.argv.slice(3), { stdio: 'inherit' }).status)
SCRIPT
        node /tmp/start.js clinfo -l | grep 'Platform #0: Pumice'
        PUMICE_CACHE=0 node /tmp/start.js /packages/npm/pumice run /source/tests/cl/structs.cl
    }
    remove() { npm uninstall --offline --no-package-lock --no-save pumice-opencl && rm -rf node_modules; }
    traceless
}
