#!/usr/bin/env python3
"""Wrappers of all entry points, for a process whose calls are checked: gen_checked.py ARGUMENTS WRAPPERS ROOM API SOURCE...

ROOM is the folder of the room that the wrappers tell (src/checked/checked.h), API the folder with gen_traced.py, whose reader of sources
finds the entry points. What the room's functions checked_before_NAME, checked_after_NAME and checked_does_NAME take is written into
ARGUMENTS, which they include; WRAPPERS is for src/api/checked.c."""
import os
import re
import sys

KINDS = {'cl_context': 'CONTEXT', 'cl_command_queue': 'QUEUE', 'cl_mem': 'MEM', 'cl_program': 'PROGRAM', 'cl_kernel': 'KERNEL', 'cl_event': 'EVENT',
         'cl_sampler': 'SAMPLER', 'ocl_buffer_handle': 'COMMAND_BUFFER', 'cl_semaphore_khr': 'SEMAPHORE'}
HOOK = re.compile(r'^void checked_(before|after|does)_(cl\w+)\(struct checked_call \*\w+,', re.M)
# What a callback may not do, besides calls that have a parameter of their own for it (OpenCL 3.0 API, 5.11, clSetEventCallback).
NOT_IN_CALLBACKS = {'clFinish': 'waits for a queue', 'clWaitForEvents': 'waits for events', 'clCreateContext': 'creates a context',
                    'clCreateContextFromType': 'creates a context', 'clCreateCommandQueue': 'creates a command queue',
                    'clCreateCommandQueueWithProperties': 'creates a command queue', 'clMemBlockingFreeINTEL': 'waits for commands'}


ENQUEUES = ('clEnqueueCommandBufferKHR',)


class Function:
    def __init__(self, name, static, kind, parameters, parameter_name):
        self.name, self.static, self.kind, self.parameters = name, static, kind, parameters
        self.hook, self.hooks = name, set()  # whose hooks it has
        self.names = [parameter_name(parameter) for parameter in parameters]
        self.types = [' '.join(parameter.replace(f'*{own}', '*').replace(f' {own}', ' ').split())
                      for parameter, own in zip(parameters, self.names)]

    def find(self, *types):
        """The first parameter of one of the types, or None."""
        return next((own for own, kind in zip(self.names, self.types) if kind in types), None)

    def listed(self):
        return ', '.join(self.parameters) or 'void'

    def lists(self):
        """(kind, count, list) of each parameter that is a list of handles, whose number is the parameter before."""
        for i, kind in enumerate(self.types):
            found = re.fullmatch(r'const (\w+) \*', kind)
            if found and found[1] in KINDS and i and self.types[i - 1] == 'cl_uint':
                yield KINDS[found[1]], self.names[i - 1], self.names[i]

    def waits(self):
        return next(((count, events) for kind, count, events in self.lists() if kind == 'EVENT'), ('0', 'NULL'))


def find_hooks(functions, hooks):
    """A vendor's function that is another's under a longer name has its hooks."""
    by_name = {function.name: function for function in functions}
    for function in functions:
        for name in (function.name, re.sub('(ARM|KHR)$', '', function.name)):
            if name in hooks and name in by_name and by_name[name].types == function.types and not function.hooks:
                function.hook, function.hooks = name, hooks[name]


def member(parameter):
    """A parameter that is an array is a pointer."""
    return re.sub(r'(\w+)\[\w*\]$', r'*\1', parameter)


def spaced(kind):
    return kind if kind.endswith('*') else kind + ' '


def write_begin(out, function):
    hooks = function.hooks
    out.write(f'    struct checked_call call;\n    checked_begin(&call, "{function.name}", __builtin_return_address(0));\n')
    for own, kind in zip(function.names, function.types):
        if kind in KINDS:
            out.write(f'    checked_handle(&call, CHECKED_{KINDS[kind]}, {own});\n')
    for kind, count, handles in function.lists():
        out.write(f'    checked_handles(&call, CHECKED_{kind}, {count}, {handles});\n')
    if function.name in NOT_IN_CALLBACKS:
        out.write(f'    checked_not_in_callbacks(&call, "{NOT_IN_CALLBACKS[function.name]}");\n')
    for own in function.names:
        if own.startswith('blocking'):
            out.write(f'    if ({own})\n        checked_not_in_callbacks(&call, "waits for its command");\n')
    if hooks:
        out.write(f'    struct {function.hook}_args args = {{{", ".join(function.names)}}};\n')
    if 'before' in hooks:
        out.write(f'    CHECKED_BEFORE({function.hook})(&call, &args);\n')
    if function.name.startswith('clRelease') and function.types[0] in KINDS:
        out.write(f'    checked_releases(&call, CHECKED_{KINDS[function.types[0]]}, {function.names[0]});\n')


def write_enqueued(out, function):
    hooks = function.hooks
    count, events = function.waits()
    blocking = next((own for own in function.names if own.startswith('blocking')), 'false')
    out.write(f'    if (!call.failed) {{\n        checked_command(&call, {function.find("cl_command_queue")}, {count}, {events});\n')
    if 'does' in hooks:
        out.write(f'        checked_lock();\n        if (call.command)\n            CHECKED_DOES({function.hook})(&call, &args);\n        checked_unlock();\n')
    out.write(f'        checked_enqueued(&call, {function.find("cl_event *") or "NULL"}, {blocking});\n    }}\n')


def write_query(out, function, arguments):
    """The same question again, about the answer's size alone."""
    if 'param_value' not in function.names:
        return
    again = {'param_value_size': '0', 'param_value': 'NULL', 'param_value_size_ret': '&size'}
    name = 'param_name' if 'param_name' in function.names else '0'
    out.write('    size_t size = 0;\n    if (result == CL_INVALID_VALUE && param_value &&\n'
              f'        original_{function.name}({", ".join(again.get(a, a) for a in arguments)}) == CL_SUCCESS)\n'
              f'        checked_query(&call, {name}, param_value_size, size);\n'
              '    checked_answer(&call, param_value, param_value_size);\n')


def write_wrapper(out, function):
    hooks = function.hooks
    kind, listed = spaced(function.kind), function.listed()
    if not function.static:
        out.write(f'CL_API_ENTRY {kind}CL_API_CALL {function.name}({listed});\n')
    out.write(f'static {kind}(CL_API_CALL *original_{function.name})({listed}){"" if function.static else " = " + function.name};\n')
    out.write(f'static CL_API_ENTRY {kind}CL_API_CALL checked_{function.name}({listed})\n{{\n')
    write_begin(out, function)
    arguments = [f'args.{name}' if hooks else name for name in function.names]
    call = f'original_{function.name}({", ".join(arguments)});'
    if function.kind == 'void':
        out.write(f'    {call}\n}}\n')
        return
    out.write(f'    {kind}result = {call}\n')
    out.write(f'    call.failed = {"result != CL_SUCCESS" if function.kind == "cl_int" else "!result"};\n')
    if function.kind.endswith('*'):
        out.write('    call.result = result;\n')
    if function.kind in KINDS:
        size = 'size' if function.kind == 'cl_mem' and 'size' in function.names else '0'
        out.write(f'    checked_created(&call, CHECKED_{KINDS[function.kind]}, result, {size});\n')
    if function.name.startswith('clRetain') and function.types[0] in KINDS:
        out.write(f'    checked_retained(&call, {function.names[0]});\n')
    if function.name.startswith('clEnqueue') and function.find('cl_command_queue'):
        write_enqueued(out, function)
    elif function.name.startswith('clCommand') and function.types[0] == 'ocl_buffer_handle':
        out.write(f'    checked_records(&call, {function.names[0]});\n')
    elif function.name in ENQUEUES:
        out.write('    /* its hook says what it enqueued */\n')
    elif function.find('cl_event *'):
        out.write(f'    if (!call.failed && {function.find("cl_event *")})\n'
                  f'        checked_created(&call, CHECKED_EVENT, *{function.find("cl_event *")}, 0);\n')
    if 'after' in hooks:
        out.write(f'    CHECKED_AFTER({function.hook})(&call, &args, result);\n')
    write_query(out, function, arguments)
    out.write('    return result;\n}\n')


def main():
    arguments, wrappers, room, api, *sources = sys.argv[1:]
    sys.path.insert(0, api)
    import gen_traced
    hooks = {}
    for name in sorted(os.listdir(room)):
        if name.endswith('.c'):
            with open(os.path.join(room, name), encoding='utf-8') as file:
                for moment, function in HOOK.findall(file.read()):
                    hooks.setdefault(function, set()).add(moment)
    rows, typedefs = gen_traced.read_functions(sources)
    functions = [Function(*row, gen_traced.parameter_name) for row in rows]
    find_hooks(functions, hooks)
    missing = hooks.keys() - {function.name for function in functions}
    if missing:
        sys.exit(f'there is no entry point {", ".join(sorted(missing))}')
    with open(arguments, 'w', encoding='utf-8') as out:
        out.write(f'/* Written by {os.path.basename(__file__)}. */\n#ifndef CHECKED_ARGS_H\n#define CHECKED_ARGS_H\n#include "src/checked/checked.h"\n#include "src/recorded/command_buffer.h"\n')
        out.write(''.join(typedefs))
        for function in functions:
            if function.name in hooks:
                out.write(f'struct {function.name}_args {{\n' + ''.join(f'    {member(parameter)};\n' for parameter in function.parameters) + '};\n')
                for moment in sorted(hooks[function.name]):
                    result = f', {function.kind} result' if moment == 'after' else ''
                    out.write(f'void checked_{moment}_{function.name}(struct checked_call *call, struct {function.name}_args *args{result});\n')
        out.write('#endif\n')
    with open(wrappers, 'w', encoding='utf-8') as out:
        out.write(f'/* Written by {os.path.basename(__file__)}. */\n')
        for function in functions:
            write_wrapper(out, function)
        out.write('\nstatic const struct wrapped_function checked_functions[] = {\n')
        for function in functions:
            address = 'NULL' if function.static else f'(void *){function.name}'
            out.write(f'    {{"{function.name}", {address}, (void *)checked_{function.name}, (void **)&original_{function.name}}},\n')
        out.write('};\n')


main()
