"""FFmpeg's OpenCL filters beside its own of the same name.

Many pairs do not do quite the same (rounding, the picture's edge), so the bounds against the CPU's filters are wide where that
is so, and only the other OpenCL driver's result is expected to be equal, but for one step of rounding where exp() is used."""
import frame
import photos

NAME = 'FFmpeg'
PACKAGES = ['ffmpeg', 'python3-opencv', 'python3-skimage']
NEEDS = ['ffmpeg']

SHARPEN = '0 -1 0 -1 5 -1 0 -1 0'

# name: (OpenCL filter, the CPU's, pixel format, bound against the CPU's, bound against the other driver's)
FILTERS = {
    'avgblur': ('avgblur_opencl=3', 'avgblur=3', 'yuv420p', (13, 0.5), (0, 0)),
    'boxblur': ('boxblur_opencl=2:1', 'boxblur=2:1', 'yuv420p', (7, 0.01), (0, 0)),
    'convolution': ('convolution_opencl=%s:%s' % (SHARPEN, SHARPEN), 'convolution=%s:%s' % (SHARPEN, SHARPEN), 'yuv420p',
                    (62, 0.02), (0, 0)),
    'dilation': ('dilation_opencl', 'dilation', 'yuv420p', (0, 0), (0, 0)),
    'erosion': ('erosion_opencl', 'erosion', 'yuv420p', (0, 0), (0, 0)),
    'nlmeans': ('nlmeans_opencl=3', 'nlmeans=3', 'yuv420p', (110, 0.5), (1, 0.001)),
    'prewitt': ('prewitt_opencl', 'prewitt', 'yuv420p', (110, 0.4), (0, 0)),
    'roberts': ('roberts_opencl', 'roberts', 'yuv420p', (90, 0.3), (0, 0)),
    'sobel': ('sobel_opencl', 'sobel', 'yuv420p', (145, 0.4), (0, 0)),
    'transpose': ('transpose_opencl=1', 'transpose=1', 'yuv420p', (0, 0), (0, 0)),
    'transpose, rgba': ('transpose_opencl=2', 'transpose=2', 'rgba', (0, 0), (0, 0)),
    'unsharp': ('unsharp_opencl=5:5:1', 'unsharp=5:5:1', 'yuv420p', (12, 0.4), (1, 0.001)),
    'unsharp, rgba': ('unsharp_opencl=9:9:1', None, 'rgba', None, (1, 0.001)),
    'pad': ('pad_opencl=700:500:20:30:red', 'pad=700:500:20:30:red', 'yuv420p', (18, 4.5), (0, 0)),
    'colorkey': ('colorkey_opencl=red:0.3:0.1', None, 'rgba', None, (0, 0)),
}

OVERLAY = '[0]format=%(f)s,hwupload[a];[1]scale=450:300,format=%(f)s,hwupload[b];[a][b]%(n)s,hwdownload,format=%(f)s'
PROGRAM = '''const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
kernel void turn(write_only image2d_t dst, unsigned int index, read_only image2d_t src)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 size = convert_float2(get_image_dim(dst));
    if (at.x >= get_image_width(dst) || at.y >= get_image_height(dst))
        return;
    float2 p = (convert_float2(at) + 0.5f) / size - 0.5f;
    float c = cos(0.3f), n = sin(0.3f);
    write_imagef(dst, at, read_imagef(src, s, (float2)(c * p.x - n * p.y, n * p.x + c * p.y) * 1.7f + 0.5f));
}
'''
DEVICE = ['-init_hw_device', 'opencl=ocl:0.0', '-filter_hw_device', 'ocl']
OUTPUT = ['-f', 'rawvideo', '-pix_fmt']


def filter_case(folder, name):
    opencl, own, pixels, cpu, second = FILTERS[name]
    source = photos.photo(folder)

    def run(where, out):
        chain = 'format=%s,%s' % (pixels, own)
        if where != frame.CPU:
            chain = 'format=%s,hwupload,%s,hwdownload,format=%s' % (pixels, opencl, pixels)
        frame.command(where, ['ffmpeg', '-v', 'error', '-y'] + (DEVICE if where != frame.CPU else []) +
                      ['-i', source, '-vf', chain] + OUTPUT + [pixels, out])
    return frame.Case(name, run, frame.raw('uint8'), cpu, second)


def two_inputs(folder, name, opencl, own, cpu, second):
    sources = [photos.photo(folder), photos.photo(folder, 'chelsea')]

    def run(where, out):
        graph = OVERLAY % {'f': 'yuv420p', 'n': opencl}
        if where == frame.CPU:
            graph = '[0]format=yuv420p[a];[1]scale=450:300,format=yuv420p[b];[a][b]%s' % own
        frame.command(where, ['ffmpeg', '-v', 'error', '-y'] + (DEVICE if where != frame.CPU else []) +
                      ['-i', sources[0], '-i', sources[1], '-filter_complex', graph] + OUTPUT + ['yuv420p', out])
    return frame.Case(name, run, frame.raw('uint8'), cpu, second)


def video(folder, name, chain, pixels, second):
    """A filter that has no twin on the CPU, on a photograph that shakes."""
    shake = 'crop=320:240:100+20*sin(n):80+15*cos(1.7*n),' + chain

    def run(where, out):
        frame.command(where, ['ffmpeg', '-v', 'error', '-y'] + DEVICE +
                      ['-loop', '1', '-t', '1', '-r', '10', '-i', photos.photo(folder), '-vf', shake] + OUTPUT + [pixels, out])
    return frame.Case(name, run, frame.raw('uint16' if '10' in pixels else 'uint8'), None, second)


def cases(folder):
    for name in FILTERS:
        yield filter_case(folder, name)
    yield two_inputs(folder, 'overlay', 'overlay_opencl=40:60', 'overlay=40:60', (1, 0.1), (0, 0))
    path = folder + '/turn.cl'
    with open(path, 'w') as file:
        file.write(PROGRAM)
    yield video(folder, 'program_opencl, mirrored and linear',
                'format=rgba,hwupload,program_opencl=source=%s:kernel=turn,hwdownload,format=rgba' % path, 'rgba', (1, 0.001))
    yield video(folder, 'deshake', 'format=yuv420p,hwupload,deshake_opencl,hwdownload,format=yuv420p', 'yuv420p', (2, 0.001))
    for method in ('hable', 'mobius', 'reinhard', 'gamma', 'linear'):
        yield video(folder, 'tonemap, ' + method, 'format=p010,setparams=color_primaries=bt2020:color_trc=smpte2084:'
                    'colorspace=bt2020nc,hwupload,tonemap_opencl=tonemap=%s:t=bt2020:p=bt709:m=bt709:format=p010,'
                    'hwdownload,format=p010' % method, 'p010le', (64, 1))
