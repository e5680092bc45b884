"""Programs and libraries that check their own results, or whose right answer is one line: a command and what it must print."""
import os

import frame
from frame import Check

PYTHON = '/usr/bin/python3'
PASSWORD = 'password'
DIGESTS = {
    'MD5': ('0', '5f4dcc3b5aa765d61d8327deb882cf99'),
    'SHA-1': ('100', '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8'),
    'SHA-256': ('1400', '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8'),
    'SHA-512': ('1700', 'b109f3bbbc244eb82441917ed06d618b9008dd09b3befd1b5e07394c706a8bb980b1d7785e5976ec049b46df5f1326af5a2ea6d103fd07c95385ffab0cacbc86'),
}
TRANSFORMS = '''
import numpy, pyopencl, pyopencl.array
from pyvkfft.fft import fftn, ifftn
queue = pyopencl.CommandQueue(pyopencl.create_some_context(False))
for shape in ((64,), (100,), (13, 17), (32, 48, 20), (4096,)):
    x = (numpy.random.rand(*shape) + 1j * numpy.random.rand(*shape)).astype(numpy.complex64)
    there = fftn(pyopencl.array.to_device(queue, x))
    want = numpy.fft.fftn(x)
    assert abs(there.get() - want).max() < 1e-5 * abs(want).max(), shape
    assert abs(ifftn(there).get() - x).max() < 1e-5, shape
print('all right')
'''


class Program:
    def __init__(self, name, packages, needs, cases):
        self.NAME, self.PACKAGES, self.NEEDS, self.cases = name, packages, needs, cases


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def hashcat(folder):
    """Its kernels test themselves with a known hash first; then the password must be found."""
    words = write(folder, 'words.txt', 'hello\n%s\nabc\n' % PASSWORD)
    for name, (mode, digest) in DIGESTS.items():
        command = ['hashcat', '-m', mode, '-D', '1,2', '--force', '--potfile-disable', '--quiet', write(folder, name + '.txt', digest + '\n'), words]
        yield Check(name, command, digest + ':' + PASSWORD, 'Self-test failed|ATTENTION')


def clblast(folder):
    """Its tests beside CBLAS, without half: there the one of xamax compares indices that lie in a buffer of halfs."""
    for routine in ('xaxpy', 'xdot', 'xnrm2', 'xamax', 'xgemv', 'xger', 'xtrsv', 'xgemm', 'xsyrk', 'xtrsm', 'xgemmbatched', 'xconvgemm',
                    'xim2col', 'xomatcopy'):
        yield Check(routine, ['clblast_test_' + routine, '-precision', '32'], r'[1-9]\d* test\(s\) passed', r'[1-9]\d* test\(s\) failed',
                    {'PUMICE_DISABLE': 'fp16'})


def clfft(folder):
    for name, sizes in (('1024 x 64', '-x 1024 -y 64'), ('60 x 30 x 12, double', '-x 60 -y 30 -z 12 --double'),
                        ('2187, backward', '-x 2187 --inv')):
        yield Check(name, ['clFFT-client', '-p', '1'] + sizes.split(), r'Test \*+PASS', 'FAIL|mismatch')


def pytest(package, folder):
    command = [PYTHON, '-m', 'pytest', '-q', '--no-header', '-p', 'no:cacheprovider', folder]
    return lambda scratch: [Check(package, command, r'\d+ passed', r'\d+ failed|error')]


PROGRAMS = {
    'clinfo': Program('clinfo', ['clinfo'], ['clinfo'], lambda folder: [Check('all', ['clinfo'], 'Number of devices')]),
    'clblast': Program('CLBlast', ['libclblast1', 'clblast-tests'], ['clblast_test_xgemm'], clblast),
    'clfft': Program('clFFT', ['libclfft2', 'clfft-client'], ['clFFT-client'], clfft),
    'hashcat': Program('hashcat', ['hashcat'], ['hashcat'], hashcat),
    'openmm': Program('OpenMM', ['libopenmm-plugins', 'python3-openmm'], ['/usr/bin/python3'], lambda folder: [
        Check('forces of three platforms', [PYTHON, '-m', 'openmm.testInstallation'], 'OpenCL - Successfully', 'exceed|Error')]),
    'silx': Program('silx', ['python3-silx', 'python3-pytest'], ['/usr/bin/python3'],
                    pytest('silx.opencl', '/usr/lib/python3/dist-packages/silx/opencl/test')),
    'vkfft': Program('pyvkfft', ['python3-pyvkfft', 'python3-pyopencl'], ['/usr/bin/python3'], lambda folder: [
        Check('transforms beside NumPy', [PYTHON, '-c', TRANSFORMS], 'all right')]),
}
