"""Photographs to work on: those of Debian's python3-skimage, or, without it, a picture that is computed."""
import os

import cv2
import numpy

FOLDER = '/usr/lib/python3/dist-packages/skimage/data'


def computed(width, height):
    """Rings of growing frequency, a ramp and noise: edges, smooth parts and detail, the same at every call."""
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float64)
    ring = numpy.sin((x - width / 3) ** 2 / 900 + (y - height / 2) ** 2 / 900)
    noise = numpy.random.RandomState(1).uniform(-12, 12, (height, width))
    planes = [128 + 100 * ring + noise, 255 * x / width + noise, 255 * ((x // 40 + y // 40) % 2)]
    return numpy.clip(numpy.stack(planes, axis=2), 0, 255).astype(numpy.uint8)


def photo(folder, name='coffee'):
    """The path of a PNG of 8-bit RGB."""
    path = os.path.join(FOLDER, name + '.png')
    if os.path.exists(path):
        return path
    path = os.path.join(folder, name + '.png')
    if not os.path.exists(path):
        cv2.imwrite(path, computed(600, 400))
    return path
