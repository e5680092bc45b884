"""UFO's filters (tomography), most of which read images with samplers.

It has no code for the CPU. What a filter should give is computed here: texels are weighed as OpenCL C 3.0, 8.2 says, in double.
PoCL 3.1 makes none of the images that UFO asks for, so it is a second opinion only on what uses buffers. The filter detect-edge is
left out: it releases its kernel twice at the end."""
import os

import cv2
import numpy

import frame
import photos

NAME = 'UFO'
PACKAGES = ['libufo-bin', 'ufo-filters', 'python3-opencv', 'python3-skimage']
NEEDS = ['ufo-launch']

SIZE = 256
ANGLE, FACTOR, PROJECTIONS = 0.4, 1.7, 180


def picture(folder):
    path = os.path.join(folder, 'gray.tif')
    if not os.path.exists(path):
        gray = cv2.cvtColor(cv2.imread(photos.photo(folder)), cv2.COLOR_BGR2GRAY)
        cv2.imwrite(path, cv2.resize(gray, (SIZE, SIZE), interpolation=cv2.INTER_AREA).astype(numpy.float32) / 255)
    return path


def linear(data, x, y, edge):
    """A linear read at unnormalised coordinates; edge: of CLAMP_TO_EDGE, else the border is 0."""
    x, y = x - 0.5, y - 0.5
    i, j = numpy.floor(x).astype(int), numpy.floor(y).astype(int)
    a, b = x - i, y - j

    def texel(i, j):
        inside = (i >= 0) & (i < data.shape[1]) & (j >= 0) & (j < data.shape[0])
        value = data[numpy.clip(j, 0, data.shape[0] - 1), numpy.clip(i, 0, data.shape[1] - 1)]
        return value if edge else numpy.where(inside, value, 0.0)
    return ((1 - a) * (1 - b) * texel(i, j) + a * (1 - b) * texel(i + 1, j) + (1 - a) * b * texel(i, j + 1) + a * b * texel(i + 1, j + 1))


def grid(width, height):
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float64)
    return x, y


def rotated(data):
    x, y = (c - SIZE / 2 + 0.5 for c in grid(SIZE, SIZE))
    s, c = -numpy.sin(ANGLE), numpy.cos(ANGLE)
    return linear(data, c * x - s * y + SIZE / 2, s * x + c * y + SIZE / 2, False)


def rescaled(data):
    size = int(SIZE * FACTOR)
    x, y = grid(size, size)
    return linear(data, (x + 0.5) / FACTOR, (y + 0.5) / FACTOR, True)


def projected(data):
    """Sums along lines, as /usr/share/ufo/forwardproject.cl has them."""
    axis, step = SIZE / 2, numpy.pi / PROJECTIONS
    out = numpy.zeros((PROJECTIONS, SIZE))
    d = numpy.arange(SIZE) - axis + 0.5
    length = numpy.sqrt(4 * axis * axis - 4 * d * d)
    for k in range(PROJECTIONS):
        dx, dy = numpy.cos(k * step), numpy.sin(k * step)
        nx, ny = dy, -dx
        x, y = d * dx - length / 2 * nx + axis, d * dy - length / 2 * ny + axis
        for i in range(int(numpy.ceil(length.max()))):
            out[k] += numpy.where(i < length, linear(data, x + i * nx, y + i * ny, False), 0.0)
    return out


def case(folder, name, words, reference, bound, second):
    def run(where, out):
        if where == frame.CPU:
            numpy.save(out + '.npy', reference(cv2.imread(picture(folder), cv2.IMREAD_UNCHANGED).astype(numpy.float64)))
            return out + '.npy'
        frame.command(where, ['ufo-launch', '-q', 'read', 'path=' + picture(folder), '!'] + words.split() + ['!', 'write', 'filename=' + out + '.tif'],
                      {'UFO_DEVICE_TYPE': 'cpu'})
        return out + '.tif'

    def load(path):
        return numpy.load(path) if path.endswith('.npy') else cv2.imread(path, cv2.IMREAD_UNCHANGED).astype(numpy.float64)
    return frame.Case(name, run, load, bound, second)


def reconstruction(folder):
    """Projections, filtered and projected back: inside the circle the picture comes back, but for its mean and scale."""
    circle = numpy.hypot(*(c - SIZE / 2 + 0.5 for c in grid(SIZE, SIZE))) < 110
    words = ('forwardproject number=%d ! fft dimensions=1 ! filter ! ifft dimensions=1 crop-width=%d ! backproject axis-pos=%d'
             % (PROJECTIONS, SIZE, SIZE // 2))

    inner = case(folder, 'reconstruction', words, lambda data: data, (0.2, 0.1), None)

    def load(path):
        data = inner_load(path)[circle]
        return numpy.array([(data - data.mean()) / data.std()])
    inner_load, inner.load = inner.load, load
    inner.cpu = (2.5, 0.15)
    return inner


def cases(folder):
    yield case(folder, 'rotate', 'rotate angle=%g' % ANGLE, rotated, (0.001, 0.00001), None)
    yield case(folder, 'rescale', 'rescale factor=%g' % FACTOR, rescaled, (0.001, 0.00001), None)
    yield case(folder, 'forwardproject', 'forwardproject number=%d' % PROJECTIONS, projected, (0.8, 0.005), None)
    yield reconstruction(folder)
    yield case(folder, 'blur', 'blur', None, None, (0.00001, 0.000001))
    yield case(folder, 'median-filter', 'median-filter', None, None, (0, 0))
