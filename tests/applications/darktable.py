"""darktable's modules with OpenCL and without, on a raw photograph that is made here.

Each case develops the same raw file with one module switched on. The module's parameters are its defaults, which its plug-in tells
(darktable's "introspection"), but for those that are given here, since many modules do nothing by default. The history that
darktable-cli needs is an XMP file beside the picture. That OpenCL did the work is read in darktable's own log."""
import base64
import ctypes
import glob
import os
import re
import struct
import subprocess
import zlib

import cv2
import numpy

import frame
import photos

NAME = 'darktable'
PACKAGES = ['darktable', 'python3-opencv', 'python3-skimage']
NEEDS = ['darktable-cli', 'darktable-cltest']

LIBRARY = '/usr/lib/x86_64-linux-gnu/darktable'

# module: fields that get other values than the defaults (a number for all elements, or a list)
MODULES = {
    'atrous': {'y': [0.5, 0.6, 0.55, 0.4, 0.5, 0.7]},
    'ashift': {'rotation': 3.0, 'lensshift_v': 0.1},
    'bilat': {'detail': 1.5, 'mode': 1},
    'bilat, bilateral grid': {'detail': 1.0, 'mode': 0, 'sigma_r': 30.0, 'sigma_s': 30.0},
    'basicadj': {'exposure': 0.3, 'contrast': 0.2, 'saturation': 0.3, 'hlcompr': 40.0},
    'bloom': {},
    'blurs': {},
    'blurs, motion': {'type': 1},
    'borders': {},
    'channelmixer': {'red': [0, 0, 0, 0.8, 0.1, 0, 0.2], 'green': [0, 0, 0, 0.1, 0.9, 0, 0.5], 'blue': [0, 0, 0, 0, 0.1, 1, 0.3]},
    'channelmixerrgb': {'saturation': [0.1, 0.2, 0.1, 0], 'illuminant': 3, 'temperature': 4300.0},
    'colisa': {'contrast': 0.3, 'brightness': 0.2, 'saturation': 0.3},
    'colorbalance': {'lift': [1.0, 1.02, 1.0, 0.98], 'gamma': [1.0, 0.9, 1.0, 1.1], 'gain': [1.0, 1.1, 1, 0.9], 'saturation': 1.2},
    'colorbalancergb': {'chroma_global': 0.2, 'saturation_shadows': 0.2, 'vibrance': 0.3, 'contrast': 0.2},
    'colorcontrast': {'a_steepness': 1.5, 'b_steepness': 0.7},
    'colorcorrection': {'hia': 5.0, 'hib': -4.0, 'loa': -5.0, 'lob': 3.0, 'saturation': 1.3},
    'colorize': {},
    'colorreconstruct': {'threshold': 60.0},
    'crop': {'cx': 0.1, 'cy': 0.1, 'cw': 0.8, 'ch': 0.7},
    'denoiseprofile': {'a': 0.001, 'b': 0.00001, 'mode': 3},
    'denoiseprofile, non-local means': {'a': 0.001, 'b': 0.00001, 'mode': 0},
    'diffuse': {'iterations': 3, 'first': -0.5, 'second': 0.3, 'radius': 8},
    'exposure': {'exposure': 0.7, 'black': 0.002},
    'filmicrgb': {},
    'filmicrgb, reconstruction': {'white_point_source': 1.0, 'reconstruct_threshold': -1.0},
    'globaltonemap': {'operator': 1},
    'globaltonemap, drago': {'operator': 2, 'detail': 1.0},
    'graduatednd': {'density': 2.0, 'rotation': 20.0},
    'hazeremoval': {'strength': 0.5},
    'highlights': {'mode': 0, 'clip': 0.7},
    'highlights, LCh': {'mode': 1, 'clip': 0.7},
    'highpass': {},
    'lens': {},
    'levels': {'levels': [0.05, 0.4, 0.9]},
    'liquify': {},
    'lowpass': {},
    'lowpass, bilateral': {'lowpass_algo': 1},
    'monochrome': {},
    'negadoctor': {},
    'nlmeans': {},
    'relight': {'ev': 0.8, 'width': 4.0},
    'rgbcurve': {},
    'rgblevels': {'levels': [0.05, 0.4, 0.9]},
    'shadhi': {},
    'shadhi, bilateral': {'shadhi_algo': 1},
    'sharpen': {'amount': 2.0},
    'soften': {},
    'splittoning': {'shadow_hue': 0.6, 'highlight_hue': 0.1},
    'temperature': {'red': 2.1, 'green': 1.0, 'blue': 1.4},
    'velvia': {'strength': 60.0},
    'vibrance': {'amount': 60.0},
    'vignette': {},
    'zonesystem': {'zone': [0.0, 0.1, -1.0, -1, 0.6]},
    'demosaic, PPG': {'demosaicing_method': 0},
    'demosaic, VNG4': {'demosaicing_method': 2},
    'demosaic, RCD': {'demosaicing_method': 5},
    'demosaic, passthrough': {'demosaicing_method': 4},
    'demosaic, colour smoothing': {'demosaicing_method': 0, 'color_smoothing': 3, 'green_eq': 3},
}

# Those that need a raw photograph; the others get a picture, so that only their own work is compared.
RAW = {'demosaic', 'highlights', 'temperature', 'rawprepare'}

# The largest and the mean difference that is taken for equal, in 1/255. darktable builds its kernels with -cl-fast-relaxed-math.
BOUND = (1.1, 0.05)
# What darktable's two ways do differently in themselves (another order of sums, other edges, other roundings before a decision): the
# bound against the CPU. The other driver's result decides there.
CPU_BOUNDS = {
    'ashift': (225, 0.06), 'bloom': (12, 1.6), 'colorreconstruct': (9, 0.5), 'denoiseprofile': (22, 0.4),
    'denoiseprofile, non-local means': (16, 0.2), 'filmicrgb, reconstruction': (2, 0.06), 'highlights': (20, 0.01),
    'highlights, LCh': (20, 0.01), 'highpass': (75, 1.1), 'nlmeans': (14, 0.1), 'sharpen': (142, 0.5), 'soften': (19, 0.1),
    'temperature': (11, 0.01), 'vignette': (9, 0.8), 'demosaic, PPG': (6, 0.01), 'demosaic, RCD': (11, 0.01),
    'demosaic, colour smoothing': (115, 0.2),
}
SECOND_BOUNDS = {'highlights': (2, 0.001)}   # one pixel, at the edge of what counts as clipped

XMP = '''<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="5" darktable:raw_params="0"
 darktable:auto_presets_applied="1" darktable:iop_order_version="4" darktable:history_end="%d">
<darktable:history><rdf:Seq>%s</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>
'''
STEP = '''<rdf:li darktable:num="%d" darktable:operation="%s" darktable:enabled="1" darktable:modversion="%d" darktable:params="%s"
 darktable:multi_name="" darktable:multi_priority="0"/>'''


# ---- a raw photograph ----

def write_dng(path, mosaic):
    """A DNG of one plane of 16 bits, with the filters RGGB."""
    height, width = mosaic.shape
    pixels = mosaic.astype('<u2').tobytes()
    matrix = [3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.2040, 1.0570]
    short, long, rational, signed, text, byte = 3, 4, 5, 10, 2, 1

    def fractions(values):
        return [part for value in values for part in (int(round(value * 10000)), 10000)]
    tags = [
        (254, long, [0]), (256, long, [width]), (257, long, [height]), (258, short, [16]), (259, short, [1]),
        (262, short, [32803]), (271, text, b'Pumice\0'), (272, text, b'Test\0'), (273, long, [None]), (274, short, [1]),
        (277, short, [1]), (278, long, [height]), (279, long, [len(pixels)]), (284, short, [1]), (33421, short, [2, 2]),
        (33422, byte, bytes([0, 1, 1, 2])), (50706, byte, bytes([1, 4, 0, 0])), (50707, byte, bytes([1, 1, 0, 0])),
        (50708, text, b'Pumice Test\0'), (50714, short, [512]), (50717, long, [16383]),
        (50721, signed, fractions(matrix)), (50728, rational, fractions([0.5, 1.0, 0.7])), (50778, short, [21]),
    ]
    sizes = {byte: 1, text: 1, short: 2, long: 4, rational: 8, signed: 8}
    formats = {short: 'H', long: 'I', rational: 'I', signed: 'i'}
    data_at = 8 + 2 + 12 * len(tags) + 4
    entries, data, pending = b'', b'', None
    for tag, kind, values in tags:
        if values == [None]:
            packed, count, pending = b'\0\0\0\0', 1, len(entries) + 8
        elif isinstance(values, bytes):
            packed, count = values, len(values)
        else:
            packed = struct.pack('<%d%s' % (len(values), formats[kind]), *values)
            count = len(packed) // sizes[kind]
        if len(packed) > 4:
            place = data_at + len(data)
            data += packed + b'\0' * (len(packed) % 2)
            packed = struct.pack('<I', place)
        entries += struct.pack('<HHI', tag, kind, count) + packed.ljust(4, b'\0')
    entries = entries[:pending] + struct.pack('<I', data_at + len(data)) + entries[pending + 4:]
    with open(path, 'wb') as file:
        file.write(b'II*\0' + struct.pack('<I', 8) + struct.pack('<H', len(tags)) + entries + b'\0\0\0\0' + data + pixels)


def raw_photo(folder):
    path = os.path.join(folder, 'photo.dng')
    if not os.path.exists(path):
        rgb = cv2.imread(photos.photo(folder))[:, :, ::-1].astype(numpy.float64) / 255
        linear = numpy.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) * [0.5, 1.0, 0.7]
        mosaic = linear[:, :, 1].copy()
        mosaic[0::2, 0::2] = linear[0::2, 0::2, 0]
        mosaic[1::2, 1::2] = linear[1::2, 1::2, 2]
        noise = numpy.random.RandomState(2).normal(0, 0.004, mosaic.shape)
        write_dng(path, numpy.clip((mosaic + noise) * 15000 + 512, 0, 16383))
    return path


# ---- parameters ----

class Header(ctypes.Structure):
    _fields_ = [('type', ctypes.c_int), ('type_name', ctypes.c_char_p), ('name', ctypes.c_char_p),
                ('field_name', ctypes.c_char_p), ('description', ctypes.c_char_p), ('size', ctypes.c_size_t),
                ('offset', ctypes.c_size_t), ('so', ctypes.c_void_p)]


class Array(ctypes.Structure):
    _fields_ = [('header', Header), ('count', ctypes.c_size_t), ('type', ctypes.c_int), ('field', ctypes.POINTER(Header))]


class Field(ctypes.Union):
    _fields_ = [('header', Header), ('array', Array), ('padding', ctypes.c_char * (ctypes.sizeof(Header) + 24))]


class Introspection(ctypes.Structure):
    _fields_ = [('api_version', ctypes.c_int), ('params_version', ctypes.c_int), ('type_name', ctypes.c_char_p),
                ('size', ctypes.c_size_t)]


# enum dt_introspection_type_t: how a value is packed, and where the default lies behind the header
KINDS = {2: ('f', 8), 3: ('d', 16), 5: ('b', 2), 6: ('b', 2), 7: ('B', 2), 8: ('h', 4), 9: ('H', 4), 10: ('i', 8),
         11: ('I', 8), 12: ('q', 16), 13: ('Q', 16), 14: ('i', 0), 16: ('i', 16)}
KIND_ARRAY = 15


def read_parameters(operation):
    """(version, default parameters, {field: (offset, format, count)}) of a module."""
    plugin = ctypes.CDLL('%s/plugins/lib%s.so' % (LIBRARY, operation))
    plugin.introspection_init(ctypes.byref(ctypes.create_string_buffer(65536)), 8)
    plugin.get_introspection.restype = ctypes.POINTER(Introspection)
    plugin.get_introspection_linear.restype = ctypes.POINTER(Field)
    about, linear = plugin.get_introspection().contents, plugin.get_introspection_linear()
    blob, fields, i = bytearray(about.size), {}, 0
    while linear[i].header.type:
        field, header = linear[i], linear[i].header
        if header.type in KINDS:
            form, at = KINDS[header.type]
            default = ctypes.string_at(ctypes.addressof(field) + ctypes.sizeof(Header) + at, struct.calcsize(form))
            blob[header.offset:header.offset + len(default)] = default
            fields[header.name.decode()] = (header.offset, form, 1)
        elif header.type == KIND_ARRAY:
            # The element's default comes before the array's field, in the first element.
            size = field.array.field.contents.size
            blob[header.offset:header.offset + header.size] = \
                bytes(blob[header.offset:header.offset + size]) * (header.size // size)
            name = header.name.decode()
            inner = next((f for n, f in fields.items() if n.startswith(name + '[')), None)
            if inner:
                fields[name] = (header.offset, inner[1], header.size // struct.calcsize(inner[1]))
        i += 1
    return about.params_version, blob, fields


def parameters_main(operation):
    """Prints a module's parameters. Its own process: plug-ins need darktable's library among the global names."""
    ctypes.CDLL(LIBRARY + '/libdarktable.so', mode=ctypes.RTLD_GLOBAL)
    version, blob, fields = read_parameters(operation)
    print(repr((version, bytes(blob), fields)))


def parameters(operation):
    import sys
    text = subprocess.run([sys.executable, __file__, operation], stdout=subprocess.PIPE, check=True).stdout.decode()
    return eval(text)   # what parameters_main() printed


def step(number, operation, changes):
    version, blob, fields = parameters(operation)
    blob = bytearray(blob)
    for name, values in changes.items():
        offset, form, count = fields[name]
        values = values if isinstance(values, list) else [values] * count
        for i, value in enumerate(values):
            struct.pack_into('<' + form, blob, offset + i * struct.calcsize(form), value)
    return STEP % (number, operation, version, bytes(blob).hex())


# ---- running ----

# PoCL 3.1 does not find the headers of darktable's kernels by the options that darktable gives.
POCL = {'POCL_EXTRA_BUILD_FLAGS': '-I/usr/share/darktable/kernels'}


def configuration(folder, where):
    """A folder of darktable's settings, in which devices of the type CPU are taken."""
    path = os.path.join(folder, 'settings.' + where)
    if not os.path.isdir(path):
        os.makedirs(path)
        settings = os.path.join(path, 'darktablerc')
        # The first run disables devices of the type CPU (the eighth number of a device's line), the second one, seeing them,
        # measures them and finds that the processor is as fast.
        for _ in range(2):
            frame.command(where, ['darktable-cltest', '--configdir', path, '--cachedir', path], POCL)
            with open(settings) as file:
                text = file.read()
            text = re.sub(r'(?m)^(cldevice_v4_[^=]*=(?:\S+ ){7})1 ', r'\g<1>0 ', text)
            text = re.sub(r'(?m)^opencl=.*$', 'opencl=TRUE', text)
            text = re.sub(r'(?m)^opencl_mandatory_timeout=.*$', 'opencl_mandatory_timeout=20000', text)
            with open(settings, 'w') as file:
                file.write(text)
    return path


def develop(where, folder, source, history, out):
    settings = configuration(folder, where)
    words = ['darktable-cli', source] + ([history] if history else []) + [out]
    words += ['--core', '--configdir', settings, '--cachedir', settings, '--library', ':memory:', '-d', 'opencl', '-d', 'perf',
              '--conf', 'plugins/imageio/format/png/bpp=16']
    if where == frame.CPU:
        words.append('--disable-opencl')
    if os.path.exists(out):
        os.remove(out)
    return frame.command(where, words, POCL)


def module_case(folder, name):
    operation = name.partition(',')[0]
    history = os.path.join(folder, re.sub(r'[^a-zA-Z0-9]+', '_', name) + '.xmp')
    source = raw_photo(folder) if operation in RAW else photos.photo(folder)

    def run(where, out):
        if not os.path.exists(history):
            with open(history, 'w') as file:
                file.write(XMP % (1, step(0, operation, MODULES[name])))
        log = develop(where, folder, source, history, out + '.png')
        processed = re.findall(r"processed `(.+?)' on (\w+)", log)
        if where != frame.CPU and len([0 for _, place in processed if place == 'GPU']) < 3:
            raise frame.Failure('OpenCL did not do the work: ' + ', '.join('%s by %s' % pair for pair in processed))
        return out + '.png'
    return frame.Case(name, run, frame.picture, CPU_BOUNDS.get(name, BOUND), SECOND_BOUNDS.get(name, BOUND))


def cases(folder):
    for name in MODULES:
        yield module_case(folder, name)


if __name__ == '__main__':
    import sys
    parameters_main(sys.argv[1])
