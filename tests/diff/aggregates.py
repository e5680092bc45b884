#!/usr/bin/env python3
"""Random programs that move structures, unions and arrays about: packed and aligned, of all types, in all address spaces; copied, returned,
passed by value, indexed by variables, partly overwritten. A model computes what they leave in memory.

usage: see testfiles.py, and
       aggregates.py --keep-arguments ...  without writing to arguments, of which PoCL 3.1 has one for all work-items

Nothing is computed with what is moved, so each byte of a result is known, or is padding, or was never written. All bytes are from 4 to
123: then no float is a NaN or subnormal. Bools are 0 or 1; what pointers point to is read in the end."""
import random
import struct
import sys

sys.dont_write_bytecode = True
import testfiles
from layouts import *

ITEMS = 4
AT = [2, 0, 3, 1, 5, 4]
POINTED = {'global': AT, 'constant': [12, 14, 10, 11, 13, 15], 'local': [21, 20, 25, 24, 22, 23]}


class Index:
    """An index that is less than a length: as text, and per work-item."""
    def __init__(self, rng, length, loop=None):
        kind = rng.randrange(7)
        n = rng.randrange(len(AT))
        if loop and kind < 5:
            self.text, self.values = loop
            if max(self.values) >= length:
                self.text, self.values = '%s %% %du' % (self.text, length), [v % length for v in self.values]
        elif kind < 3:
            value = rng.randrange(length)
            self.text, self.values = '%d' % value, [value] * ITEMS
        elif kind == 3:
            self.text, self.values = 'n%d %% %du' % (n, length), [AT[n] % length] * ITEMS
        elif kind == 4:
            self.text, self.values = 'i %% %du' % length, [i % length for i in range(ITEMS)]
        else:
            self.text, self.values = '(n%d + i) %% %du' % (n, length), [(AT[n] + i) % length for i in range(ITEMS)]


class Memory:
    """An object as each work-item sees it: its bytes, and which of them are known."""
    def __init__(self, name, kind, space, writable=True, data=None):
        self.name, self.kind, self.space, self.writable = name, kind, space, writable
        self.data = [bytearray(data[i] if data else kind.size) for i in range(ITEMS)]
        self.known = [bytearray(visible(kind, kind.marks()) if data else kind.size) for i in range(ITEMS)]


class Place:
    """A part of an object: as text, its type, and its offset per work-item."""
    def __init__(self, memory, text, kind, offsets, component=False):
        self.memory, self.text, self.kind, self.offsets, self.component = memory, text, kind, offsets, component


def read(place, item):
    """The bytes, and which are known. A number of which a byte is not known is not known at all."""
    at = place.offsets[item]
    data = place.memory.data[item][at:at + place.kind.size]
    known = place.memory.known[item][at:at + place.kind.size]
    return data, settle(place.kind, known)


def visible(kind, known):
    """Without pointers, whose bytes the host neither makes nor compares."""
    for offset, num, _ in numbers(kind) if has(kind, Pointer) else ():
        if isinstance(num, Pointer):
            known[offset:offset + num.size] = bytes(num.size)
    return known


def settle(kind, known):
    known = bytearray(known)
    if isinstance(kind, Num):
        used = kind.bytes * kind.lanes
        for lane in range(kind.lanes):
            part = slice(lane * kind.bytes, (lane + 1) * kind.bytes)
            known[part] = [all(known[part])] * kind.bytes
        known[used:] = [0] * (kind.size - used)
    elif isinstance(kind, Array):
        for i in range(kind.length):
            part = slice(i * kind.elem.size, (i + 1) * kind.elem.size)
            known[part] = settle(kind.elem, known[part])
    elif kind.keyword == 'struct':
        result = bytearray(kind.size)
        for member in kind.members:
            part = slice(member.offset, member.offset + member.kind.size)
            result[part] = settle(member.kind, known[part])
        known = result
    else:
        known = bytearray(k & m for k, m in zip(known, kind.marks()))
    return known


def write(place, item, value):
    data, known = value
    at = place.offsets[item]
    place.memory.data[item][at:at + place.kind.size] = data
    place.memory.known[item][at:at + place.kind.size] = known


def value_type(kind):
    """What two places have in common of which one may be assigned to the other."""
    return kind.type if isinstance(kind, Num) else str(kind)


class Program:
    def __init__(self, seed):
        self.rng = random.Random('aggregates %d' % seed)
        self.seed = seed
        self.records, self.types, self.functions, self.lines, self.globals = [], [], [], [], []
        self.params, self.objects, self.checks = [], [], []
        self.names = 0
        self.pointers = [Pointer('global', 'at'), Pointer('constant', 'some%d' % seed), Pointer('local', 'shared')]
        rng = self.rng
        self.elems = [e for e in SIZES if e not in ('double', 'half') or rng.random() < 0.25]
        self.lanes, self.attributes, self.nested = [1, 1, 1, 1, 2, 3, 4, 4, 8, 16], rng.choice([0, 0.15]), 0.35
        self.large, self.num_locals = rng.random() < 0.3, rng.randrange(3)
        if rng.random() < 0.5:
            self.elems = rng.sample(self.elems, 2)
        flavour = rng.choice(['any', 'any', 'vectors', 'packed', 'one'])
        if flavour == 'vectors':  # of one number of lanes, in large structures: such local memory is an array of vectors
            self.elems, self.lanes = rng.choice([['int', 'float', 'uint'], ['float'], self.elems]), [rng.choice([2, 4, 8])]
            self.large, self.num_locals = True, rng.randrange(1, 3)
        elif flavour == 'packed':  # arrays of packed structures in structures
            self.lanes, self.attributes, self.nested = [1, 1, 1, 1, 1, 4], 0.5, 0.7
            self.elems = [e for e in SIZES if e not in ('double', 'half')]
        elif flavour == 'one':
            self.lanes = [rng.choice([1, 1, 2, 3, 4])]

    def name(self, prefix):
        self.names += 1
        return '%s%d' % (prefix, self.names)

    # ---- types ----

    def num(self):
        if self.types and self.rng.random() < 0.45:
            return self.rng.choice(self.types)
        return Num(self.rng.choice(self.elems), self.rng.choice(self.lanes))

    def named_types(self):
        """What else members may be: bools, enumerations, pointers, aligned types."""
        rng = self.rng
        for _ in range(rng.choice([0, 0, 2, 4, 6])):
            name = self.name('n%d_' % self.seed)
            pick = rng.randrange(5)
            if pick == 0:
                self.types.append(Bool())
            elif pick == 1:
                self.types.append(Enum(name, rng.choice([123, 0x606, 0x6060606]), rng.random() < 0.5))
            elif pick < 4:
                self.types.append(rng.choice(self.pointers))
            else:
                kind = Num(rng.choice(self.elems), rng.choice(self.lanes))
                self.types.append(Alias(name, kind, rng.choice([1, 2, 4, 8, 16, 32])))

    def member_kind(self):
        rng = self.rng
        pick = rng.random()
        if pick < self.nested and self.records:
            kind = rng.choice(self.records)
        else:
            kind = self.num()
        for _ in range(rng.choice([0, 0, 1, 1, 1, 2] if not self.large else [0, 1, 1, 1, 1, 2])):
            if kind.size % kind.align:  # an element would be more aligned than it is large
                break
            kind = Array(kind, rng.choice([1, 2, 3, 4, 5, 7, 16] + [20, 33, 40] * self.large))
        limit = 700 if self.large else 160
        return kind if kind.size <= limit else self.num()

    def pack(self, kind):
        """Whether a member of this type is packed: not where its type is one with an alignment of its own (layout_clang.py asks about those)."""
        while isinstance(kind, Array):
            kind = kind.elem
        return not isinstance(kind, Alias) and self.rng.random() < self.attributes / 2

    def record(self):
        rng = self.rng
        keyword = 'union' if rng.random() < 0.15 else 'struct'
        members, size = [], 0
        for i in range(rng.randrange(1, 6)):
            kind = self.member_kind()
            if keyword == 'union' and has(kind, Bool, Pointer):  # other members would leave there what these cannot be
                continue
            if size + kind.size > (1000 if self.large else 240):
                break
            size += kind.size
            member = Member('m%d' % i, kind)
            if rng.random() < self.attributes / 2:
                member.aligned = rng.choice([2, 4, 8, 16, 32])
            member.packed = self.pack(kind)
            members.append(member)
        if not members:
            members = [Member('m0', Num(rng.choice(self.elems)))]
        packed = rng.random() < self.attributes and not has(Record('', keyword, members), Alias)
        aligned = rng.choice([4, 8, 16, 32, 64]) if rng.random() < self.attributes / 2 else 0
        record = Record(self.name('t%d_' % self.seed), keyword, members, packed, aligned)
        self.records.append(record)
        return record

    # ---- places ----

    def descend(self, place, wanted=None, loop=None, stop=0.25):
        """A random part of a place; of the wanted type, or None where there is none."""
        rng = self.rng
        for _ in range(12):
            if wanted is not None and place.kind is wanted or value_type(place.kind) == value_type(wanted):
                return place
            if isinstance(place.kind, Array):
                index = Index(rng, place.kind.length, loop)
                size = place.kind.elem.size
                place = Place(place.memory, '%s[%s]' % (place.text, index.text), place.kind.elem,
                              [o + v * size for o, v in zip(place.offsets, index.values)])
            elif isinstance(place.kind, Record):
                if wanted is None and rng.random() < stop:
                    return place
                member = rng.choice(place.kind.members)
                place = Place(place.memory, '%s.%s' % (place.text, member.name), member.kind, [o + member.offset for o in place.offsets])
            elif wanted is not None:
                return None
            else:
                break
        if wanted is None and not isinstance(place.kind, Array):
            return place
        return None

    def component(self, place, loop=None):
        """A component of a vector, now and then by a variable index through a pointer."""
        if not isinstance(place.kind, Num) or place.kind.lanes == 1:
            return place
        lane = self.rng.randrange(place.kind.lanes)
        return Place(place.memory, '%s.s%s' % (place.text, SWIZZLE[lane]), Num(place.kind.elem),
                     [o + lane * place.kind.bytes for o in place.offsets], True)

    def whole(self, memory):
        return Place(memory, memory.name, memory.kind, [0] * ITEMS)

    def some_place(self, writable, loop=None, stop=0.25):
        candidates = [m for m in self.objects if m.writable or not writable]
        return self.descend(self.whole(self.rng.choice(candidates)), None, loop, stop)

    def matching(self, place, loop=None):
        """Another place of the same type, which does not overlap."""
        for _ in range(30):
            other = self.descend(self.whole(self.rng.choice(self.objects)), place.kind, loop)
            if other and self.apart(place, other):
                return other
        return None

    def apart(self, a, b):
        return a.memory is not b.memory or all(
            o + a.kind.size <= p or p + b.kind.size <= o for o, p in zip(a.offsets, b.offsets))

    # ---- values ----

    def literal_bytes(self, kind):
        """Bytes of a random value of this type."""
        data = bytearray(self.rng.randrange(4, 124) for _ in range(kind.size))
        for offset, num, _ in numbers(kind) if has(kind, Bool, Pointer, Enum) else ():
            if isinstance(num, Bool):
                data[offset] = self.rng.randrange(2)
            elif isinstance(num, Pointer):
                data[offset:offset + num.size] = self.rng.randrange(len(AT)).to_bytes(num.size, 'little')
            elif isinstance(num, Enum) and not num.packed and self.rng.random() < 0.3:
                data[offset:offset + num.size] = num.high.to_bytes(num.size, 'little')
        return data

    def literal(self, kind, data):
        if isinstance(kind, Num):
            parts = [self.scalar(kind, data[i * kind.bytes:(i + 1) * kind.bytes]) for i in range(kind.lanes)]
            return parts[0] if kind.lanes == 1 else '(%s)(%s)' % (kind.type, ', '.join(parts))
        if isinstance(kind, Array):
            size = kind.elem.size
            return '{%s}' % ', '.join(self.literal(kind.elem, data[i * size:(i + 1) * size]) for i in range(kind.length))
        members = kind.members[:1] if kind.keyword == 'union' else kind.members
        return '{%s}' % ', '.join(self.literal(m.kind, data[m.offset:m.offset + m.kind.size]) for m in members)

    def scalar(self, kind, data):
        elem, value = kind.elem, int.from_bytes(data, 'little')
        if isinstance(kind, Pointer):
            return '%s + %d' % (kind.base, value)
        if isinstance(kind, Bool):
            return ('false', 'true')[value]
        if isinstance(kind, Enum):
            return kind.name + '_b' if value == kind.high else '(%s)%d' % (elem, value)
        if elem == 'half':
            return '(half)%sf' % struct.unpack('<e', data)[0].hex()
        if elem == 'float':
            return struct.unpack('<f', data)[0].hex() + 'f'
        if elem == 'double':
            return struct.unpack('<d', data)[0].hex()
        return '(%s)%d%s' % (elem, value, 'L' if SIZES[elem] == 8 else '')

    def literal_marks(self, kind):
        """Which bytes an initialiser makes known: a union's by its first member."""
        if isinstance(kind, Record):
            marks = bytearray(kind.size)
            for member in kind.members[:1] if kind.keyword == 'union' else kind.members:
                marks[member.offset:member.offset + member.kind.size] = self.literal_marks(member.kind)
            return marks
        if isinstance(kind, Array):
            return self.literal_marks(kind.elem) * kind.length
        return bytearray(kind.marks())

    # ---- statements ----

    def emit(self, text):
        self.lines.append('    ' + text)

    def pointer(self, place):
        """The place's text by way of a pointer."""
        space = place.memory.space
        name = self.name('p')
        const = '' if place.memory.writable else 'const '
        self.emit('%s %s %s*%s = &%s;' % (place.kind, space, const, name, place.text))
        return Place(place.memory, '(*%s)' % name, place.kind, place.offsets)

    def may_point(self, place):
        """Packed members may be less aligned than their type, which a pointer promises."""
        return not self.attributes and not place.component and not isinstance(place.kind, Array)

    def assign(self, to, source, items=range(ITEMS), text=None):
        self.emit(text or '%s = %s;' % (to.text, source.text))
        values = {i: read(source, i) for i in items}
        for i in items:
            write(to, i, values[i])

    def copy(self):
        to = self.some_place(True)
        source = to and self.matching(to)
        if not source:
            return
        if self.may_point(to) and self.rng.random() < 0.3:
            to = self.pointer(to)
        if self.may_point(source) and self.rng.random() < 0.3:
            source = self.pointer(source)
        self.assign(to, source)

    def store(self, to=None):
        to = to or self.some_place(True, None, 0.05)
        if not to or not isinstance(to.kind, Num):
            return
        if self.rng.random() < (0.15 if len(self.lanes) == 1 else 0.4):
            to = self.component(to)
        data = self.literal_bytes(to.kind)
        self.emit('%s = %s;' % (to.text, self.literal(to.kind, data)))
        for i in range(ITEMS):
            write(to, i, (data, to.kind.marks()))

    def conditional(self):
        to = self.some_place(True)
        source = to and self.matching(to)
        if not source:
            return
        if self.rng.random() < 0.5:
            self.assign(to, source, [1, 3], 'if (i & 1) %s = %s;' % (to.text, source.text))
            return
        other = self.matching(to)
        if not other:
            return
        self.emit('%s = n%d < 2 + i ? %s : %s;' % (to.text, 0, source.text, other.text))
        values = {i: read(source if AT[0] < 2 + i else other, i) for i in range(ITEMS)}
        for i in values:
            write(to, i, values[i])

    def choose(self):
        """A literal of a structure, by initialiser or compound literal."""
        to = self.some_place(True, None, 0.6)
        if not to or not isinstance(to.kind, Record) or to.kind.size > 300:
            return
        data = self.literal_bytes(to.kind)
        self.emit('%s = (%s)%s;' % (to.text, to.kind, self.literal(to.kind, data)))
        for i in range(ITEMS):
            write(to, i, (data, self.literal_marks(to.kind)))

    def function(self):
        """By value in, changed at a variable index, by value out."""
        to = self.some_place(True, None, 0.6)
        source = to and self.matching(to)
        if not source or not isinstance(to.kind, Record):
            return
        name = self.name('f%d_' % self.seed)
        inner = Memory('x', to.kind, 'private')
        for i in range(ITEMS):
            inner.data[i], inner.known[i] = read(source, i)
        part = self.descend(self.whole(inner), None, None, 0)
        body = ''
        if part and isinstance(part.kind, Num) and not isinstance(part.kind, Pointer):
            part = self.component(part) if self.rng.random() < 0.5 else part
            data = self.literal_bytes(part.kind)
            body = '%s = %s; ' % (part.text, self.literal(part.kind, data))
            for i in range(ITEMS):
                write(part, i, (data, part.kind.marks()))
        kept = self.rng.choice(['', '__attribute__((noinline)) '])
        others = ', '.join('uint n%d' % n for n in range(len(AT)))
        self.functions.append('%s%s %s(%s x, uint i, %s) { %sreturn x; }\n' % (kept, to.kind, name, to.kind, others, body))
        self.emit('%s = %s(%s, i, %s);' % (to.text, name, source.text, ', '.join('n%d' % n for n in range(len(AT)))))
        for i in range(ITEMS):
            write(to, i, read(self.whole(inner), i))

    def by_pointer(self):
        """A function that copies a part through two pointers."""
        to, source = self.some_place(True, None, 0.6), self.some_place(False, None, 0.6)
        if not to or not source or not isinstance(to.kind, Record) or not isinstance(source.kind, Record) or not self.apart(to, source):
            return
        if not (self.may_point(to) and self.may_point(source)):
            return
        a, b = Place(to.memory, '(*a)', to.kind, to.offsets), Place(source.memory, '(*b)', source.kind, source.offsets)
        part = self.descend(a)
        other = part and self.descend(b, part.kind)
        if not other:
            return
        name = self.name('g%d_' % self.seed)
        kept = self.rng.choice(['', '__attribute__((noinline)) '])
        others = ', '.join('uint n%d' % n for n in range(len(AT)))
        self.functions.append('%svoid %s(%s %s *a, %s const %s *b, uint i, %s) { %s = %s; }\n' % (
            kept, name, to.memory.space, to.kind, source.memory.space, source.kind, others, part.text, other.text))
        self.assign(part, other, text='%s(&%s, &%s, i, %s);' % (name, to.text, source.text, ', '.join('n%d' % n for n in range(len(AT)))))

    def loop(self):
        """Copies parts in a loop."""
        count = self.rng.randrange(2, 6)
        name = self.name('k')
        state = self.rng.getstate()
        for k in range(count):
            self.rng.setstate(state)
            where = (name, [k] * ITEMS)
            to = self.some_place(True, where)
            source = to and self.matching(to, where)
            if not source and k == 0:
                return
            if not source:
                raise Retry
            if k == 0:
                self.emit('for (uint %s = 0; %s < %d; %s++)' % (name, name, count, name))
                self.emit('    %s = %s;' % (to.text, source.text))
                texts = to.text, source.text
            if (to.text, source.text) != texts:
                raise Retry
            values = [read(source, i) for i in range(ITEMS)]
            for i in range(ITEMS):
                write(to, i, values[i])

    def bytewise(self):
        """Copies all bytes, those of padding too, through pointers to bytes."""
        to = self.some_place(True, None, 0.5)
        source = to and self.matching(to)
        if not source or to.component or source.component:
            return
        a, b, k = self.name('a'), self.name('b'), self.name('k')
        self.emit('{ %s uchar *%s = (%s uchar *)&%s; %s const uchar *%s = (%s const uchar *)&%s;' % (
            to.memory.space, a, to.memory.space, to.text, source.memory.space, b, source.memory.space, source.text))
        self.emit('for (uint %s = 0; %s < sizeof(%s); %s++) %s[%s] = %s[%s]; }' % (k, k, to.kind, k, a, k, b, k))
        for i in range(ITEMS):
            at, size = source.offsets[i], source.kind.size
            write(to, i, (source.memory.data[i][at:at + size], source.memory.known[i][at:at + size]))

    def exchange(self):
        """What another work-item has in local memory."""
        shared = [m for m in self.objects if m.space == 'local']
        if not shared:
            return
        memory = self.rng.choice(shared)
        step = self.rng.randrange(1, ITEMS)
        others = [m for m in self.objects if m is not memory and m.writable]
        to = self.rng.choice(others)
        found = self.descend(self.whole(to), memory.kind)
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        if found:
            base = memory.name[:memory.name.index('[')]
            self.emit('%s = %s[(i + %d) %% %du];' % (found.text, base, step, ITEMS))
            source = self.whole(memory)
            values = [read(source, (i + step) % ITEMS) for i in range(ITEMS)]
            for i in range(ITEMS):
                write(found, i, values[i])
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')

    # ---- the whole ----

    def setup(self):
        rng = self.rng
        self.named_types()
        for _ in range(rng.randrange(1, 5)):
            self.record()
        kinds = self.records
        first = [bytes(self.literal_bytes(kinds[-1])) for _ in range(ITEMS)]
        self.params.append(('buffer', 'in', kinds[-1], first, 'global const %s *in'))
        self.objects.append(Memory('in[i]', kinds[-1], 'global', False, first))
        for n in range(rng.randrange(1, 3)):
            kind = rng.choice(kinds)
            data = [bytes(self.literal_bytes(kind)) for _ in range(ITEMS)]
            name = 'io%d' % n
            self.params.append(('buffer', name, kind, data, 'global %s *' + name))
            self.objects.append(Memory(name + '[i]', kind, 'global', True, data))
        if rng.random() < 0.4:
            kind = rng.choice(kinds)
            if kind.size <= 1024 and not has(kind, Bool, Pointer):
                data = bytes(self.literal_bytes(kind))
                self.params.append(('value', 'argument', kind, [data], '%s argument'))
                self.objects.append(Memory('argument', kind, 'private', '--keep-arguments' not in sys.argv, [data] * ITEMS))
        kind = rng.choice(kinds)
        if rng.random() < 0.5 and not has(kind, Pointer):
            data = self.literal_bytes(kind)
            name = self.name('c%d_' % self.seed)
            self.globals.append('constant %s = %s;\n' % (declare(kind, name), self.literal(kind, data)))
            memory = Memory(name, kind, 'constant', False, [data] * ITEMS)
            memory.known = [bytearray(self.literal_marks(kind)) for _ in range(ITEMS)]
            self.objects.append(memory)
        for n in range(self.num_locals):
            kind = rng.choice(kinds)
            name = self.name('l')
            self.emit('local %s;' % declare(Array(kind, ITEMS), name))
            self.objects.append(Memory('%s[i]' % name, kind, 'local'))
        for n in range(rng.randrange(1, 4)):
            kind = rng.choice(kinds)
            if rng.random() < 0.3:
                kind = Array(kind, rng.randrange(1, 4))
            name = self.name('v')
            memory = Memory(name, kind, 'private')
            if rng.random() < 0.4:
                data = self.literal_bytes(kind)
                self.emit('%s = %s;' % (declare(kind, name), self.literal(kind, data)))
                memory.data = [bytearray(data) for _ in range(ITEMS)]
                memory.known = [bytearray(self.literal_marks(kind)) for _ in range(ITEMS)]
            else:
                self.emit('%s;' % declare(kind, name))
            self.objects.append(memory)

    def dump(self):
        """Each private and local object goes to a buffer of its own."""
        for memory in self.objects:
            if memory.space not in ('private', 'local'):
                continue
            name = self.name('out')
            kind = memory.kind.elem if isinstance(memory.kind, Array) else memory.kind
            count = memory.kind.length if isinstance(memory.kind, Array) else 1
            self.params.append(('out', name, memory, None, 'global %s *' + name))
            if isinstance(memory.kind, Array):
                k = self.name('k')
                self.emit('for (uint %s = 0; %s < %d; %s++) %s[i * %d + %s] = %s[%s];' % (k, k, count, k, name, count, k, memory.name, k))
            else:
                self.emit('%s[i] = %s;' % (name, memory.name))

    def check_pointers(self):
        """Reads what pointers point to, those that all work-items have set."""
        for memory in self.objects:
            if memory.space not in ('private', 'local') or not has(memory.kind, Pointer):
                continue
            known = [read(self.whole(memory), i)[1] for i in range(ITEMS)]
            for offset, num, text in numbers(memory.kind):
                if isinstance(num, Pointer) and all(k[offset] for k in known) and len(self.checks) < 32:
                    self.emit('check[i + %du] = *%s%s;' % (len(self.checks) * ITEMS, memory.name, text))
                    self.checks.append([POINTED[num.space][memory.data[i][offset]] for i in range(ITEMS)])

    def text(self, options):
        lines = ['//! test: aggregates_%d' % self.seed, '//! global: %d' % ITEMS, '//! local: %d' % ITEMS]
        if options:
            lines.append('//! options: %s' % options)
        named = [kind for kind in self.types if isinstance(kind, (Enum, Alias))]
        used = ''.join(kind.definition() for kind in named + self.records)
        required = [feature for word, feature in (('double', 'fp64'), ('half', 'fp16')) if word in used]
        if required:
            lines.append('//! require: ' + ' '.join(required))
        if self.pointers[1] in self.types:
            used += 'constant uint %s[6] = {%s};\n' % (self.pointers[1].base, ', '.join(map(str, POINTED['constant'])))
        if 'half' in used:
            used = '#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n' + used
        lines.append('//! buffer at uint[%d] = %s' % (len(AT), ' '.join(map(str, AT))))
        declarations, expected = ['global const uint *at'], []
        for how, name, kind, data, declaration in self.params:
            if how == 'out':
                memory, kind = kind, kind.kind
                while isinstance(kind, Array):
                    kind = kind.elem
                size = memory.kind.size * ITEMS
                lines.append('//! buffer %s uchar[%d] = 0' % (name, size))
                expected.append((name, memory))
            else:
                joined = b''.join(data)
                lines.append('//! %s %s uchar[%d] = %s' % (how, name, len(joined), ' '.join(map(str, joined))))
                if how == 'buffer' and name != 'in':
                    expected.append((name, next(m for m in self.objects if m.name == name + '[i]')))
            declarations.append(declaration % kind)
        for name, memory in expected:
            values = []
            for i in range(ITEMS):
                known = read(self.whole(memory), i)[1]
                if memory.space == 'global':
                    known = bytearray(memory.known[i])
                known = visible(memory.kind, known)
                values += [str(d) if k else '_' for d, k in zip(memory.data[i], known)]
            lines.append('//! expect %s = %s' % (name, ' '.join(values)))
        if self.checks:
            lines.append('//! buffer check uint[%d] = 0' % (ITEMS * len(self.checks)))
            lines.append('//! expect check = ' + ' '.join(str(value) for values in self.checks for value in values))
            declarations.append('global uint *check')
        setup = ['uint n%d = at[%d];' % (n, n) for n in range(len(AT))]
        if self.pointers[2] in self.types:
            setup.append('local uint shared[6]; if (i == 0) { %s } barrier(CLK_LOCAL_MEM_FENCE);' % ' '.join(
                'shared[%d] = %d;' % pair for pair in enumerate(POINTED['local'])))
        return '\n'.join(lines) + '\n' + used + ''.join(self.globals) + ''.join(self.functions) + \
            'kernel void aggregates_%d(%s)\n{\n    uint i = get_local_id(0); %s\n%s\n}\n' % (
                self.seed, ', '.join(declarations), ' '.join(setup), '\n'.join(self.lines))

    def generate(self):
        self.setup()
        statements = [self.copy] * 6 + [self.store] * 2 + [self.conditional, self.choose, self.function, self.function, self.by_pointer,
                                                             self.loop, self.loop, self.bytewise, self.exchange]
        for memory in self.objects:  # most start as a copy
            source = memory.writable and self.rng.random() < 0.6 and self.matching(self.whole(memory))
            if source:
                self.assign(self.whole(memory), source)
        for _ in range(self.rng.randrange(3, 14)):
            self.rng.choice(statements)()
        self.check_pointers()
        self.dump()
        return self


class Retry(Exception):
    """A loop whose text depends on its counter."""


def program(seed, options=''):
    for attempt in range(100):
        try:
            return Program(seed + attempt * 1000003).generate().text(options).replace(str(seed + attempt * 1000003), str(seed))
        except Retry:
            continue
    raise RuntimeError('seed %d' % seed)


if __name__ == '__main__':
    sys.exit(testfiles.main('aggregates', program))
