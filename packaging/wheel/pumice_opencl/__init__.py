"""Pumice: OpenCL on every GPU that speaks Vulkan, for programs in Python.

A PyOpenCL that pip installed finds the driver by itself, beside the system's. For any other, this makes the driver the
only one of the process, if it comes before the first call of OpenCL:

    import pumice_opencl
    pumice_opencl.use()
    import pyopencl
"""
import os


def library():
    """The driver's path. Loaders open it, and no program links to it."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), 'libpumice.so.1')


def use():
    """Tells the OpenCL loaders of this process, and of those that it starts, to take this driver and no other."""
    os.environ['OCL_ICD_VENDORS'] = library()  # ocl-icd takes a library here, and Khronos' loader folders alone
    os.environ['OCL_ICD_FILENAMES'] = library()  # Khronos' loader
