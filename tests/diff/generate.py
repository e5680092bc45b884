#!/usr/bin/env python3
"""Writes a random OpenCL C program whose results the specification defines; the same for the same seed.

usage: generate.py SEED > program.cl

differ.c runs the kernel `test`. It has the parameters below, 32 work-items in groups of 16, and writes a checksum of what it
computed to out; what it stores to work and counters is compared, too. Every loop has its own bound, every index a mask."""
import random
import sys

sys.dont_write_bytecode = True
from cltypes import *
from expressions import Expressions, Variable, cast

GROUP = 16
PARAMETERS = '''global ulong *out, global const uint *in, global uint *work, global uint *counters,
                 constant uint *table, local uint *room, int four, uint8 eight, float single, struct args given'''
PRELUDE = '''#pragma OPENCL FP_CONTRACT OFF
#define NN(T, I) __attribute__((overloadable)) T nn(T x) { return select(x, (T)1, (I)isnan(x)); }
#define NNS(T, I, S) __attribute__((overloadable)) T nn(T x) { return isnan(x) ? (T)1 : x; } \\
    NN(T##2, I##2) NN(T##3, I##3) NN(T##4, I##4) NN(T##8, I##8) NN(T##16, I##16)
#define NNI(T) __attribute__((overloadable)) T nn(T x) { return x; }
#define NNIS(T) NNI(T) NNI(T##2) NNI(T##3) NNI(T##4) NNI(T##8) NNI(T##16)
NNS(float, int, uint) NNS(double, long, ulong)
NNIS(char) NNIS(uchar) NNIS(short) NNIS(ushort) NNIS(int) NNIS(uint) NNIS(long) NNIS(ulong)
#define H(x) (crc = (crc ^ (ulong)(x)) * 0x100000001b3UL, crc ^= crc >> 29)
struct args { char c; short s; long l; float4 f; uchar b[5]; uint2 u; };
'''
HALF = '''#pragma OPENCL EXTENSION cl_khr_fp16 : enable
NNS(half, short, ushort)
'''


class Program(Expressions):
    def __init__(self, seed):
        self.rng = random.Random(seed)
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
        self.flavour = rng.choice(['plain'] * 6 + ['scratch', 'switch', 'deep', 'goto', 'goto', 'memory', 'memory', 'group', 'group'])

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

    def make_record(self):
        rng = self.rng
        if rng.random() < 0.3:
            size = rng.choice([8, 16, 32])
            members, uniform = [], [e for e in INTEGERS]
            for _ in range(rng.randrange(2, 5)):
                elem = Num(rng.choice(uniform), rng.choice([1, 1, 2, 4]))
                if elem.size > size:
                    elem = Num(elem.elem)
                count = size // elem.size
                members.append((self.name('u'), Array(elem, count) if count > 1 else elem))
            record = Record(self.name('U'), 'union', members)
        else:
            members = [(self.name('m'), self.pick_type(1)) for _ in range(rng.randrange(1, 6))]
            attribute = rng.choice([''] * 6 + [' __attribute__((packed))', ' __attribute__((aligned(32)))'])
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

    # ---- statements ----

    def statement(self, depth):
        rng = self.rng
        forms = ['assign'] * 8 + ['declare'] * 3 + ['pointer'] * 3 + ['bytes', 'hash', 'hash', 'component', 'component',
                 'compound', 'compound', 'compound', 'copy', 'step', 'store', 'call_statement', 'call_statement']
        if depth > 0:
            forms += ['if_'] * 5 + ['block', 'switch_', 'switch_', 'forward', 'chain']
            if self.loops < (3 if self.in_kernel else 2):
                forms += ['for_'] * 3 + ['while_', 'do_', 'backward', 'irreducible', 'machine', 'into_loop', 'duff']
                if self.flavour == 'goto':
                    forms += ['backward', 'irreducible', 'irreducible', 'machine', 'into_loop', 'duff', 'forward'] * 2
            if self.flavour == 'deep':
                forms += ['if_', 'if_', 'switch_', 'for_', 'block'] * 3
        if self.flavour == 'memory':
            forms += ['pointer', 'bytes', 'copy', 'store', 'walk'] * 3
        if self.in_kernel:
            forms += ['work_alias', 'work_alias', 'counter']
        if self.breakable:
            forms += ['leave'] * 2
        if self.result and depth < 3:
            forms += ['return_']
        getattr(self, rng.choice(forms))(depth)

    def statements(self, depth, least=1, most=3):
        for _ in range(self.rng.randrange(least, most + 1)):
            self.statement(depth)

    def body(self, depth, text='', after=''):
        self.begin(text)
        self.statements(depth - 1)
        self.end(after)

    def writable(self):
        return [v for v in self.visible() if not v.const]

    def target(self):
        variables = self.writable()
        if not variables:
            return None
        variable = self.rng.choice(variables)
        return self.descend(variable.name, variable.kind)

    def value(self, kind, depth=3):
        text = self.number(kind, depth)
        return 'nn(%s)' % cast(kind, text) if kind.is_float else text

    def assign(self, depth):
        target = self.target()
        if target:
            self.emit('%s = %s;' % (target[0], self.value(target[1], self.rng.randrange(1, 5))))

    def compound(self, depth):
        target = self.target()
        if not target:
            return
        path, kind = target
        operator = self.rng.choice(['&=', '|=', '^='])
        if kind.is_float:
            return self.emit('%s = nn(%s %s %s);' % (path, path, self.rng.choice('+-*'), cast(kind, self.number(kind, 2))))
        if not kind.is_signed and (kind.bits >= 32 or kind.lanes > 1):
            operator = self.rng.choice(['+=', '-=', '*=', '&=', '|=', '^=', '<<=', '>>='])
        elif kind.bits < 32 and kind.lanes == 1 and kind.elem != 'ushort':
            operator = self.rng.choice(['+=', '-=', '*=', '&=', '^='])
        source = kind
        if kind.lanes > 1 and self.rng.random() < 0.2:
            source = Num(kind.elem)
        value = self.number(source, 2)
        if operator in ('<<=', '>>=') and source.bits < 32 and source.lanes == 1:
            value = cast(source, '(%s) & %d' % (value, kind.bits - 1))
        self.emit('%s %s %s;' % (path, operator, cast(source, value)))

    def step(self, depth):
        """Increments: of unsigned, or narrow, which promote."""
        target = self.target()
        if target and not target[1].is_float and (not target[1].is_signed or target[1].bits < 32 and target[1].lanes == 1):
            form = self.rng.choice(['%s++;', '++%s;', '%s--;', '--%s;'])
            self.emit(form % target[0])
            variables = [v for v in self.writable() if isinstance(v.kind, Num) and v.name not in target[0] and not v.kind.is_float]
            if variables and self.rng.random() < 0.5:
                to = self.rng.choice(variables)
                post = self.rng.choice(['%s++', '--%s']) % target[0]
                self.emit('%s = %s;' % (to.name, convert(self.rng, post, target[1], to.kind)))

    def component(self, depth):
        """Assignments to parts of vectors."""
        target = self.target()
        if not target or target[1].lanes == 1:
            return self.assign(depth)
        rng = self.rng
        path, kind = target
        lanes = rng.choice([n for n in [1, 2, 3, 4, 8] if n < kind.lanes])
        if kind.lanes != 3 and lanes * 2 == kind.lanes and rng.random() < 0.5:
            part = rng.choice(['lo', 'hi', 'even', 'odd'])
        elif kind.lanes <= 4 and rng.random() < 0.5:
            part = ''.join(rng.sample('xyzw'[:kind.lanes], lanes))
        else:
            part = rng.choice('sS') + ''.join(rng.sample(SWIZZLE[:kind.lanes], lanes))
        self.emit('%s.%s = %s;' % (path, part, self.value(Num(kind.elem, lanes), 2)))

    def copy(self, depth):
        """Whole structs and unions."""
        records = [v for v in self.visible() if isinstance(v.kind, Record)]
        targets = [v for v in records if not v.const]
        if not targets:
            return self.assign(depth)
        to = self.rng.choice(targets)
        sources = [v for v in records if v.kind is to.kind]
        source = self.rng.choice(sources)
        if self.rng.random() < 0.3 and len(sources) > 1:
            return self.emit('%s = %s ? %s : %s;' % (to.name, self.condition(2), source.name, self.rng.choice(sources).name))
        if self.rng.random() < 0.3:
            return self.emit('%s = (%s)%s;' % (to.name, to.kind, self.initialiser(to.kind)))
        self.emit('%s = %s;' % (to.name, source.name))

    def store(self, depth):
        arrays = [v for v in self.writable() if isinstance(v.kind, Array) and isinstance(v.kind.elem, Num) and
                  v.kind.elem.lanes == 1 and v.kind.length >= 2 and v.kind.elem.elem != 'half']
        if not arrays:
            return self.assign(depth)
        array = self.rng.choice(arrays)
        lanes = self.rng.choice([n for n in LANES if n <= array.kind.length])
        kind = Num(array.kind.elem.elem, lanes)
        self.emit('vstore%d(%s, 0, %s + (%s) %% %du);' % (lanes, self.value(kind, 2), array.name, self.number(Num('uint'), 2),
                                                          array.kind.length - lanes + 1))

    def declare(self, depth):
        kind = self.pick_type()
        name = self.name('v')
        text = '%s = %s;' % (declare(kind, name), self.initialiser(kind))
        self.emit(self.rng.choice([''] * 8 + ['volatile ']) * isinstance(kind, Num) + text)
        self.add(Variable(name, kind))

    def address(self, variables):
        """A pointer to a number, as (expression, Num, space, const)."""
        variable = self.rng.choice(variables)
        path, kind = self.descend(variable.name, variable.kind)
        return '&' + path, kind, variable.space, variable.const

    def pointable(self):
        """Without differences of pointers, and packed structs, whose members a plain pointer may not reach."""
        def packed(kind):
            while isinstance(kind, Array):
                kind = kind.elem
            return isinstance(kind, Record) and ('packed' in kind.attribute or any(packed(k) for _, k in kind.members))
        return [v for v in self.visible() if not packed(v.kind) and ' - ' not in v.name]

    def pointer(self, depth):
        """A pointer to one of two places of one type, and what it reaches becomes a variable."""
        rng = self.rng
        variables = self.pointable()
        if not variables:
            return self.declare(depth)
        first, kind, space, const = self.address(variables)
        text = first
        for _ in range(6):
            other, its_kind, its_space, its_const = self.address(variables)
            if its_kind == kind and (its_space == space) and other != first:
                text, const = '%s ? %s : %s' % (self.condition(2), first, other), const or its_const
                break
        name = self.name('p')
        spelled = space if space != 'generic' else ''
        if self.generic and space in ('private', 'global', 'local') and rng.random() < 0.4:
            spelled, space = '', 'generic'
        words = [spelled, 'const' if const and space != 'constant' else '',
                 'volatile' if space != 'constant' and rng.random() < 0.05 else '', str(kind)]
        pointee = ' '.join(word for word in words if word)
        self.emit('%s *%s = %s;' % (pointee, name, text))
        if rng.random() < 0.2:
            second = self.name('q')
            self.emit('%s **%s = &%s;' % (pointee, second, name))
            return self.add(Variable('(**%s)' % second, kind, space, const))
        self.add(Variable('(*%s)' % name, kind, space, const))

    def walk(self, depth):
        """A pointer that runs over an array, compared with its end."""
        arrays = [v for v in self.pointable() if isinstance(v.kind, Array) and isinstance(v.kind.elem, Num)]
        if not arrays or self.loops > 2:
            return self.pointer(depth)
        array = self.rng.choice(arrays)
        space = {'generic': ''}.get(array.space, array.space + ' ')
        const = 'const ' if array.const and array.space != 'constant' else ''
        name = self.name('p')
        self.loops += 1
        self.begin('for (%s%s%s *%s = %s; %s < %s + %d; %s++)' % (space, const, array.kind.elem, name, array.name, name,
                                                                array.name, array.kind.length, name))
        self.add(Variable('(*%s)' % name, array.kind.elem, array.space, array.const))
        self.add(Variable('(%s - %s)' % (name, array.name), Num('long'), const=True))
        saved, self.breakable, self.continuable = (self.breakable, self.continuable), 1, 1
        self.statements(depth - 1)
        self.breakable, self.continuable = saved
        self.end()
        self.loops -= 1

    def views(self, kind):
        """Other types by which an integer array may be seen: bytes, and vectors, which alias everything."""
        size = kind.elem.size * kind.length
        elem = self.rng.choice([Num('uchar'), Num('char')] + [Num(e, n) for e in INTEGERS for n in (2, 4, 8)])
        if elem.size > kind.elem.size and elem.lanes == 1 or size % elem.size or elem.size > kind.elem.size * 4:
            elem = Num('uchar')
        return Array(elem, size // elem.size)

    def bytes(self, depth):
        """The memory of an integer array under another type. Only smaller alignments: the array promises no more."""
        arrays = [v for v in self.pointable() if isinstance(v.kind, Array) and isinstance(v.kind.elem, Num) and
                  not v.kind.elem.is_float and v.kind.elem.lanes != 3]
        if not arrays:
            return self.declare(depth)
        array = self.rng.choice(arrays)
        view = self.views(array.kind)
        if view.elem.size > array.kind.elem.size:
            view = Array(Num('uchar'), array.kind.elem.size * array.kind.length)
        space = {'generic': ''}.get(array.space, array.space + ' ')
        const = 'const ' if array.const and array.space != 'constant' else ''
        name = self.name('p')
        cast_text = '%s%s%s *' % (space, const, view.elem)
        self.emit('%s%s = (%s)%s;' % (cast_text, name, cast_text.strip(), array.name))
        self.add(Variable(name, view, array.space, array.const))

    def work_alias(self, depth):
        """This work-item's part of a global buffer under another type."""
        elem = self.rng.choice([Num(e, n) for e in INTEGERS for n in (1, 2, 4, 8, 16)])
        if elem.lanes == 1 and elem.bits > 8:
            elem = Num('uint')
        view = Array(elem, 128 // elem.size)
        name = self.name('w')
        volatile = self.rng.choice(['', '', '', 'volatile '])
        if not volatile:
            self.emit('global %s *%s = (global %s *)(work + gid * 32);' % (elem, name, elem))
            self.add(Variable(name, view, 'global'))
        else:
            self.emit('*(global volatile %s *)(work + gid * 32) = %s;' % (elem, self.value(elem, 2)))

    def counter(self, depth):
        """Atomics whose order does not matter; each counter has one operation."""
        which = self.rng.randrange(6)
        name = ['atomic_add', 'atomic_xor', 'atomic_or', 'atomic_and', 'atomic_min', 'atomic_max'][which]
        self.emit('%s(&counters[%d], %s);' % (name, which, self.number(Num('uint'), 2)))

    def hash(self, depth):
        if not self.visible():
            return
        variable = self.rng.choice(self.visible())
        path, kind = self.descend(variable.name, variable.kind)
        self.hash_number(path, kind)

    def hash_number(self, path, kind):
        bits = {'half': 'ushort', 'float': 'uint', 'double': 'ulong'}
        for lane in range(kind.lanes):
            part = path if kind.lanes == 1 else '%s.s%s' % (path, SWIZZLE[lane])
            if kind.is_float:
                part = 'as_%s(nn(%s))' % (bits[kind.elem], part)
            self.emit('H(%s);' % part)

    def hash_all(self, variable):
        name, kind = variable.name, variable.kind
        if isinstance(kind, Num):
            self.hash_number(name, kind)
        elif isinstance(kind, Record):
            for member, its_kind in kind.members[:1] if kind.keyword == 'union' else kind.members:
                self.hash_all(Variable('%s.%s' % (name, member), its_kind))
        elif kind.length == 1:
            self.hash_all(Variable(name + '[0]', kind.elem))
        else:
            i = self.name('i')
            self.begin('for (int %s = 0; %s < %d; %s++)' % (i, i, kind.length, i))
            self.hash_all(Variable('%s[%s]' % (name, i), kind.elem))
            self.end()

    def call_statement(self, depth):
        fitting = [f for f in self.functions if f['pointers'] or not isinstance(f['result'], Num)]
        if not fitting or self.calls > 4:
            return self.assign(depth)
        function = self.rng.choice(fitting)
        args = []
        for kind, pointer in zip(function['params'], function['pointers']):
            if pointer:
                spaces = ('private', 'global', 'local', 'generic') if self.generic else ('private',)
                found = [v for v in self.pointable() if v.kind == kind and not v.const and v.space in spaces]
                if not found:
                    return self.assign(depth)
                name = self.rng.choice(found).name
                if any(name in a for a in args):
                    return self.assign(depth)
                args.append('&' + name)
            elif isinstance(kind, Num):
                args.append(cast(kind, self.value(kind, 2)))
            else:
                found = [v for v in self.visible() if v.kind is kind]
                args.append(self.rng.choice(found).name if found else '(%s)%s' % (kind, self.initialiser(kind)))
        self.calls += 1
        name = self.name('v')
        self.emit('%s = %s(%s);' % (declare(function['result'], name), function['name'], ', '.join(args)))
        self.add(Variable(name, function['result']))

    # ---- control flow ----

    def if_(self, depth):
        self.body(depth, 'if (%s)' % self.condition(3))
        while self.rng.random() < 0.3:
            self.lines[-1] += ' else if (%s) {' % self.condition(2)
            self.continue_body(depth)
        if self.rng.random() < 0.5:
            self.lines[-1] += ' else {'
            self.continue_body(depth)

    def continue_body(self, depth):
        self.indent += 1
        self.scopes.append([])
        self.statements(depth - 1)
        self.end()

    def block(self, depth):
        self.body(depth)

    def loop(self, depth, text, after='', counter=None):
        saved = self.breakable, self.continuable
        self.loops += 1
        self.breakable = self.continuable = 1
        self.begin(text)
        if counter:
            self.add(Variable(counter, Num('int'), const=True))
        self.statements(depth - 1, 1, 3)
        self.end(after)
        self.loops -= 1
        self.breakable, self.continuable = saved

    def bound(self):
        if self.rng.random() < 0.5:
            return str(self.rng.randrange(1, 6))
        return '(int)((%s) & 3) + 1' % self.number(Num('uint'), 2)

    def for_(self, depth):
        i = self.name('i')
        hint = self.rng.choice([''] * 6 + ['__attribute__((opencl_unroll_hint(2))) ', '__attribute__((opencl_unroll_hint)) '])
        form = self.rng.choice(['for (int %s = 0, n%s = %s; %s < n%s; %s++)', 'for (int %s = 0, n%s = %s; %s != n%s; ++%s)'])
        self.loop(depth, hint + form % (i, i, self.bound(), i, i, i), counter=i)

    def while_(self, depth):
        n = self.name('n')
        self.emit('int %s = %s;' % (n, self.bound()))
        self.loop(depth, 'while (%s-- > 0%s)' % (n, ' && %s' % self.condition(2) if self.rng.random() < 0.5 else ''), counter=n)

    def do_(self, depth):
        n = self.name('n')
        self.emit('int %s = %s;' % (n, self.bound()))
        self.loop(depth, 'do', ' while (--%s > 0%s);' % (n, ' && %s' % self.condition(2) if self.rng.random() < 0.5 else ''),
                  counter=n)

    def leave(self, depth):
        words = ['break'] * self.breakable + ['continue'] * self.continuable
        self.emit('if (%s) %s;' % (self.condition(2), self.rng.choice(words)))

    def return_(self, depth):
        self.emit('if (%s) return %s;' % (self.condition(2), self.returned()))

    def returned(self):
        if isinstance(self.result, Num):
            return self.value(self.result, 2)
        found = [v for v in self.visible() if v.kind is self.result]
        return self.rng.choice(found).name if found else '(%s)%s' % (self.result, self.initialiser(self.result))

    def switch_(self, depth, count=None):
        rng = self.rng
        kind = Num(rng.choice(['int', 'uint', 'uchar', 'char', 'long', 'ulong', 'short']))
        count = count or rng.randrange(1, 7)
        few = count <= 8
        mask = 7 if few else 127
        values = rng.sample(range(mask + 1), min(count, mask + 1))
        default = rng.randrange(len(values) + 1) if rng.random() < 0.7 else None
        saved, self.breakable = self.breakable, 1
        stretch = 0 if kind.bits < 32 or rng.random() < 0.7 else rng.choice([1000, -77777, 123456789])
        self.begin('switch (%s)' % cast(kind, '(%s)((%s) & %d)%s' % (kind, self.number(kind, 3), mask,
                                                                  ' * %d' % stretch if stretch and kind.bits == 64 else '')))
        scale = stretch if stretch and kind.bits == 64 else 1
        for i, value in enumerate(values):
            if i == default:
                self.emit('default:')
            if few and rng.random() < 0.1 and scale == 1 and value < mask and value + 1 not in values:
                self.emit('case %d ... %d:' % (value, value + 1))
            else:
                self.emit('case %s:' % (value * scale if scale > 0 or kind.is_signed else '(ulong)%d' % (value * scale)))
            if rng.random() < 0.15:
                continue
            self.begin()
            self.statements(depth - 1, 1, 3 if few else 1)
            self.end()
            if rng.random() < 0.7:
                self.emit(rng.choice(['break;'] * 4 + ['continue;'] * bool(self.continuable)))
        if default == len(values):
            self.emit('default:')
            self.assign(0)
        self.emit(';')
        self.end()
        self.breakable = saved

    def chain(self, depth):
        """Nested ternaries and short-circuits with calls inside."""
        kind = self.pick_num(0.2)
        name = self.name('v')
        text = self.value(kind, 3)
        for _ in range(3):
            text = '%s ? %s : (%s)' % (self.condition(3), cast(kind, self.value(kind, 2)), cast(kind, text))
        self.emit('%s = %s;' % (declare(kind, name), text))
        self.add(Variable(name, kind))

    def forward(self, depth):
        """Out of nested statements at once."""
        label = self.name('L')
        self.begin()
        self.statements(depth - 1, 1, 2)
        self.begin('if (%s)' % self.condition(2))
        self.statements(depth - 2)
        self.emit('if (%s) goto %s;' % (self.condition(2), label))
        self.statements(depth - 2)
        self.end()
        if self.loops < 3:
            i = self.name('i')
            self.begin('for (int %s = 0; %s < 3; %s++)' % (i, i, i))
            self.loops += 1
            saved, self.breakable, self.continuable = (self.breakable, self.continuable), 1, 1
            self.statements(depth - 2, 1, 2)
            self.emit('if (%s) goto %s;' % (self.condition(2), label))
            self.breakable, self.continuable = saved
            self.loops -= 1
            self.end()
        self.end()
        self.emit('%s:;' % label)

    def backward(self, depth):
        label, n = self.name('L'), self.name('n')
        self.emit('int %s = %s;' % (n, self.bound()))
        self.emit('%s:;' % label)
        self.loops += 1
        self.body(depth)
        self.begin('if (%s-- > 0)' % n)
        self.statements(depth - 2, 0, 2)
        self.emit('if (%s) goto %s;' % (self.condition(2), label))
        self.end()
        self.loops -= 1

    def irreducible(self, depth):
        """Two labels and jumps to both from before and from either."""
        a, b, c, n = self.name('L'), self.name('L'), self.name('L'), self.name('n')
        self.loops += 1
        self.begin()
        self.emit('int %s = %s + 2;' % (n, self.bound()))
        self.emit('if (%s) goto %s;' % (self.condition(2), b))
        self.emit('%s:;' % a)
        self.body(depth)
        self.emit('if (%s-- <= 0) goto %s;' % (n, c))
        if self.rng.random() < 0.4:
            self.emit('if (%s) goto %s;' % (self.condition(1), a))
        self.emit('%s:;' % b)
        self.body(depth)
        self.emit('if (%s-- > 0 && %s) goto %s;' % (n, self.condition(2), self.rng.choice([a, b])))
        self.emit('if (%s && %s-- > 0) goto %s;' % (self.condition(1), n, self.rng.choice([a, b])))
        self.emit('%s:;' % c)
        self.end()
        self.loops -= 1

    def machine(self, depth):
        """A state machine: a loop around a switch whose cases choose the next state."""
        n, state = self.name('n'), self.name('s')
        self.emit('int %s = 6;' % n)
        self.emit('uint %s = (%s) & 3;' % (state, self.number(Num('uint'), 2)))
        self.loops += 1
        saved, self.breakable, self.continuable = (self.breakable, self.continuable), 1, 1
        self.begin('while (%s-- > 0)' % n)
        self.begin('switch (%s)' % state)
        for i in range(4):
            self.emit('case %d:' % i if i < 3 else 'default:')
            self.begin()
            self.statements(depth - 2, 1, 2)
            self.emit('%s = (%s) & 3;' % (state, self.number(Num('uint'), 2)))
            self.end()
            self.emit(self.rng.choice(['break;', 'continue;', '', 'break;']))
        self.end()
        self.statements(depth - 2, 0, 1)
        self.end()
        self.loops -= 1
        self.breakable, self.continuable = saved

    def into_loop(self, depth):
        """A jump into the middle of a loop."""
        i, label = self.name('i'), self.name('L')
        self.emit('int %s = 0;' % i)
        self.emit('if (%s) goto %s;' % (self.condition(2), label))
        self.loops += 1
        saved, self.breakable, self.continuable = (self.breakable, self.continuable), 1, 1
        self.begin('for (; %s < 3; %s++)' % (i, i))
        self.body(depth - 1)
        self.emit('%s:;' % label)
        self.body(depth - 1)
        self.end()
        self.loops -= 1
        self.breakable, self.continuable = saved

    def duff(self, depth):
        n = self.name('n')
        self.emit('int %s = 2;' % n)
        saved, self.breakable, self.continuable = (self.breakable, self.continuable), 1, 1
        self.loops += 1
        self.begin('switch ((%s) & 3)' % self.number(Num('uint'), 2))
        self.emit('case 0:')
        self.begin('do')
        for i in range(3, -1, -1):
            if i < 3:
                self.emit('case %d:;' % (i + 1) if i else ';')
            self.body(depth - 1)
        self.end(' while (--%s > 0);' % n)
        self.end()
        self.loops -= 1
        self.breakable, self.continuable = saved

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

    def function(self):
        rng = self.rng
        params, pointers = [], []
        for _ in range(rng.randrange(1, 4)):
            by_pointer = rng.random() < 0.35
            kind = self.pick_num() if by_pointer or rng.random() < 0.8 or not self.records else rng.choice(self.records)
            params.append(kind)
            pointers.append(by_pointer)
        result = self.pick_num() if rng.random() < 0.85 or not self.records else rng.choice(self.records)
        pure = not any(pointers) and all(isinstance(k, Num) for k in params)
        names = [self.name('a') for _ in params]
        text = ', '.join('%s %s%s' % (k, '*' * p, n) for k, p, n in zip(params, pointers, names))
        name = self.name('f')
        qualifier = rng.choice(['', '', 'static ', '__attribute__((noinline)) ', 'inline static ', '__attribute__((always_inline)) '])
        self.begin('%s%s %s(%s)' % (qualifier, result, name, text))
        for kind, pointer, param in zip(params, pointers, names):
            self.add(Variable('(*%s)' % param if pointer else param, kind, 'generic' if pointer and self.generic else 'private'))
        self.result = result
        self.calls = 2
        self.emit('ulong crc = 7;')
        self.statements(2, 1, 4)
        if isinstance(result, Num) and not result.is_float and rng.random() < 0.5:
            self.emit('if (crc & 1) return %s;' % convert(rng, 'crc', Num('ulong'), result))
        self.emit('return %s;' % self.returned())
        self.end()
        self.result = None
        self.functions.append({'name': name, 'result': result, 'params': params, 'pointers': pointers, 'pure': pure})

    def group_phase(self, locals_):
        """Every work-item writes its place, all meet, everybody reads everything."""
        rng = self.rng
        name, kind = rng.choice(locals_)
        wrapped = rng.random() < 0.3
        if wrapped:
            i = self.name('i')
            self.begin('for (int %s = 0; %s < 2; %s++)' % (i, i, i))
        path, number = self.descend('%s[lid]' % name, kind)
        if isinstance(kind, Num):
            self.emit('%s[lid] = %s;' % (name, self.value(kind)))
        else:
            for path, number in leaves(kind, '%s[lid]' % name):
                self.emit('%s = %s;' % (path, self.value(number, 2)))
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        self.begin()
        self.add(Variable(name, Array(kind, GROUP), 'local', True))
        self.statements(2, 2, 4)
        self.hash_all(Variable('%s[(lid + %d) & %d]' % (name, rng.randrange(GROUP), GROUP - 1), kind))
        self.end()
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        if rng.random() < 0.4:
            self.emit('room[lid] = 0;')
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
            operation = rng.choice(['atomic_add', 'atomic_xor', 'atomic_or', 'atomic_max', 'atomic_sub'])
            self.emit('%s(&room[%s], %s);' % (operation, self.index(GROUP), self.number(Num('uint'), 2)))
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
            self.emit('H(room[(lid * 5) & %d]);' % (GROUP - 1))
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        if wrapped:
            self.end()

    def kernel(self):
        rng = self.rng
        self.in_kernel, self.calls = True, 0
        if rng.random() < 0.3:
            self.emit('__attribute__((reqd_work_group_size(%d, 1, 1)))' % GROUP)
        self.begin('kernel void test(%s)' % PARAMETERS)
        self.emit('uint gid = get_global_id(0), lid = get_local_id(0);')
        self.emit('ulong crc = 0xcbf29ce484222325UL;')
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
        for _ in range(rng.randrange(2, 6)):
            self.declare(0)
        mine = self.add(Variable('(work + gid * 32)', Array(Num('uint'), 32), 'global'))
        for _ in range(rng.randrange(2, 6)):
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
        for _ in range(rng.randrange(0, 4)):
            self.make_record()
        self.constants()
        for _ in range(rng.randrange(0, 3)):
            self.function()
        self.kernel()
        lines = [line for line in self.lines if line.strip()]
        return '// Seed %s, %s%s.\n%s%s%s\n' % (self.seed, self.flavour, ', generic pointers' * self.generic, PRELUDE, HALF if self.half else '', '\n'.join(lines))


if __name__ == '__main__':
    sys.stdout.write(Program(int(sys.argv[1])).text())
