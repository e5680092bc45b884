#!/usr/bin/env python3
"""Lists the expressions of the test `constants`: every function of the table that computes something from its arguments, every
conversion, and the operators.

usage: gen_constants.py gen_builtins.py builtins.def OUTPUT.txt

A line has five columns, separated by tabs: the name, the result's type, the expression with $1, $2... for its operands, the operands'
types, and what the device must offer, or = where the expression may stand in the initialiser of a constant. An operand's type may be followed by what its values are limited to, where the specification leaves the
result of others open (OpenCL C 3.0, the sections named below):
    :in T     a float that is in the range of the integer type T, however it is rounded
    :below N  an integer from 0 to N - 1
    :nonzero  for divisors: not 0, nor -1 (which the smallest number cannot be divided by)
    :small    an integer of 24 bits at most
    :number   a float that is finite"""
import importlib.util
import re
import sys

sys.dont_write_bytecode = True
import gen_calls

SECTIONS = {'6.15.2', '6.15.3', '6.15.3.1', '6.15.4', '6.15.5', '6.15.6', '6.15.13'}
SIGNED, UNSIGNED = ['char', 'short', 'int', 'long'], ['uchar', 'ushort', 'uint', 'ulong']
FLOATS, MODES = ['half', 'float', 'double'], ['', '_rte', '_rtz', '_rtp', '_rtn']
INTEGERS = SIGNED + UNSIGNED
TYPES = INTEGERS + FLOATS
WIDTHS = [1, 2, 3, 4, 8, 16]
BITS = {'char': 8, 'uchar': 8, 'short': 16, 'ushort': 16, 'int': 32, 'uint': 32, 'long': 64, 'ulong': 64, 'half': 16,
        'float': 32, 'double': 64}
# 7.3: what native_* give is the device's, and it may compute a constant otherwise than a variable.
SKIPPED = re.compile(r'^native_|^vec_step$')


def named(element, lanes):
    return gen_calls.named(element, lanes)


def limit_of(name, element, index):
    """What a function's operand number index is limited to."""
    if name in ('mul24', 'mad24') and index < 2:  # 6.15.3
        return ':small'
    if name in ('max', 'min', 'clamp', 'step', 'smoothstep', 'mix') and element in FLOATS:  # 6.15.4
        return ':number'
    if name.startswith('bitfield_') and index >= (2 if name == 'bitfield_insert' else 1):  # cl_khr_extended_bit_ops
        return ':below %d' % (BITS[element] // 2)
    return ''


class Table:
    def __init__(self, out):
        self.out = out

    def row(self, name, result, expression, operands, guard=''):
        self.out.write('\t'.join([name, result, expression, ','.join(operands), guard]) + '\n')

    def call(self, name, result, params, element, lanes, guard):
        """A call; one row more for each pointer that the function writes through."""
        operands, args, before, outputs = [], [], [], []
        for param in params:
            spaces, _, base = gen_calls.split_pointer(param)
            kind = gen_calls.bind(base, element, lanes)
            if spaces:
                outputs.append((kind, 'p%d' % len(args)))
                before.append('%s p%d;' % (kind, len(args)))
                args.append('&p%d' % len(args))
            else:
                operands.append(kind + limit_of(name, element, len(operands)))
                args.append('$%d' % len(operands))
        kind, call = gen_calls.bind(result, element, lanes), '%s(%s)' % (name, ', '.join(args))
        if not outputs:
            self.row(name, kind, call, operands, guard)
            return
        self.row(name, kind, '({ %s %s; })' % (' '.join(before), call), operands, guard)
        for output, variable in outputs:
            self.row(name, output, '({ %s %s; %s; })' % (' '.join(before), call, variable), operands, guard)


def functions(out, table):
    for line in table.read(sys.argv[2]).list:
        name, overloads, _, guard, section = line.split('\t')
        if section not in SECTIONS or SKIPPED.search(name):
            continue
        for overload in overloads.split(';'):
            repeat = re.match(r'^\{([\d,]+)\}\s+(.*)$', overload.strip())
            for item in (repeat[1].split(',') if repeat else ['']):
                one = repeat[2].replace('#', item) if repeat else overload.strip()
                match = re.match(r'^(?:([^():]*):)?\s*([^()]*)\((.*)\)$', one)
                domain, params = (match[1] or '').strip(), [p.strip() for p in table.split_args(match[3])]
                for element, lanes in gen_calls.bindings(domain, table, True):
                    out.call(name, match[2].strip(), params, element, lanes, guard if re.match('cl_|__', guard) else '')


def conversions(out):
    """6.4.3: what is out of range is open, unless it saturates."""
    for to in TYPES:
        for source in TYPES:
            for saturate in ([''] if to in FLOATS else ['', '_sat']):
                for mode in MODES:
                    limit = ':in ' + to if source in FLOATS and to in INTEGERS and not saturate else ''
                    for lanes in WIDTHS:
                        name = 'convert_%s%s%s' % (named(to, lanes), saturate, mode)
                        out.row(name, named(to, lanes), name + '($1)', [named(source, lanes) + limit])
            limit = ':in ' + to if source in FLOATS and to in INTEGERS else ''
            out.row('(%s)' % to, to, '(%s)$1' % to, [source + limit], '=')
        out.row('(bool)', 'int', '(bool)$1', [to], '=')


def reinterpretations(out):
    """6.4.4; a vector of three has the size of one of four, and what comes of its last lane is open."""
    for to in TYPES:
        for source in TYPES:
            for lanes in WIDTHS:
                bits = lanes * BITS[source]
                if bits % BITS[to] == 0 and bits // BITS[to] in WIDTHS and (lanes == 3) == (bits // BITS[to] == 3):
                    kind = named(to, bits // BITS[to])
                    out.row('as_' + kind, kind, 'as_%s($1)' % kind, [named(source, lanes)])


def operators(out):
    """6.5; NaN's payload aside, everything but division by zero and what it cannot represent is defined or wraps."""
    for element in TYPES:
        is_float = element in FLOATS
        relation = gen_calls.SIGNED.get(element, element)
        for lanes in WIDTHS:
            kind, truth = named(element, lanes), 'int' if lanes == 1 else named(relation, lanes)
            for op in ['+', '-', '*', '/'] + ([] if is_float else ['%', '&', '|', '^', '<<', '>>']):
                limit = ':nonzero' if op in '/%' and not is_float else ''
                out.row(op, kind, ('($1 %s $2)' if lanes > 1 else '(%s)($1 %%s $2)' % kind) % op, [kind, kind + limit], '=')
                if lanes > 1:
                    out.row(op, kind, '$1 %s $2' % op, [kind, element + limit], '=')
            for op in ['==', '!=', '<', '>', '<=', '>=', '&&', '||']:
                out.row(op, truth, '$1 %s $2' % op, [kind, kind], '=')
            out.row('!', truth, '!$1', [kind], '=')
            out.row('-', kind, '(%s)-$1' % kind if lanes == 1 else '-$1', [kind], '=')
            if not is_float:
                out.row('~', kind, '(%s)~$1' % kind if lanes == 1 else '~$1', [kind], '=')
            out.row('?:', kind, '$1 ? $2 : $3', [truth, kind, kind], '=')
            out.row('+*-', kind, '$1 * ($2 + $3) - $2' if lanes > 1 else '(%s)($1 * ($2 + $3) - $2)' % kind, [kind] * 3, '=')
            if lanes > 1:
                out.row('(%s)' % kind, kind, '(%s)$1' % kind, [element], '=')
                out.row('.lo', named(element, (lanes + 1) // 2), '$1.lo', [kind] if lanes != 3 else ['%s4' % element])
                out.row('.s10', named(element, 2), '$1.s10', [kind])
    for left in TYPES:  # 6.3.1.8 of C99: the usual conversions
        for right in TYPES:
            for op in ['+', '*', '<', '==']:
                kind = 'int' if op in ('<', '==') else 'double' if 'double' in (left, right) else \
                    'float' if 'float' in (left, right) else 'half' if 'half' in (left, right) else 'long'
                out.row(op, kind, '$1 %s $2' % op, [left, right], '=')
        for right in INTEGERS:
            if left in INTEGERS:
                for op in ['<<', '>>']:
                    out.row(op, 'long', '$1 %s $2' % op, [left, right], '=')


def memory(out):
    """6.15.7, through private memory"""
    for lanes in WIDTHS:
        n = str(lanes) if lanes > 1 else ''
        bits, halfs = named('ushort', lanes), named('half', lanes)
        for source in ('float', 'double'):
            for mode in MODES:
                for form in ['vstore_half', 'vstorea_half']:
                    name = form + n + mode
                    load = 'vload%s(0, p)' % n if n else '*p'
                    out.row(name, halfs, '({ half16 v = 0; half *p = (half *)&v; %s($1, 0, p); %s; })' % (name, load),
                            [named(source, lanes)])
        for form in ['vload_half', 'vloada_half']:
            out.row(form + n, named('float', lanes), '({ %s v = $1; %s%s(0, (half *)&v); })' % (bits, form, n), [bits])
        for element in TYPES if n else []:
            kind = named(element, lanes)
            out.row('vload' + n, kind, '({ %s v = $1; vload%s(0, (%s *)&v); })' % (kind, n, element), [kind])
            out.row('vstore' + n, kind, '({ %s v = $2; vstore%s($1, 0, (%s *)&v); v; })' % (kind, n, element), [kind, kind])


def main():
    spec = importlib.util.spec_from_file_location('gen_builtins', sys.argv[1])
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    with open(sys.argv[3], 'w', encoding='utf-8') as text:
        out = Table(text)
        functions(out, table)
        conversions(out)
        reinterpretations(out)
        operators(out)
        memory(out)


main()
