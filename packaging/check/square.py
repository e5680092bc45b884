# A kernel and arrays by PyOpenCL, on the driver that the wheel brings.
import pumice_opencl

pumice_opencl.use()
import numpy
import pyopencl as cl
import pyopencl.array

platform, = cl.get_platforms()
print(platform.name, platform.version)
assert platform.name == 'Pumice'
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
numbers = numpy.arange(1000, dtype=numpy.int32)
buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=numbers)
program = cl.Program(context, 'kernel void square(global int *n) { n[get_global_id(0)] *= n[get_global_id(0)]; }').build()
program.square(queue, numbers.shape, None, buffer)
result = numpy.empty_like(numbers)
cl.enqueue_copy(queue, result, buffer)
assert (result == numbers ** 2).all()

# Its arrays: an element-wise kernel and a reduction, whose result is exact in float.
halves = cl.array.arange(queue, 1000, dtype=numpy.float32) / 2
assert (halves.get() == numpy.arange(1000) / 2).all()
assert cl.array.sum(halves).get() == 249750
print('squares, halves and their sum are right')
