# A Python wheel. PyOpenCL is Debian's, which takes the system's loader, so the module tells that one; how PyOpenCL's own wheels find the
# driver is said in wheel/make_wheel.py. No other driver is installed.
build() {
    meson setup output -Dtests=false -Dexamples=false -Dtools=false -Db_ndebug=true -Dpacked-relocations=disabled
    ninja -C output src/libpumice.so.1.0.0
    rm -f /packages/*.whl
    export SOURCE_DATE_EPOCH=0
    python3 packaging/wheel/make_wheel.py output/src/libpumice.so.1.0.0 /packages
    python3 packaging/wheel/make_wheel.py output/src/libpumice.so.1.0.0 /tmp
    cmp /tmp/*.whl /packages/*.whl
}

try() {
    echo "not tried: PyOpenCL's own wheel, which cannot be had"
    apt-get install -qy --no-install-recommends python3-pyopencl
    dpkg --purge --force-depends pocl-opencl-icd
    python3 -m venv --system-site-packages /environment
    install() { /environment/bin/pip install --no-index /packages/pumice_opencl-*.whl; }
    use() {
        PUMICE_CACHE=0 /environment/bin/python packaging/check/square.py
        OCL_ICD_VENDORS=$(/environment/bin/python -m pumice_opencl) kernels
    }
    remove() { /environment/bin/pip uninstall -y pumice-opencl; }
    traceless
}
