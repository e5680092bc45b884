"""OpenCV's functions on UMat (OpenCL) beside the same functions on Mat (the CPU).

Each case is its own process of this file, which saves the result as an array. PyrLK, HOG and linear resizing use images."""
import os
import sys

import numpy

import frame

NAME = 'OpenCV'
PACKAGES = ['python3-opencv', 'python3-skimage']
NEEDS = ['/usr/bin/python3']

STEP = (1, 0.01)
FLOAT = (0.001, 0.00001)

# name: (bound against the CPU's result, what is computed from the photographs a and b, the grey g and h, and floats f)
FUNCTIONS = {
    'resize, linear': (STEP, lambda cv2, p: cv2.resize(p['a'], (423, 311), interpolation=cv2.INTER_LINEAR)),
    'resize, area': (STEP, lambda cv2, p: cv2.resize(p['a'], (200, 133), interpolation=cv2.INTER_AREA)),
    'resize, nearest': ((0, 0), lambda cv2, p: cv2.resize(p['a'], (911, 512), interpolation=cv2.INTER_NEAREST)),
    'resize, float': (FLOAT, lambda cv2, p: cv2.resize(p['f'], (423, 311), interpolation=cv2.INTER_LINEAR)),
    'warpAffine': (STEP, lambda cv2, p: cv2.warpAffine(p['a'], numpy.float32([[0.9, -0.2, 40], [0.2, 0.9, -20]]), (600, 400))),
    'warpPerspective': (STEP, lambda cv2, p: cv2.warpPerspective(
        p['a'], numpy.float32([[0.9, -0.2, 40], [0.2, 0.9, -20], [0.0003, 0.0001, 1]]), (600, 400))),
    'GaussianBlur': (STEP, lambda cv2, p: cv2.GaussianBlur(p['a'], (9, 9), 2.5)),
    'bilateralFilter': (STEP, lambda cv2, p: cv2.bilateralFilter(p['a'], 9, 40, 5)),
    'medianBlur': ((0, 0), lambda cv2, p: cv2.medianBlur(p['a'], 5)),
    'filter2D': (STEP, lambda cv2, p: cv2.filter2D(p['a'], -1, numpy.float32([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]))),
    'Sobel': (FLOAT, lambda cv2, p: cv2.Sobel(p['g'], cv2.CV_32F, 1, 1)),
    'Laplacian': ((0, 0), lambda cv2, p: cv2.Laplacian(p['g'], cv2.CV_16S, ksize=5)),
    'Canny': ((0, 0), lambda cv2, p: cv2.Canny(p['g'], 60, 150)),
    'erode': ((0, 0), lambda cv2, p: cv2.erode(p['a'], numpy.ones((5, 3), numpy.uint8))),
    'morphologyEx': ((0, 0), lambda cv2, p: cv2.morphologyEx(p['a'], cv2.MORPH_GRADIENT, numpy.ones((3, 3), numpy.uint8))),
    'cvtColor, Lab': (STEP, lambda cv2, p: cv2.cvtColor(p['a'], cv2.COLOR_BGR2Lab)),
    'cvtColor, HSV': (STEP, lambda cv2, p: cv2.cvtColor(p['a'], cv2.COLOR_BGR2HSV)),
    'cvtColor, YCrCb': (STEP, lambda cv2, p: cv2.cvtColor(p['a'], cv2.COLOR_BGR2YCrCb)),
    'equalizeHist': ((0, 0), lambda cv2, p: cv2.equalizeHist(p['g'])),
    'CLAHE': (STEP, lambda cv2, p: cv2.createCLAHE(3.0, (8, 8)).apply(p['g'])),
    'pyrDown': (STEP, lambda cv2, p: cv2.pyrDown(p['a'])),
    'pyrUp': (STEP, lambda cv2, p: cv2.pyrUp(p['a'])),
    'integral': ((0, 0), lambda cv2, p: cv2.integral(p['g'])),
    'matchTemplate': ((0.0001, 0.00001), lambda cv2, p: cv2.matchTemplate(p['g'], p['t'], cv2.TM_CCOEFF_NORMED)),
    'cornerHarris': ((0.0001, 0.00001), lambda cv2, p: cv2.cornerHarris(p['g'], 5, 3, 0.04)),
    'goodFeaturesToTrack': ((0.5, 0.01), lambda cv2, p: cv2.goodFeaturesToTrack(p['g'], 50, 0.05, 10)),
    'calcOpticalFlowPyrLK': ((0.1, 0.01), lambda cv2, p: cv2.calcOpticalFlowPyrLK(p['g'], p['h'], p['points'], None)[0]),
    'calcOpticalFlowFarneback': ((0.1, 0.001), lambda cv2, p: cv2.calcOpticalFlowFarneback(
        p['g'], p['h'], None, 0.5, 3, 15, 3, 5, 1.2, 0)),
    'HOGDescriptor': ((0.01, 0.001), lambda cv2, p: cv2.HOGDescriptor().compute(p['person'])),
    'fastNlMeansDenoising': (STEP, lambda cv2, p: cv2.fastNlMeansDenoising(p['small'], None, 10, 7, 15)),
    'dft': ((2.0, 0.01), lambda cv2, p: cv2.dft(p['f1'], flags=cv2.DFT_COMPLEX_OUTPUT)),
    'gemm': ((0.01, 0.001), lambda cv2, p: cv2.gemm(p['m'], p['m'], 0.5, p['m'], 2.0, flags=cv2.GEMM_2_T)),
    'exp and log': (FLOAT, lambda cv2, p: cv2.log(cv2.add(cv2.exp(p['f']), 1.0))),
    'pow': (FLOAT, lambda cv2, p: cv2.pow(p['f'], 0.45)),
    'cartToPolar': ((0.02, 0.001), lambda cv2, p: cv2.cartToPolar(p['f1'], p['f2'], angleInDegrees=True)[1]),
    'sum and norm': ((0.5, 0.5), lambda cv2, p: numpy.array(cv2.sumElems(p['a'])[:3] + (cv2.norm(p['f']),))),
    'meanStdDev': ((0.001, 0.001), lambda cv2, p: numpy.array([on_host(x) for x in cv2.meanStdDev(p['a'])])),
    'calcHist': ((0, 0), lambda cv2, p: cv2.calcHist([p['g']], [0], None, [64], [0, 256])),
    'threshold': ((0, 0), lambda cv2, p: cv2.threshold(p['g'], 100, 255, cv2.THRESH_TOZERO)[1]),
    'inRange': ((0, 0), lambda cv2, p: cv2.inRange(p['a'], (20, 40, 60), (180, 200, 220))),
    'addWeighted': (STEP, lambda cv2, p: cv2.addWeighted(p['a'], 0.3, p['c'], 0.6, 4)),
    'LUT': ((0, 0), lambda cv2, p: cv2.LUT(p['a'], numpy.arange(255, -1, -1).astype(numpy.uint8))),
    'flip and transpose': ((0, 0), lambda cv2, p: cv2.transpose(cv2.flip(p['a'], 1))),
    'copyMakeBorder': ((0, 0), lambda cv2, p: cv2.copyMakeBorder(p['a'], 7, 9, 11, 5, cv2.BORDER_REFLECT_101)),
    'ORB': ((0, 0), lambda cv2, p: cv2.ORB_create(200).detectAndCompute(p['g'], None)[1]),
}


def on_host(value):
    return value.get() if hasattr(value, 'get') else numpy.asarray(value)


def compute(name, opencl, photo, out):
    import cv2
    cv2.ocl.setUseOpenCL(opencl)
    if opencl and not cv2.ocl.useOpenCL():
        sys.exit('OpenCV uses no OpenCL')
    a = cv2.imread(photo)
    shifted = cv2.warpAffine(a, numpy.float32([[1, 0.01, 2.5], [-0.01, 1, -1.5]]), (a.shape[1], a.shape[0]),
                             borderMode=cv2.BORDER_REFLECT)
    g, h = (cv2.cvtColor(x, cv2.COLOR_BGR2GRAY) for x in (a, shifted))
    f = a.astype(numpy.float32) / 255
    p = {'a': a, 'c': shifted, 'g': g, 'h': h, 't': g[100:140, 200:250].copy(), 'f': f, 'f1': f[:, :, 0].copy(), 'f2': f[:, :, 1].copy(),
         'm': f[:200, :200, 0].copy(), 'person': g[:128, :64].copy(), 'small': g[:120, :160].copy()}
    p['points'] = cv2.goodFeaturesToTrack(g, 50, 0.05, 10)
    if opencl:
        p = {key: cv2.UMat(value) for key, value in p.items()}
    result = FUNCTIONS[name][1](cv2, p)
    numpy.save(out, on_host(result))
    if opencl:
        cv2.ocl.finish()


# What OpenCV's two ways do differently in themselves (fixed point, tables, another order): the bound against the CPU. The other
# driver's result decides there.
CPU_BOUNDS = {
    'resize, linear': (1, 0.2), 'warpPerspective': (2, 0.001), 'Canny': (255, 0.05), 'pyrUp': (1, 0.06), 'matchTemplate': (0.03, 0.0002),
    'calcOpticalFlowPyrLK': (4.5, 0.06), 'calcOpticalFlowFarneback': (2.5, 0.001), 'fastNlMeansDenoising': (1, 0.6),
    'cartToPolar': (0.5, 0.2), 'ORB': (255, 60),
}


def case(folder, name):
    import photos

    def run(where, out):
        words = ['/usr/bin/python3', __file__, name, '0' if where == frame.CPU else '1', photos.photo(folder), out + '.npy']
        frame.command(where, words, {'OPENCV_OPENCL_DEVICE': ':CPU:', 'OPENCV_OPENCL_CACHE_ENABLE': '0'})
        return out + '.npy'
    bound = FUNCTIONS[name][0]
    return frame.Case(name, run, frame.array, CPU_BOUNDS.get(name, bound), bound)


def cases(folder):
    for name in FUNCTIONS:
        yield case(folder, name)


if __name__ == '__main__':
    compute(sys.argv[1], sys.argv[2] == '1', sys.argv[3], sys.argv[4])
