#!/usr/bin/env python3
"""Wrappers of all entry points, for a process that is traced: gen_traced.py OUTPUT SOURCE...

For every function that a source defines with CL_API_ENTRY there is a wrapper that notes when the call began and ended. What is static in its
file goes by the name under which the file's table hands it out: {"clFooKHR", (void *)foo}. Its address is known only when somebody asks for
it, so all wrappers call through a pointer. traced.c includes the result."""
import os
import re
import sys

# What loaders ask for before there is any object; it is not worth a trace, and some of it must not look for devices.
UNTRACED = {'clIcdGetPlatformIDsKHR', 'clIcdGetFunctionAddressForPlatformKHR', 'clIcdSetPlatformDispatchDataKHR', 'clGetPlatformInfo',
            'clGetExtensionFunctionAddress', 'clGetExtensionFunctionAddressForPlatform'}
# Entry points that set no floating-point environment (base/float_env.h), which takes as long as some of them do: they answer from memory, count
# references, or record commands. What these lead to on the way, such as making pipelines and submitting, sets it there (vk/, thread_run()).
LIGHT = set("""
    clIcdGetPlatformIDsKHR clIcdGetFunctionAddressForPlatformKHR clIcdSetPlatformDispatchDataKHR clGetExtensionFunctionAddress
    clGetExtensionFunctionAddressForPlatform clGetPlatformIDs clUnloadCompiler clUnloadPlatformCompiler clGetHostTimer clGetEventInfo
    clRetainContext clRetainCommandQueue clRetainMemObject clRetainSampler clRetainProgram clRetainKernel clRetainEvent clReleaseEvent
    clRetainDevice clReleaseDevice clRetainDeviceEXT clReleaseDeviceEXT clCreateSubDevices clCreateSubDevicesEXT retain retain_semaphore
    clSetKernelArg clSetKernelArgSVMPointer clSetKernelArgMemPointerINTEL clSetKernelArgDevicePointerEXT
    clEnqueueNDRangeKernel clEnqueueTask enqueue update record_barrier
    clEnqueueReadBuffer clEnqueueWriteBuffer clEnqueueCopyBuffer clEnqueueFillBuffer
    clEnqueueSVMMemcpy clEnqueueSVMMemFill clEnqueueMemcpyINTEL clEnqueueMemFillINTEL
    clEnqueueMarkerWithWaitList clEnqueueBarrierWithWaitList clEnqueueMarker clEnqueueBarrier clEnqueueWaitForEvents
""".split())
LIGHT_FILES = ('interop.c',)  # refuses
DEFINITION = re.compile(r'^(?P<static>static )?(?:EXPORTED )?(?:CL_API_ENTRY (?P<type>[^()\n]+?)\s*CL_API_CALL|(?P<short>ENTRY)\((?P<inner>\w+)\))'
                        r'\s*(?P<name>\w+)\((?P<parameters>[^{};]*?)\)\s*\{', re.M)
MACRO = re.compile(r'^#define ([A-Z]+) (\w.*)$', re.M)
TYPEDEF = re.compile(r'^typedef .*\(CL_CALLBACK \*(\w+)\).*;$', re.M)
ROW = re.compile(r'\{"(cl\w+)", \(void \*\)(\w+)\}')


def split_parameters(text):
    """Splits at the commas that are not inside parentheses."""
    parts, depth, at = [], 0, ''
    for c in ' '.join(text.split()):
        depth += (c == '(') - (c == ')')
        if c == ',' and depth == 0:
            parts.append(at.strip())
            at = ''
        else:
            at += c
    parts.append(at.strip())
    return [] if parts in ([''], ['void']) else parts


def parameter_name(parameter):
    callback = re.search(r'\(CL_CALLBACK \*(\w+)\)', parameter)
    return callback.group(1) if callback else re.search(r'(\w+)(?:\[\w*\])?$', parameter).group(1)


def functions_of(text, light):
    macros = dict(MACRO.findall(text))
    names = {}
    for name, function in ROW.findall(text):
        names.setdefault(function, []).append(name)
    for found in DEFINITION.finditer(text):
        if not light and found['name'] not in LIGHT and not text[found.end():].lstrip().startswith('FLOAT_ENV_DEFAULT();'):
            sys.exit(f'{found["name"]}() neither sets the default floating-point environment (FLOAT_ENV_DEFAULT()) nor is listed as light')
        static = bool(found['static'] or found['short'])
        for name in names.get(found['name'], []) if static else [found['name']]:
            if name not in UNTRACED:
                yield name, static, found['type'] or found['inner'], split_parameters(
                    re.sub(r'\b[A-Z]+\b', lambda word: macros.get(word[0], word[0]), found['parameters']))


def read_functions(sources):
    """(name, static, result, parameters) of each entry point, and the types of callbacks that their parameters have."""
    texts = []
    for path in sources:
        with open(path, encoding='utf-8') as file:
            texts.append(file.read())
    functions = [row for text, path in zip(texts, sources) for row in functions_of(text, os.path.basename(path) in LIGHT_FILES)]
    signatures = ' '.join(part for function in functions for part in function[3])
    return functions, [found[0] + '\n' for text in texts for found in TYPEDEF.finditer(text) if re.search(rf'\b{found[1]}\b', signatures)]


def main():
    output, sources = sys.argv[1], sys.argv[2:]
    functions, typedefs = read_functions(sources)
    with open(output, 'w', encoding='utf-8') as out:
        out.write(f'/* Written by {os.path.basename(__file__)}. */\n')
        out.write(''.join(typedefs))
        for name, static, kind, parameters in functions:
            names = [parameter_name(parameter) for parameter in parameters]
            listed = ', '.join(parameters) or 'void'
            space = '' if kind.endswith('*') else ' '
            if not static:
                out.write(f'CL_API_ENTRY {kind}{space}CL_API_CALL {name}({listed});\n')
            out.write(f'static {kind}{space}(CL_API_CALL *original_{name})({listed}){"" if static else " = " + name};\n')
            out.write(f'static CL_API_ENTRY {kind}{space}CL_API_CALL traced_{name}({listed})\n{{\n    FLOAT_ENV_DEFAULT();\n    uint64_t began = time_ns();\n')
            call = f'original_{name}({", ".join(names)});'
            out.write(f'    {call}\n' if kind == 'void' else f'    {kind}{space}result = {call}\n')
            out.write(f'    trace_span("call", "{name}", began, NULL);\n')
            out.write('}\n' if kind == 'void' else '    return result;\n}\n')
        out.write('\nstatic const struct wrapped_function traced_functions[] = {\n')
        for name, static, kind, parameters in functions:
            out.write(f'    {{"{name}", {"NULL" if static else "(void *)" + name}, (void *)traced_{name}, (void **)&original_{name}}},\n')
        out.write('};\n')


if __name__ == '__main__':
    main()
