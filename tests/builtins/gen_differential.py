#!/usr/bin/env python3
"""Writes kernels that call built-in functions on many values, for compare.c to run on two OpenCL drivers, and what to compare.

usage: gen_differential.py gen_builtins.py builtins.def OUTPUT.cl OUTPUT.txt

Every kernel is one function, all overloads: it reads from one pool of values per element type and argument, and writes the results
behind one another. Functions whose results the specification leaves open for some values get values for which it does not."""
import importlib.util
import re
import sys

sys.dont_write_bytecode = True
import gen_calls

COUNT = 64
ELEMENTS = ['char', 'uchar', 'short', 'ushort', 'int', 'uint', 'long', 'ulong', 'float', 'double']
SIZES = {'char': 1, 'uchar': 1, 'short': 2, 'ushort': 2, 'int': 4, 'uint': 4, 'long': 8, 'ulong': 8, 'half': 2,
         'float': 4, 'double': 8}
POOL = COUNT * 16 * 8  # bytes of a pool: one per element type and argument
MAX_ARGS = 3

# name -> (bound in ULP for each element, what to do to the arguments)
EXACT = ('fabs floor ceil trunc rint round copysign fdim fmax fmin fract maxmag minmag nan sign step '
         'isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered isfinite '
         'isinf isnan isnormal signbit any all bitselect select abs abs_diff add_sat hadd rhadd clz ctz mad_hi mad_sat '
         'mul_hi rotate sub_sat upsample popcount').split()
RULES = {name: (0, None) for name in EXACT}
RULES.update({
    'max': (0, 'finite'), 'min': (0, 'finite'), 'clamp': (0, 'ordered'), 'degrees': (4, None), 'radians': (4, None),
    'fract': (1e-30, None),  # the sign of zero, OpenCL C 3.0, 7.5.1: other drivers differ
    'mul24': (0, '24'), 'mad24': (0, '24'), 'cross': (1e-5, 'small'), 'dot': (1e-5, 'small'), 'distance': (8, 'small'),
    'length': (8, None), 'normalize': (8, 'finite'), 'mix': (1e-5, 'small'), 'smoothstep': (1e-5, 'edges'),
})
SCALARS = re.compile(r'^(%s)(\d*)$' % '|'.join(ELEMENTS))


def element_of(kind):
    match = SCALARS.match(kind)
    return (match[1], int(match[2] or 1)) if match else (None, 0)


class Layout:
    def __init__(self, cl, meta):
        self.cl, self.meta = cl, meta

    def begin(self, name):
        self.name, self.offset = name, 0
        self.cl.write('kernel void t_%s(global const uchar *in, global uchar *out)\n{\n'
                      '    size_t i = get_global_id(0);\n' % name)
        self.meta.write('kernel t_%s\n' % name)

    def end(self):
        self.cl.write('}\n\n')
        self.meta.write('end %d\n' % self.offset)

    def load(self, kind, arg):
        element, _ = element_of(kind)
        offset = (ELEMENTS.index(element) * MAX_ARGS + arg) * POOL
        return '((global const %s *)(in + %d))[i]' % (kind, offset)

    def result(self, kind, expression, bound, text):
        element, lanes = element_of(kind)
        self.cl.write('    ((global %s *)(out + %d))[i] = %s;\n' % (kind, self.offset, expression))
        self.meta.write('result %d %s %d %g %s\n' % (self.offset, element, lanes, bound, text))
        self.offset += (COUNT * SIZES[element] * (4 if lanes == 3 else lanes) + 127) // 128 * 128


def restrict(args, kinds, how):
    """Expressions for arguments in the range where the result is defined."""
    result = []
    for number, (arg, kind) in enumerate(zip(args, kinds)):
        element, lanes = element_of(kind)
        is_float = element in ('float', 'double')
        if is_float and how in ('finite', 'ordered'):
            arg = 'select(%s, (%s)%d, isfinite(%s) == 0)' % (arg, kind, number + 1, arg)
            if element == 'double' or lanes > 1:
                mask = gen_calls.named('long' if element == 'double' else 'int', lanes)
                arg = 'select(%s, (%s)%d, (%s)(isfinite(%s) == 0))' % (args[number], kind, number + 1, mask, args[number])
        if is_float and how in ('small', 'edges'):
            unsigned = gen_calls.named('ushort', lanes)
            arg = 'convert_%s(convert_%s_sat(%s)) / (%s)4096 + (%s)%d' % (kind, unsigned, arg, kind, kind,
                                                                         number * 20 if how == 'edges' and number < 2 else 1)
            if how == 'edges' and number == 2:
                arg += ' * 2'
        if how == '24':
            arg = '(%s << 8 >> 8)' % arg if number < 2 else arg
        result.append('(%s)' % arg)
    if how == 'ordered':
        low, high = (result[1], result[2])
        result[1], result[2] = 'min(%s, %s)' % (low, high), 'max(%s, %s)' % (low, high)
    return result


def write_function(layout, table, name, overloads):
    bound, how = RULES[name]
    layout.begin(name)
    for overload in overloads:
        match = re.match(r'^(?:([^():]*):)?\s*([^()]*)\((.*)\)$', overload)
        domain, result, params = (match[1] or '').strip(), match[2].strip(), table.split_args(match[3])
        for element, lanes in gen_calls.bindings(domain, table, False):
            if element in ('half', ''):
                continue
            kinds, before, args, seconds = [], [], [], []
            for number, param in enumerate(params):
                spaces, _, base = gen_calls.split_pointer(param.strip())
                kind = gen_calls.bind(base, element, lanes)
                kinds.append(kind)
                if spaces:
                    seconds.append((kind, 'p%d' % number))
                    before.append('%s p%d;' % (kind, number))
                    args.append('&p%d' % number)
                else:
                    args.append(layout.load(kind, number))
            if not seconds:
                args = restrict(args, kinds, how)
            text = '%s(%s)' % (name, ','.join(kinds))
            layout.cl.write('    {\n' + ''.join('    %s\n' % b for b in before))
            layout.result(gen_calls.bind(result, element, lanes), '%s(%s)' % (name, ', '.join(args)), bound, text)
            for kind, expression in seconds:
                layout.result(kind, expression, bound, text + ' second')
            layout.cl.write('    }\n')
    layout.end()


def write_conversions(layout):
    for to in ELEMENTS:
        layout.begin('convert_' + to)
        for number, source in enumerate(ELEMENTS):
            lanes = [1, 2, 3, 4, 8, 16][number % 6]
            kind, target = gen_calls.named(source, lanes), gen_calls.named(to, lanes)
            for saturation in ('', '_sat'):
                if saturation and to in ('float', 'double'):
                    continue
                if not saturation and source in ('float', 'double') and to not in ('float', 'double'):
                    continue
                for mode in ('', '_rte', '_rtz', '_rtp', '_rtn'):
                    name = 'convert_%s%s%s' % (target, saturation, mode)
                    layout.result(target, '%s(%s)' % (name, layout.load(kind, 0)), 0, '%s(%s)' % (name, kind))
        layout.end()


def write_halfs(layout):
    for source in ('float', 'double'):
        layout.begin('vstore_half_' + source)
        for lanes in (1, 2, 3, 4, 8, 16):
            for form in ('vstore_half', 'vstorea_half') if lanes > 1 else ('vstore_half',):
                for mode in ('', '_rte', '_rtz', '_rtp', '_rtn'):
                    kind = gen_calls.named(source, lanes)
                    name = form + (str(lanes) if lanes > 1 else '') + mode
                    stride = 4 if lanes == 3 and 'a_' in form else lanes
                    layout.cl.write('    %s(%s, i, (global half *)(out + %d));\n' % (name, layout.load(kind, 0), layout.offset))
                    shape = 4 if stride == 4 and lanes == 3 else 1
                    layout.meta.write('result %d half %d 0 %s(%s)\n' % (layout.offset, -lanes if shape == 4 else lanes, name, kind))
                    layout.offset += COUNT * 2 * 16
        layout.end()
    layout.begin('vload_half')
    pool = (ELEMENTS.index('ushort') * MAX_ARGS) * POOL
    for lanes in (1, 2, 3, 4, 8, 16):
        for form in ('vload_half', 'vloada_half') if lanes > 1 else ('vload_half',):
            name = form + (str(lanes) if lanes > 1 else '')
            layout.result(gen_calls.named('float', lanes), '%s(i, (global const half *)(in + %d))' % (name, pool), 0, name)
    for element in ELEMENTS:
        for lanes in (2, 3, 4, 8, 16):
            source = (ELEMENTS.index(element) * MAX_ARGS) * POOL
            layout.result('%s%d' % (element, lanes), 'vload%d(i, (global const %s *)(in + %d))' % (lanes, element, source), 0,
                          'vload%d %s' % (lanes, element))
    layout.end()


def main():
    spec = importlib.util.spec_from_file_location('gen_builtins', sys.argv[1])
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    functions = {}
    for line in table.read(sys.argv[2]).list:
        name, overloads, _, _, _ = line.split('\t')
        if name in RULES and not re.search(r'uchar4|char4', overloads):
            functions.setdefault(name, []).extend(o.strip() for o in overloads.split(';'))
    with open(sys.argv[3], 'w', encoding='utf-8') as cl, open(sys.argv[4], 'w', encoding='utf-8') as meta:
        layout = Layout(cl, meta)
        for name, overloads in functions.items():
            write_function(layout, table, name, overloads)
        write_conversions(layout)
        write_halfs(layout)


main()
