#!/usr/bin/env python3
"""Writes a random OpenCL C program whose results the specification defines; the same for the same seed.

usage: generate.py SEED > program.cl

differ.c runs the kernel `test`. It has the parameters below, 32 work-items in groups of 16, and writes a checksum of what it
computed to out; what it stores to work and counters is compared, too. Every loop has its own bound, every index a mask."""
import itertools
import random
import sys

sys.dont_write_bytecode = True
from cltypes import *
from expressions import Variable, cast
from features import Features
from flow import Flow
from groups import Groups
from sharing import Sharing

PARAMETERS = '''global ulong *%s out, global const uint *%s in, global uint *%s work, global uint *counters,
                 constant uint *table, local uint *room, int four, uint8 eight, float single, struct args argument'''
PRELUDE = '''#pragma OPENCL FP_CONTRACT OFF
#define NN(T, I, M) __attribute__((overloadable)) T nn(T x) { return select(select(x, (T)1, (I)isnan(x)), (T)0, (I)(fabs(x) < (T)M)); }
#define NNS(T, I, M) __attribute__((overloadable)) T nn(T x) { return isnan(x) ? (T)1 : fabs(x) < (T)M ? (T)0 : x; } \\
    NN(T##2, I##2, M) NN(T##3, I##3, M) NN(T##4, I##4, M) NN(T##8, I##8, M) NN(T##16, I##16, M)
#define NNI(T) __attribute__((overloadable)) T nn(T x) { return x; }
#define NNIS(T) NNI(T) NNI(T##2) NNI(T##3) NNI(T##4) NNI(T##8) NNI(T##16)
NNS(float, int, %s) NNS(double, long, 0)
NNIS(char) NNIS(uchar) NNIS(short) NNIS(ushort) NNIS(int) NNIS(uint) NNIS(long) NNIS(ulong)
#define H(x) (crc = (crc ^ (ulong)(x)) * 0x100000001b3UL, crc ^= crc >> 29)
#define H2(x) H((x).s0); H((x).s1)
#define H3(x) H2(x); H((x).s2)
#define H4(x) H3(x); H((x).s3)
#define H8(x) H4((x).lo); H4((x).hi)
#define H16(x) H8((x).lo); H8((x).hi)
struct args { char c; short s; long l; float4 f; uchar b[5]; uint2 u; };
'''
HALF = '''#pragma OPENCL EXTENSION cl_khr_fp16 : enable
NNS(half, short, 0)
'''


class Program(Flow, Groups, Sharing, Features):
    def __init__(self, seed, attempt=0):
        self.rng = random.Random('%d %d' % (seed, attempt))
        self.seed = seed
        rng = self.rng
        self.half = rng.random() < 0.12
        self.elems = INTEGERS + ['float', 'double'] + ['half'] * self.half
        if rng.random() < 0.4:
            self.elems = rng.sample(self.elems, 4)
        self.lines, self.indent = [], 0
        self.scopes, self.functions, self.records = [[]], [], []
        self.names = self.indexing = 0
        self.in_kernel = False
        self.calls = self.loops = self.breakable = self.continuable = 0
        self.result = None
        self.generic = rng.random() < 0.15
        self.collectives = rng.random() < 0.12
        self.subnormals = rng.random() < 0.15
        self.helpers, self.helped = [], set()
        self.newer = rng.random() < 0.3  # what its devices may lack: then the program is modern, or has bodies of its own
        self.modern = False
        self.scope, self.restricted = [], []
        self.flavour = rng.choice(['plain'] * 5 + ['scratch', 'switch', 'deep', 'goto', 'goto', 'memory', 'memory', 'group', 'group',
                                   'calls', 'calls', 'records', 'sharing', 'sharing'])

    # ---- text ----

    def emit(self, text):
        self.lines.append('    ' * self.indent + text)

    def name(self, stem):
        self.names += 1
        return '%s%d' % (stem, self.names)

    def begin(self, text=''):
        self.emit((text + ' {').strip())
        self.indent += 1
        self.scopes.append([])

    def end(self, text=''):
        self.scopes.pop()
        self.indent -= 1
        self.emit('}' + text)

    def add(self, variable):
        self.scopes[-1].append(variable)
        return variable

    # ---- types ----

    def pick_type(self, depth=2):
        rng = self.rng
        draw = rng.random()
        if draw < 0.6 or depth == 0:
            return self.pick_num()
        if draw < 0.85 or not self.records:
            elem = self.pick_type(depth - 1)
            return Array(elem, rng.choice([1, 2, 4, 4, 8, 16] if isinstance(elem, Num) else [2, 4]))
        return rng.choice(self.records)

    def make_union(self):
        rng = self.rng
        members = []
        if rng.random() < 0.2:
            bits = rng.choice([8, 16, 32, 64])
            for _ in range(2):
                members.append((self.name('u'), Num(rng.choice([e for e in INTEGERS + ['float', 'double'] if BITS[e] == bits]), 3)))
        else:
            size = rng.choice([8, 16, 32])
            for _ in range(rng.randrange(2, 5)):
                elem = Num(rng.choice(INTEGERS + ['float', 'double']), rng.choice([1, 1, 2, 4, 8]))
                while elem.size > size:
                    elem = Num(elem.elem, elem.lanes // 2)
                count = size // elem.size
                members.append((self.name('u'), Array(elem, count) if count > 1 else elem))
        return Record(self.name('U'), 'union', members)

    def make_record(self):
        rng = self.rng
        if rng.random() < 0.3:
            record = self.make_union()
        else:
            members = [(self.name('m'), self.pick_type(1)) for _ in range(rng.randrange(1, 6))]
            attribute = rng.choice([''] * 6 + [' __attribute__((packed))'] * 2 + [' __attribute__((aligned(32)))'])
            record = Record(self.name('S'), 'struct', members, attribute)
        self.lines.append(record.definition())
        self.records.append(record)

    def initialiser(self, kind, depth=2, constant=False):
        if isinstance(kind, Num):
            text = literal(self.rng, kind) if constant else self.number(kind, depth)
            return text if constant or not kind.is_float else 'nn(%s)' % cast(kind, text)
        if isinstance(kind, Array):
            length = kind.length
            if length > 4 and self.rng.random() < 0.3:
                length -= 2
            return '{ %s }' % ', '.join(self.initialiser(kind.elem, depth - 1, constant) for _ in range(length))
        members = kind.members[:1] if kind.keyword == 'union' else kind.members
        if kind.keyword == 'struct' and self.rng.random() < 0.3:
            members = self.rng.sample(members, self.rng.randrange(1, len(members) + 1))
            return '{ %s }' % ', '.join('.%s = %s' % (n, self.initialiser(k, depth - 1, constant)) for n, k in members)
        return '{ %s }' % ', '.join(self.initialiser(k, depth - 1, constant) for _, k in members)

    # ---- parts of a program ----

    def constants(self):
        for _ in range(self.rng.randrange(0, 4)):
            kind = self.pick_type()
            name = self.name('k')
            self.emit('constant %s = %s;' % (declare(kind, name), self.initialiser(kind, constant=True)))
            self.add(Variable(name, kind, 'constant', True))
        if self.rng.random() < 0.3:
            table, index = self.name('k'), self.name('k')
            self.emit('constant int %s[8] = { 1, -2, 3, 400, -50000, 6, 7, 8 };' % table)
            self.emit('constant int *constant %s[4] = { %s + 1, &%s[4], %s, %s + 3 };' % (index, table, table, table, table))
            self.add(Variable('(*%s)' % index, Array(Num('int'), 4), 'constant', True))

    def parameter(self):
        """(kind, space): by value where space is None, else a pointer into that space; to an array's elements where kind is one."""
        rng = self.rng
        draw = rng.random()
        if draw < 0.2:
            return self.pick_num(), 'generic' if self.generic else 'private'
        if draw < 0.3:
            return Array(self.pick_num(), rng.choice([2, 4])), 'generic' if self.generic else 'private'
        if draw < 0.38:
            return Array(Num('uint'), 16), rng.choice(['global', 'global', 'constant'])
        if draw < 0.5 and self.records:
            return rng.choice(self.records), 'generic' if self.generic else 'private'
        return self.pick_num() if draw < 0.85 or not self.records else rng.choice(self.records), None

    def function(self):
        rng = self.rng
        params = [self.parameter() for _ in range(rng.randrange(1, 4))]
        result = self.pick_num() if rng.random() < 0.85 or not self.records else rng.choice(self.records)
        names = [self.name('a') for _ in params]
        parts = []
        for (kind, space), name in zip(params, names):
            pointee = kind.elem if isinstance(kind, Array) else kind
            spelled = space + ' ' if space in ('private', 'global', 'constant') else ''
            parts.append('%s%s %s%s' % (spelled, pointee, '*' * (space is not None), name))
        name = self.name('f')
        qualifier = rng.choice(['', '', 'static ', '__attribute__((noinline)) ', 'inline static ', '__attribute__((always_inline)) '])
        self.begin('%s%s %s(%s)' % (qualifier, result, name, ', '.join(parts)))
        for (kind, space), param in zip(params, names):
            path = '(*%s)' % param if space and not isinstance(kind, Array) else param
            self.add(Variable(path, kind, space or 'private', space == 'constant'))
        self.result = result
        self.calls = 2 - (self.flavour == 'calls')
        self.emit('ulong crc = 7;')
        large = rng.random() < (0.5 if self.flavour == 'calls' else 0.1)
        self.statements(2, 4 if large else 1, 9 if large else 4)
        if isinstance(result, Num) and not result.is_float and rng.random() < 0.5:
            self.emit('if (crc & 1) return %s;' % convert(rng, 'crc', Num('ulong'), result))
        self.emit('return %s;' % self.returned())
        self.end()
        self.result = None
        pure = all(space is None and isinstance(kind, Num) for kind, space in params)
        self.functions.append({'name': name, 'result': result, 'params': params, 'pure': pure})

    def kernel(self):
        rng = self.rng
        self.in_kernel, self.calls = True, 0
        if rng.random() < 0.3:
            self.emit('__attribute__((reqd_work_group_size(%d, 1, 1)))' % GROUP)
        self.begin('kernel void test(%s)' % (PARAMETERS % tuple(rng.choice(['restrict', '']) for _ in range(3))))
        self.emit('uint gid = get_global_id(0), lid = get_local_id(0);')
        self.emit('ulong crc = 0xcbf29ce484222325UL;')
        self.emit('struct args given = argument;')  # PoCL 3.1's work-items share the parameter
        locals_ = []
        for _ in range(rng.randrange(1, 3) if self.flavour == 'group' or rng.random() < 0.3 else 0):
            kind = self.pick_type(1)
            name = self.name('l')
            self.emit('local %s;' % declare(Array(kind, GROUP), name))
            locals_.append((name, kind))
        for name in ('gid', 'lid'):
            self.add(Variable(name, Num('uint'), const=True))
        for name, kind in (('four', 'int'), ('single', 'float')):
            self.add(Variable(name, Num(kind)))
        self.add(Variable('eight', Num('uint', 8)))
        self.add(Variable('in', Array(Num('uint'), 64), 'global', True))
        self.add(Variable('table', Array(Num('uint'), 16), 'constant', True))
        self.add(Variable('given', Record('args', 'struct', [('c', Num('char')), ('s', Num('short')), ('l', Num('long')),
                                                            ('f', Num('float', 4)), ('b', Array(Num('uchar'), 4)),
                                                            ('u', Num('uint', 2))])))
        if self.flavour == 'scratch':
            elem = self.pick_num(0.3)
            length = rng.choice([256, 512, 1024, 2048])
            name, i = self.name('v'), self.name('i')
            self.emit('%s;' % declare(Array(elem, length), name))
            self.begin('for (int %s = 0; %s < %d; %s++)' % (i, i, length, i))
            self.add(Variable(i, Num('int'), const=True))
            self.emit('%s[%s] = %s;' % (name, i, self.value(elem, 2)))
            self.end()
            self.add(Variable(name, Array(elem, length)))
        self.use_scope()
        for _ in range(rng.randrange(2, 6)):
            self.declare(0)
        mine = self.add(Variable('(work + gid * 32)', Array(Num('uint'), 32), 'global'))
        if self.collectives:
            self.emit('local ulong exchange[%d];' % GROUP)
        for _ in range(rng.randrange(2, 6)):
            if self.collectives and rng.random() < 0.6:
                self.collective()
            if self.newer and rng.random() < 0.2:
                self.sub_group()
            if rng.random() < (0.3 if self.flavour in ('group', 'sharing') else 0.05):
                self.exchange(locals_)
            if locals_ and rng.random() < 0.5:
                self.group_phase(locals_)
            elif self.flavour == 'switch' and rng.random() < 0.4:
                self.switch_(2, rng.choice([30, 60, 120]))
            else:
                self.statement(rng.choice([1, 2, 2, 3]) + 2 * (self.flavour == 'deep'))
        if rng.random() < 0.2:
            self.begin('if (%s)' % self.condition(2))
            self.emit('out[gid] = crc;')
            self.emit('return;')
            self.end()
        for variable in self.scopes[-1]:
            if variable is not mine and variable.name not in ('in', 'table', 'given'):
                self.hash_all(variable)
        self.emit('out[gid] = crc;')
        self.end()

    def text(self):
        rng = self.rng
        for _ in range(rng.randrange(2, 6) if self.flavour == 'records' else rng.randrange(0, 4)):
            self.make_record()
        self.constants()
        for _ in range(rng.randrange(2, 6) if self.flavour == 'calls' else rng.randrange(0, 3)):
            self.function()
        for _ in range(rng.randrange(1, 3) if self.flavour == 'sharing' or rng.random() < 0.1 else 0):
            self.restrict_function()
        if self.newer and rng.random() < 0.3:
            self.scope_variables()
        self.kernel()
        lines = [line for line in self.lines if line.strip()]
        traits = [self.flavour]
        for trait in ('generic', 'collectives', 'modern', 'subnormals', 'half'):
            if getattr(self, trait):
                traits.append({'generic': 'generic pointers'}.get(trait, trait))
        helpers = ''.join(self.helpers)
        prelude = PRELUDE % ('0' if self.subnormals else '0x1p-40f')
        return '// Seed %s, %s.\n%s%s%s%s\n' % (self.seed, ', '.join(traits), prelude, HALF if self.half else '', helpers,
                                               '\n'.join(lines))


def program(seed):
    """The first of the seed's programs that is short enough; one seed in ten may be long. Compilers take most of a run's time."""
    limit = 30000 if seed % 10 == 0 else 9000
    return next(text for text in (Program(seed, attempt).text() for attempt in itertools.count()) if len(text) <= limit)


if __name__ == '__main__':
    sys.stdout.write(program(int(sys.argv[1])))
