"""GEGL's operations with OpenCL and without: those that have a kernel of their own, by the gegl command.

Most have a bound of one step of 8 bits. Where the two ways do different things the bound against the CPU is wider, and only the
other OpenCL driver's result is expected to be equal."""
import frame
import photos

NAME = 'GEGL'
PACKAGES = ['gegl', 'python3-opencv', 'python3-skimage']
NEEDS = ['gegl']

# operation: (its properties, bound against the CPU's, bound against the other driver's if it is another). motion-blur-circular takes
# the nearest of neighbours by sin() and cos(), and so differs in some pixels between any two of them. c2g is not here: its samples are random.
OPERATIONS = {
    'alien-map': ('', (1, 0.01)),
    'bilateral-filter': ('blur-radius=4 edge-preservation=8', (1, 0.01)),
    'box-blur': ('radius=6', (1, 0.01)),
    'brightness-contrast': ('brightness=0.1 contrast=1.3', (1, 0.01)),
    'color-exchange': ('from-color=rgb(0.3,0.2,0.1) to-color=rgb(0,0,1) red-threshold=0.2', (1, 0.01)),
    'color-temperature': ('intended-temperature=4000', (1, 0.01)),
    'contrast-curve': ('', (1, 0.01)),
    'edge-laplace': ('', (1, 0.01)),
    'exposure': ('exposure=0.7', (1, 0.01)),
    'gaussian-blur-selective': ('blur-radius=4 max-delta=0.2', (13, 0.02)),
    'gblur-1d': ('std-dev=4', (1, 0.01)),
    'high-pass': ('', (1, 0.01)),
    'hue-chroma': ('hue=40 chroma=10', (13, 0.0001)),
    'invert-linear': ('', (1, 0.01)),
    'levels': ('in-low=0.1 in-high=0.8', (1, 0.01)),
    'mono-mixer': ('red=0.5 green=0.3 blue=0.2', (1, 0.01)),
    'motion-blur-circular': ('angle=8', (255, 0.03), (75, 0.001)),
    'motion-blur-linear': ('length=12 angle=30', (1, 0.01)),
    'noise-hsv': ('', (1, 0.01)),
    'noise-hurl': ('', (1, 0.01)),
    'noise-reduction': ('iterations=4', (64, 0.4)),
    'oilify': ('mask-radius=3', (192, 2)),
    'opacity': ('value=0.5', (1, 0.01)),
    'pixelize': ('size-x=7 size-y=5', (1, 0.01)),
    'posterize': ('levels=5', (1, 0.01)),
    'red-eye-removal': ('', (70, 0.003)),
    'shadows-highlights': ('shadows=50 highlights=-40', (1, 0.01)),
    'snn-mean': ('radius=4', (110, 1)),
    'stretch-contrast': ('', (1, 0.01)),
    'texturize-canvas': ('', (1, 0.01)),
    'threshold': ('value=0.4', (1, 0.01)),
    'unsharp-mask': ('', (1, 0.01)),
    'value-invert': ('', (1, 0.01)),
    'video-degradation': ('', (1, 0.01)),
    'vignette': ('', (1, 0.01)),
}


def case(folder, name):
    properties, cpu, second = (OPERATIONS[name] + ((1, 0.01),))[:3]

    def run(where, out):
        frame.command(where, ['gegl', photos.photo(folder), '-o', out + '.png', '--', 'gegl:' + name] + properties.split(),
                      {'GEGL_USE_OPENCL': 'no' if where == frame.CPU else 'cpu'})
        return out + '.png'
    return frame.Case(name, run, frame.picture, cpu, second)


def cases(folder):
    for name in OPERATIONS:
        yield case(folder, name)
