"""Programs and libraries that check their own results, or whose right answer is one line: a command and what it must print."""
import hashlib
import os
import sysconfig

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


def starpu(folder):
    """Its examples, with workers on OpenCL devices alone. Only those whose package has all that they need."""
    examples = '/usr/lib/%s/starpu/examples/' % (sysconfig.get_config_var('MULTIARCH') or '')
    workers = {'STARPU_NCPU': '0', 'STARPU_NCUDA': '0', 'STARPU_OPENCL_ON_CPUS': '1', 'STARPU_HOME': folder}
    for name, right in (('vector_scal', 'Computation is correct'), ('variable', 'result is correct'), ('incrementer', 'elems took')):
        yield Check(name, [examples + name], right, 'abort|rror', workers)


def hcxkeys(folder):
    """Master keys of WPA: the same as hashlib's."""
    for name, word in (('oak', 'password123'), ('a longer name of a network', 'correct horse battery staple')):
        right = hashlib.pbkdf2_hmac('sha1', word.encode(), name.encode(), 4096, 32).hex()
        yield Check(name, ['wlangenpmkocl', '-e', name, '-p', word], right)


WAVELETS = '''
import numpy, dtcwt
from dtcwt.opencl import Transform2d as Device
from dtcwt.numpy import Transform2d as Host
for shape in ((64, 64), (100, 60), (128, 32)):
    x = numpy.random.RandomState(1).rand(*shape).astype(numpy.float32)
    a, b = Device().forward(x, nlevels=3), Host().forward(x, nlevels=3)
    assert abs(a.lowpass - b.lowpass).max() < 1e-5, shape
    assert max(abs(p - q).max() for p, q in zip(a.highpasses, b.highpasses)) < 1e-5, shape
print('all right')
'''
SQUARES = '''
cl:start(), E = clu:setup(all), N = 1024,
{ok, P} = clu:build_source(E, "__kernel void sq(__global float *in, __global float *out, const unsigned int n) { int i = get_global_id(0); if (i < n) out[i] = in[i] * in[i]; }"),
Data = << <<(float(X)):32/native-float>> || X <- lists:seq(1, N) >>, D = byte_size(Data), C = clu:context(E),
{ok, In} = cl:create_buffer(C, [read_only], D), {ok, Out} = cl:create_buffer(C, [write_only], D),
{ok, Q} = cl:create_queue(C, hd(clu:device_list(E)), []), {ok, K} = cl:create_kernel(P, "sq"),
{ok, E1} = cl:enqueue_write_buffer(Q, In, 0, D, Data, []),
ok = cl:set_kernel_arg(K, 0, In), ok = cl:set_kernel_arg(K, 1, Out), ok = cl:set_kernel_arg(K, 2, {uint, N}),
{ok, E2} = cl:enqueue_nd_range_kernel(Q, K, [N], [], [E1]), {ok, E3} = cl:enqueue_read_buffer(Q, Out, 0, D, [E2]), cl:flush(Q),
{ok, Bin} = cl:wait(E3, 5000),
io:format("squares ~p~n", [[X || <<X:32/native-float>> <= Bin] == [float(X * X) || X <- lists:seq(1, N)]]), halt().
'''
ARRAYS = '''
import numpy, pygpu
from pygpu.reduction import ReductionKernel
from pygpu.tools import ArrayArg
context = pygpu.init('opencl0:0')
x = numpy.random.RandomState(1).rand(300, 200).astype('float32')
a, b = (pygpu.array(v, context=context, cls=pygpu.ndgpuarray) for v in (x, 2 * x))
assert numpy.allclose(numpy.asarray(a + b), 3 * x)
assert numpy.allclose(numpy.asarray(a * b - b / 4), 2 * x * x - x / 2, atol=1e-6)
total = ReductionKernel(context, numpy.dtype('float32'), '0', 'a+b', [True, False],
                        arguments=[ArrayArg(numpy.dtype('float32'), 'x')], map_expr='x[i]')
assert numpy.allclose(numpy.asarray(total(a)), x.sum(0), rtol=1e-4)
assert (numpy.asarray(a[10:200:3, ::-2].copy()) == x[10:200:3, ::-2]).all()
print('all right')
'''
RELIEF = '''
import ctypes, glob, numpy, sys
from osgeo import gdal
from qgis.core import QgsApplication, QgsSettings
folder, programs = sys.argv[1], b'/usr/share/qgis/resources/opencl_programs'
app = QgsApplication([], False, folder)
app.initQgis()
qt, core = ctypes.CDLL('libQt5Core.so.5'), ctypes.CDLL(glob.glob('/usr/lib/libqgis_core.so.*')[0])
text = ctypes.create_string_buffer(64) # a QString, for what Python's binding lacks
qt._ZN7QString15fromUtf8_helperEPKci(text, programs, len(programs))
core._ZN14QgsOpenClUtils13setSourcePathERK7QString(text)
from qgis.analysis import QgsAspectFilter, QgsHillshadeFilter, QgsRuggednessFilter, QgsSlopeFilter
y, x = numpy.mgrid[0:200, 0:300]
file = gdal.GetDriverByName('GTiff').Create(folder + '/z.tif', 300, 200, 1, gdal.GDT_Float32)
file.SetGeoTransform((0, 10, 0, 0, 0, -10))
file.GetRasterBand(1).WriteArray((50 * numpy.sin(x / 20.0) * numpy.cos(y / 15.0)).astype(numpy.float32))
file = None
for filter, more in ((QgsSlopeFilter, ()), (QgsAspectFilter, ()), (QgsRuggednessFilter, ()), (QgsHillshadeFilter, (300.0, 40.0))):
    results = []
    for device in (False, True):
        QgsSettings().setValue('OpenClEnabled', device, QgsSettings.Core)
        out = '%s/%d.tif' % (folder, device)
        assert filter(folder + '/z.tif', out, 'GTiff', *more).processRaster(None) == 0
        results.append(gdal.Open(out).ReadAsArray()[:-1]) # its two ways see different rows below the last one
    assert abs(results[0] - results[1]).max() < 1e-4, filter
print('all right')
'''

PROGRAMS = {
    'clinfo': Program('clinfo', ['clinfo'], ['clinfo'], lambda folder: [Check('all', ['clinfo'], 'Number of devices')]),
    'clblast': Program('CLBlast', ['libclblast1', 'clblast-tests'], ['clblast_test_xgemm'], clblast),
    'clfft': Program('clFFT', ['libclfft2', 'clfft-client'], ['clFFT-client'], clfft),
    'hashcat': Program('hashcat', ['hashcat'], ['hashcat'], hashcat),
    'compyle': Program('compyle', ['python3-compyle', 'python3-pyopencl', 'python3-pytest'], ['/usr/bin/python3'], lambda folder: [
        Check('its own tests', [PYTHON, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--pyargs', 'compyle', '-k', 'opencl'], r'\d+ passed', r'\d+ failed')]),
    'dtcwt': Program('dtcwt', ['python3-dtcwt', 'python3-pyopencl'], ['/usr/bin/python3'], lambda folder: [
        Check('beside its own code in NumPy', [PYTHON, '-c', WAVELETS], 'all right')]),
    'erlang-cl': Program('erlang-cl', ['erlang-cl', 'erlang-base'], ['erl'], lambda folder: [
        Check('squares', ['erl', '-noshell', '-eval', ' '.join(SQUARES.split('\n'))], 'squares true')]),
    'gpyfft': Program('gpyfft', ['python3-gpyfft', 'python3-pytest'], ['/usr/bin/python3'],
                      pytest('gpyfft', '/usr/lib/python3/dist-packages/gpyfft/test')),
    'hcxkeys': Program('hcxkeys', ['hcxkeys'], ['wlangenpmkocl'], hcxkeys),
    'pygpu': Program('libgpuarray', ['libgpuarray3', 'python3-pygpu'], ['/usr/bin/python3'], lambda folder: [
        Check('arrays beside NumPy', [PYTHON, '-c', ARRAYS], 'all right')]),
    'qgis': Program('QGIS', ['python3-qgis', 'python3-gdal'], ['/usr/bin/python3'], lambda folder: [
        Check('relief beside its own code', [PYTHON, '-c', RELIEF, folder], 'all right', None,
              {'QT_QPA_PLATFORM': 'offscreen', 'QGIS_PREFIX_PATH': '/usr', 'HOME': folder,
               'POCL_EXTRA_BUILD_FLAGS': '-I/usr/share/qgis/resources/opencl_programs'})]),
    'sasmodels': Program('sasmodels', ['python3-sasmodels', 'python3-pyopencl'], ['/usr/bin/python3'], lambda folder: [
        Check('all models', [PYTHON, '-m', 'sasmodels.model_test', '-v', 'opencl'], r'\nOK', 'FAILED')]),
    'starpu': Program('StarPU', ['starpu-examples'], [], starpu),
    'openmm': Program('OpenMM', ['libopenmm-plugins', 'python3-openmm'], ['/usr/bin/python3'], lambda folder: [
        Check('forces of three platforms', [PYTHON, '-m', 'openmm.testInstallation'], 'OpenCL - Successfully', 'exceed|Error')]),
    'silx': Program('silx', ['python3-silx', 'python3-pytest'], ['/usr/bin/python3'],
                    pytest('silx.opencl', '/usr/lib/python3/dist-packages/silx/opencl/test')),
    'vkfft': Program('pyvkfft', ['python3-pyvkfft', 'python3-pyopencl'], ['/usr/bin/python3'], lambda folder: [
        Check('transforms beside NumPy', [PYTHON, '-c', TRANSFORMS], 'all right')]),
}
