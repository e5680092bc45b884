#!/usr/bin/env python3
"""Random walks over arrays: rows and columns from below an element's address to above it, by counters that ascend and descend from arguments
or constants, by pointers that move, in global, local and private memory, of one to sixteen bytes. A model reads the same elements.

usage: see testfiles.py

An index that is negative relative to a pointer that was computed before is what these programs are about: some drivers take it for a large
number (compiler/opt/elements.c)."""
import random
import sys

sys.dont_write_bytecode = True
import testfiles

WIDTH, HEIGHT, BORDER = 8, 4, 64  # of the range; elements before and after those of the range in each array
ITEMS = WIDTH * HEIGHT
SIZES = {'uchar': 1, 'ushort': 2, 'uint': 4, 'ulong': 8, 'uint2': 8, 'uint4': 16}


class Program:
    def __init__(self, seed):
        self.rng = random.Random('stencils %d' % seed)
        self.seed, self.names, self.lines, self.indent = seed, 0, [], 1
        self.type = self.rng.choice(list(SIZES))
        self.lanes = int(self.type[4:] or 1) if self.type.startswith('uint') else 1
        self.bits = 8 * SIZES[self.type] // self.lanes
        self.values = {name: self.rng.randrange(1, 4) for name in ('k', 'm')}
        count = (ITEMS + 2 * BORDER) * self.lanes
        self.data = [self.rng.randrange(1 << self.bits) for _ in range(count)]
        self.steps = []  # (condition of an id, reads): functions of x and y that give the elements' numbers in order

    def name(self, stem):
        self.names += 1
        return '%s%d' % (stem, self.names)

    def line(self, text):
        self.lines.append('    ' * self.indent + text)

    def begin(self, text):
        self.line(text + ' {')
        self.indent += 1

    def end(self):
        self.indent -= 1
        self.line('}')

    def number(self, low, high):
        """A number, and its text: a constant, or of arguments."""
        value = self.rng.randrange(low, high)
        name = self.rng.choice(list(self.values))
        rest = value - self.values[name]
        forms = ['%d' % value, '%d' % value, '%s + %d' % (name, rest), '%d - %s' % (value + self.values[name], name)]
        if value == -self.values[name]:
            forms += ['-' + name] * 4
        return value, self.rng.choice(forms)

    def take(self, path):
        """The statement that adds an element to the hash."""
        parts = [path] if self.lanes == 1 else ['%s.s%d' % (path, i) for i in range(self.lanes)]
        for part in parts:
            self.line('r = r * 31 + (uint)(%s%s);' % (part, ' ^ %s >> 32' % part if self.bits == 64 else ''))

    # ---- where a walk begins ----

    def base(self):
        """A pointer, the array's element at which it points (a function of x and y), and the farthest that a walk may go from it."""
        rng, name = self.rng, self.name('p')
        kind = rng.randrange(6)
        shift, text = self.number(-3, 4)
        if kind == 0:  # the range's own element
            self.line('global const T *%s = in + %d + (y * %d + x) + (%s);' % (name, BORDER, WIDTH, text))
            return name, lambda x, y: BORDER + y * WIDTH + x + shift
        if kind == 1:  # a row
            self.line('global const T *%s = in + %d + y * w + (%s);' % (name, BORDER, text))
            return name, lambda x, y: BORDER + y * WIDTH + shift
        if kind == 2:  # a column
            self.line('global const T *%s = in + x + %d + (%s);' % (name, BORDER, text))
            return name, lambda x, y: BORDER + x + shift
        if kind == 3:  # the same for all
            self.line('global const T *%s = &in[%d + (%s)];' % (name, BORDER, text))
            return name, lambda x, y: BORDER + shift
        if kind == 4 and self.rng.random() < 0.5:  # of the group's copy
            self.uses_local = True
            self.line('local const T *%s = tile + %d + (int)get_local_id(0) + (%s);' % (name, BORDER, text))
            return name, lambda x, y: BORDER + x + shift
        self.line('global const T *%s = at(in, %d + x - (%s), y * w);' % (name, BORDER, text))
        return name, lambda x, y: BORDER + x - shift + y * WIDTH

    # ---- walks ----

    def walk(self):
        pointer, where = self.base()
        getattr(self, self.rng.choice(['counted', 'counted', 'counted', 'nested', 'moving', 'single', 'indexed']))(pointer, where)

    def counter(self, depth=1):
        """A loop's head, its counter's name and the values that it has."""
        rng, i = self.rng, self.name('i')
        low, low_text = self.number(-9 // depth, 3)
        high, high_text = self.number(low, 9 // depth)
        step = rng.choice([1, 1, 1, 2, 3])
        kind = rng.choice(['int', 'int', 'int', 'long', 'short'])
        hint = rng.choice(['', '', '', '__attribute__((opencl_unroll_hint(1))) ', '__attribute__((opencl_unroll_hint)) '])
        if rng.random() < 0.25:
            return hint + 'for (%s %s = %s; %s >= %s; %s -= %d)' % (kind, i, high_text, i, low_text, i, step), i, range(high, low - 1, -step)
        return hint + 'for (%s %s = %s; %s <= %s; %s += %d)' % (kind, i, low_text, i, high_text, i, step), i, range(low, high + 1, step)

    def element(self, i):
        """An index of the counter: its text and what it is."""
        factor, add, text = self.rng.choice([1, 1, 1, -1, 2, -2]), *self.number(-4, 5)
        form = self.rng.randrange(4)
        if form == 0:
            return i, lambda v: v
        if form == 1:
            return '%s * %d + (%s)' % (i, factor, text), lambda v: v * factor + add
        if form == 2:
            return '(%s) - %s' % (text, i), lambda v: add - v
        return '(%s & 3) - (%s)' % (i, text), lambda v: (v & 3) - add

    def counted(self, pointer, where):
        head, i, values = self.counter()
        self.begin(head)
        elements = [self.element(i) for _ in range(self.rng.choice([1, 1, 2, 3]))]
        for text, _ in elements:
            self.take('%s[%s]' % (pointer, text))
        self.end()
        self.steps.append(lambda x, y: [where(x, y) + index(v) for v in values for _, index in elements])

    def nested(self, pointer, where):
        head, i, outer = self.counter(3)
        inner_head, j, inner = self.counter(3)
        stride = self.rng.choice([WIDTH, 4, -4])
        self.begin(head)
        self.begin(inner_head)
        self.take('%s[%s * %s + %s]' % (pointer, i, 'w' if stride == WIDTH else stride, j))
        self.end()
        self.end()
        self.steps.append(lambda x, y: [where(x, y) + v * stride + u for v in outer for u in inner])

    def moving(self, pointer, where):
        start, start_text = self.number(-9, 9)
        step, step_text = self.number(-4, 5)
        count = self.rng.randrange(1, 7)
        moved, i = self.name('q'), self.name('i')
        self.line('%s const T *%s = %s + (%s);' % (self.space(pointer), moved, pointer, start_text))
        self.begin('for (int %s = 0; %s < %d; %s++)' % (i, i, count, i))
        offset = self.rng.randrange(-3, 4)
        self.take('%s[%d]' % (moved, offset))
        self.line('%s += %s;' % (moved, step_text))
        self.end()
        self.steps.append(lambda x, y: [where(x, y) + start + n * step + offset for n in range(count)])

    def single(self, pointer, where):
        offset, text = self.number(-20, 20)
        self.take('%s[%s]' % (pointer, text))
        self.steps.append(lambda x, y: [where(x, y) + offset])

    def indexed(self, pointer, where):
        """Indices that come from memory."""
        head, i, values = self.counter()
        self.begin(head)
        self.take('%s[offsets[%s & 7]]' % (pointer, i))
        self.end()
        self.steps.append(lambda x, y: [where(x, y) + self.offsets[v & 7] for v in values])

    def space(self, pointer):
        return 'local' if any('local const T *%s ' % pointer in line for line in self.lines) else 'global'

    # ---- the whole ----

    def text(self, options):
        rng = self.rng
        self.offsets = [rng.randrange(-9, 10) for _ in range(8)]
        self.uses_local = False
        for _ in range(rng.randrange(2, 6)):
            self.walk()
        name = 'stencils_%d' % self.seed
        tile = ['    local T tile[%d];' % (WIDTH + 2 * BORDER),
                '    for (int i = get_local_id(0); i < %d; i += get_local_size(0))' % (WIDTH + 2 * BORDER), '        tile[i] = in[i];',
                '    barrier(CLK_LOCAL_MEM_FENCE);'] if self.uses_local else []
        results = [self.result(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
        head = ['//! test: ' + name, '//! buffer out uint[%d] = 0' % ITEMS,
                '//! buffer in %s[%d] = %s' % (self.type, len(self.data) // self.lanes, ' '.join(map(str, self.data))),
                '//! buffer offsets int[8] = ' + ' '.join(map(str, self.offsets))]
        head += ['//! value %s int = %d' % value for value in [*self.values.items(), ('w', WIDTH)]]
        head += ['//! options: ' + options] * bool(options)
        head += ['//! global: %d %d' % (WIDTH, HEIGHT), '//! local: %d 1' % WIDTH, '//! expect out = ' + ' '.join(map(str, results))]
        body = ['#undef T', '#define T ' + self.type, '#define at at_%d' % self.seed,
                'static global const T *at(global const T *a, int i, int j) { return a + i + j; }' if rng.random() < 0.5 else
                '__attribute__((noinline)) static global const T *at(global const T *a, int i, int j) { return a + j + i; }',
                'kernel void %s(global uint *out, global const T *in, global const int *offsets, int k, int m, int w)' % name, '{',
                '    int x = get_global_id(0), y = get_global_id(1);', '    uint r = 7;', *tile, *self.lines,
                '    out[y * w + x] = r;', '}', '#undef at', '']
        return '\n'.join(head + body)

    def result(self, x, y):
        r = 7
        for step in self.steps:
            for number in step(x, y):
                for lane in range(self.lanes):
                    value = self.data[number * self.lanes + lane]
                    r = (r * 31 + (value & 0xffffffff ^ value >> 32)) & 0xffffffff
        return r


if __name__ == '__main__':
    sys.exit(testfiles.main('stencils', lambda seed, options='': Program(seed).text(options)))
