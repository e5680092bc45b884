#!/usr/bin/env python3
"""make_wheel.py LIBRARY FOLDER: puts a built libpumice.so.1 into FOLDER/pumice_opencl-VERSION-py3-none-TAG.whl.

The tag states the oldest glibc that has all functions which the library takes (PEP 600), and the processor. A library
that needs more than a glibc is refused. -Dpacked-relocations=disabled makes the tag older: ld.so takes packed ones from
2.36 on.

The driver lies in the package pumice_opencl. PyOpenCL's own wheels bring ocl-icd as pyopencl/.libs/libOpenCL*.so, with a
change that has it read the *.icd of that folder, too. So a file there leads to the driver; ld.so puts the folder of
libOpenCL for $ORIGIN. Equal libraries give equal wheels: files are stored in order, with the time SOURCE_DATE_EPOCH."""
import base64
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OF_GLIBC = {'libc.so.6', 'libm.so.6', 'libdl.so.2', 'libpthread.so.0', 'librt.so.1'}
PROCESSORS = {'Advanced Micro Devices X86-64': 'x86_64', 'AArch64': 'aarch64', 'RISC-V': 'riscv64'}
METADATA = """Metadata-Version: 2.1
Name: pumice-opencl
Version: {version}
Summary: OpenCL on every GPU that speaks Vulkan
License: Apache-2.0
Requires-Python: >=3.6
Description-Content-Type: text/markdown

An OpenCL driver on top of Vulkan. It needs libvulkan.so.1 and a Vulkan driver of the system; without them it is there
and has no device. PyOpenCL's wheels find it by themselves; `pumice_opencl.use()` is for other loaders.
"""
# pip removes folders that hold nothing but files of the package, and only if one lies in them directly. An empty folder
# pyopencl would be a module to Python.
MARK = b'With this file, pip removes the folder pyopencl together with pumice-opencl where there is no PyOpenCL.\n'


def readelf(option, library):
    return subprocess.check_output(['readelf', '--wide', option, library], text=True, env={**os.environ, 'LC_ALL': 'C'})


def platform_tag(library):
    """manylinux_2_N_PROCESSOR of the oldest glibc on which the library can be loaded."""
    strangers = [name for name in re.findall(r'NEEDED.*\[(.*)\]', readelf('--dynamic', library))
                 if name not in OF_GLIBC and not name.startswith('ld-linux')]
    if strangers:
        sys.exit('make_wheel.py: the library needs ' + ', '.join(strangers))
    versions = readelf('--version-info', library)
    newest = max(int(minor) for minor in re.findall(r'GLIBC_2\.(\d+)', versions))
    if 'GLIBC_ABI_DT_RELR' in versions:
        newest = max(newest, 36)
    machine = re.search(r'Machine: +(.*)', readelf('--file-header', library))[1]
    return f'manylinux_2_{newest}_{PROCESSORS[machine]}'


def stripped(library, folder):
    copy = os.path.join(folder, '.libpumice.so.1')
    subprocess.check_call(['strip', '--strip-unneeded', '-o', copy, library])
    content = read(copy)
    os.remove(copy)
    return content


def read(name):
    with open(name, 'rb') as file:
        return file.read()


def files_of(library, folder, version, tag):
    info = f'pumice_opencl-{version}.dist-info/'
    wheel = f'Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n'
    files = {'pumice_opencl/' + name: read(os.path.join(HERE, 'pumice_opencl', name))
             for name in ('__init__.py', '__main__.py')}
    files['pumice_opencl/libpumice.so.1'] = stripped(library, folder)
    files['pyopencl/.pumice'] = MARK
    files['pyopencl/.libs/pumice.icd'] = b'$ORIGIN/../../pumice_opencl/libpumice.so.1\n'
    files[info + 'LICENSE'] = read(os.path.join(ROOT, 'LICENSE'))
    files[info + 'METADATA'] = METADATA.format(version=version).encode()
    files[info + 'WHEEL'] = wheel.encode()
    record = ''
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()
        record += f'{name},sha256={digest},{len(content)}\n'
    files[info + 'RECORD'] = (record + info + 'RECORD,,\n').encode()
    return files


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split(':')[0])
    library, folder = sys.argv[1:]
    version = re.search(rb"^  version: '(.*)'", read(os.path.join(ROOT, 'meson.build')), re.MULTILINE)[1].decode()
    tag = platform_tag(library)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f'pumice_opencl-{version}-py3-none-{tag}.whl')
    # zip's years begin with 1980
    when = time.gmtime(max(int(os.environ.get('SOURCE_DATE_EPOCH', '0')), 315532800))[:6]
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, content in files_of(library, folder, version, tag).items():
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100755 if '.so.' in name else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    print(path)


if __name__ == '__main__':
    main()
