#!/usr/bin/env python3
"""Loops whose accesses may stray from their buffers and arrays, and what robust contexts and `bounds` make of them (a wrong load gives 0, a
wrong store goes nowhere, and `bounds` counts both): written at random, and computed here as well. What the compiler proves of loops must hold
for all numbers, those that wrap around among them.

usage: strays.py PUMICE DIRECTORY FIRST COUNT

Each seed from FIRST on gives a file of tests for `pumice run`. DIRECTORY gets the files that fail. Exit status: 0 none does, 1 some do."""
import functools
import os
import random
import re
import subprocess
import sys

TESTS = 30
MOST_ROUNDS = 200
TYPES = {'int': (32, True), 'uint': (32, False), 'long': (64, True), 'short': (16, True), 'uchar': (8, False), 'ulong': (64, False)}
COMPARE = {'<': lambda a, b: a < b, '<=': lambda a, b: a <= b, '!=': lambda a, b: a != b, '>': lambda a, b: a > b, '>=': lambda a, b: a >= b}


class TooLong(Exception):
    """The loop has too many rounds, or an int overflows, which C leaves undefined."""


def wrap(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


class Numbers:
    """Numbers of a kernel: constants in its text, or arguments."""

    def __init__(self, rng):
        self.rng, self.arguments = rng, []

    def take(self, name, kind, value):
        if self.rng.random() < 0.6:
            self.arguments.append((name, kind, value))
            return name
        return '((%s)%d)' % (kind, value)

    def parameters(self):
        return ''.join(', %s %s' % (kind, name) for name, kind, value in self.arguments)

    def directives(self):
        return ['//! value %s %s = %d' % (name, kind, value) for name, kind, value in self.arguments]


def words(values):
    return ' '.join(map(str, values))


class Checked:
    """What accesses give, and how many of them are wrong."""
    wrong = 0

    def get(self, array, at):
        inside = 0 <= at < len(array)
        self.wrong += not inside
        return array[at] if inside else 0

    def put(self, array, at, value):
        if 0 <= at < len(array):
            array[at] = value
        else:
            self.wrong += 1


class Loop(Checked):
    """One loop whose counter has any type; it loads from a and stores to b at linear distances."""

    def __init__(self, rng):
        self.rng, self.kind = rng, rng.choice(list(TYPES))
        self.bits, self.signed = TYPES[self.kind]
        self.form = rng.choice(['<', '<', '<=', '!=', '>', '>=', 'do'])
        self.first, self.last = self.end(), self.end()
        if self.form in ('>', '>='):
            self.first, self.last = max(self.first, self.last), min(self.first, self.last)
        self.step = rng.choice([1, 1, 1, 2, 3, 5, 7]) * (-1 if self.form in ('>', '>=') else 1)
        self.load = rng.choice([1, 1, 2, -1, 3, 4]), rng.choice([0, 0, 1, -1, -3, 5, rng.randrange(-8, 40)])
        self.store = rng.choice([1, 1, 2, -1]), rng.choice([0, 0, 1, -2, rng.randrange(-4, 20)])
        self.inner = rng.choice([1, 1, 1, rng.randrange(2, 5)])
        self.leaves = rng.choice([None, None, None, None, rng.randrange(60)])
        self.a = [rng.randrange(1, 1000) for i in range(rng.choice([1, 3, 8, 16, 17, 33, 64]))]
        self.b = [7] * rng.choice([1, 4, 9, 16, 40])

    def end(self):
        value = self.rng.choice([0, 1, 2, self.rng.randrange(20), self.rng.randrange(90)])
        return wrap(-value if self.rng.random() < 0.2 else value, self.bits, self.signed)

    def goes_on(self, i):
        return COMPARE['<' if self.form == 'do' else self.form](i, self.last)

    def next(self, i):
        value = i + self.step
        if self.signed and self.bits >= 32 and value != wrap(value, self.bits, True):
            raise TooLong
        return wrap(value, self.bits, self.signed)

    def compute(self):
        i, total, rounds = self.first, 0, 0
        while (self.form == 'do' and rounds == 0) or self.goes_on(i):
            rounds += 1
            if rounds > MOST_ROUNDS:
                raise TooLong
            at = wrap(i, 64, True)
            for j in range(self.inner):
                x = at * self.load[0] + self.load[1] + j
                total = (total * 3 + self.get(self.a, x) + 1) & 0xffffffff
            y = at * self.store[0] + self.store[1]
            self.put(self.b, y, total)
            if self.leaves is not None and total % 64 == self.leaves:
                break
            i = self.next(i)

    def text(self, name):
        numbers, given = Numbers(self.rng), words(self.b)
        self.compute()
        first, last, step = (numbers.take(n, self.kind, v) for n, v in (('s', self.first), ('e', self.last), ('d', abs(self.step))))
        k, c, m, q = (numbers.take(n, 'long', v) for n, v in zip('kcmq', self.load + self.store))
        move = 'i %s= %s' % ('-' if self.step < 0 else '+', step)
        body = 'for (int j = 0; j < %d; j++) sum = sum * 3 + a[(long)i * %s + %s + j] + 1; b[(long)i * %s + %s] = sum;' % (self.inner, k, c, m, q)
        if self.leaves is not None:
            body += ' if (sum %% 64 == %d) break;' % self.leaves
        if self.form == 'do':
            loop = '%s i = %s; do { %s %s; } while (i < %s);' % (self.kind, first, body, move, last)
        else:
            loop = 'for (%s i = %s; i %s %s; %s) { %s }' % (self.kind, first, self.form, last, move, body)
        return ['//! test: %s' % name, '//! global: 1', '//! buffer a uint[%d] = %s' % (len(self.a), words(self.a)),
                '//! buffer b uint[%d] = %s' % (len(self.b), given), *numbers.directives(), '//! expect b = %s' % words(self.b),
                'kernel void %s(global const uint *a, global uint *b%s) { uint sum = 0; %s }' % (name, numbers.parameters(), loop), '']


class Nest(Checked):
    """Two loops over an array in any memory, by several work-items. Distances are computed in 32 bits and may wrap around."""

    def __init__(self, rng):
        self.rng, self.wild = rng, rng.random() < 0.25
        self.ends = [sorted((self.number(), self.number())), sorted((self.number(), self.number()))]
        self.steps = [rng.choice([1, 1, 2, 3, 8]), rng.choice([1, 1, 2, 5])]
        self.down = [rng.random() < 0.25, rng.random() < 0.25]
        self.factors = [rng.choice([0, 1, 1, 2, self.number()]), rng.choice([0, 1, 1, 4, self.number()]), rng.choice([0, 1, 4, 16]), self.number()]
        self.memory = rng.choice(['global', 'global', 'local', 'private', 'constant'])
        self.mask, self.signed = rng.choice([None, None, 15, 63, 7]), rng.random() < 0.3
        self.a = [rng.randrange(1, 1000) for i in range(rng.choice([1, 4, 7, 16, 31, 64]))]
        self.items = rng.choice([1, 2, 4])

    def number(self):
        if self.wild and self.rng.random() < 0.4:
            return self.rng.choice([0x7fffffff, 0x80000000, 0xffffffff - self.rng.randrange(16), 0x40000000, 0x55555556, 1 << self.rng.randrange(32)])
        return self.rng.choice([0, 1, 2, 3, self.rng.randrange(24)])

    def counts(self, loop):
        low, high = self.ends[loop]
        i = high if self.down[loop] else low
        for _ in range(MOST_ROUNDS):
            if not (i > low if self.down[loop] else i < high):
                return
            yield i
            i = (i - self.steps[loop] if self.down[loop] else i + self.steps[loop]) & 0xffffffff
        raise TooLong

    def element(self, i, j, item):
        x = (i * self.factors[0] + j * self.factors[1] + item * self.factors[2] + self.factors[3]) & 0xffffffff
        x = wrap(x, 32, self.signed)
        x = x if self.mask is None else x & self.mask
        return self.get(self.a, x)

    def compute(self, item):
        total = rounds = 0
        for i in self.counts(0):
            for j in self.counts(1):
                total = (total * 5 + self.element(i, j, item) + 3) & 0xffffffff
                rounds += 1
                if rounds > MOST_ROUNDS:
                    raise TooLong
        return total

    def head(self, numbers, loop):
        low, high = (numbers.take('%s%d' % (n, loop), 'uint', v) for n, v in zip('lh', self.ends[loop]))
        step = numbers.take('d%d' % loop, 'uint', self.steps[loop])
        i = 'ij'[loop]
        if self.down[loop]:
            return 'for (uint %s = %s; %s > %s; %s -= %s)' % (i, high, i, low, i, step)
        return 'for (uint %s = %s; %s < %s; %s += %s)' % (i, low, i, high, i, step)

    def text(self, name):
        numbers, sums = Numbers(self.rng), [self.compute(item) for item in range(self.items)]
        heads = [self.head(numbers, 0), self.head(numbers, 1)]
        at = 'i * %s + j * %s + id * %s + %s' % tuple(numbers.take(n, 'uint', v) for n, v in zip('kmgc', self.factors))
        at = '(int)(%s)' % at if self.signed else at
        at = at if self.mask is None else '(%s) & %d' % (at, self.mask)
        size = len(self.a)
        fill = 'for (int z = 0; z < %d; z++) t[z] = a[z];' % size
        array, before, table = {
            'global': ('a', '', []),
            'constant': ('t_' + name, '', ['constant uint t_%s[%d] = {%s};' % (name, size, ', '.join(map(str, self.a)))]),
            'private': ('t', 'uint t[%d]; %s ' % (size, fill), []),
            'local': ('t', 'local uint t[%d]; if (get_local_id(0) == 0) %s barrier(CLK_LOCAL_MEM_FENCE); ' % (size, fill), []),
        }[self.memory]
        return ['//! test: %s' % name, '//! global: %d' % self.items, '//! local: %d' % self.items,
                '//! buffer a uint[%d] = %s' % (size, words(self.a)), '//! buffer r uint[%d] = 0' % self.items, *numbers.directives(),
                '//! expect r = %s' % words(sums), *table,
                'kernel void %s(global const uint *a, global uint *r%s)' % (name, numbers.parameters()),
                '{ %suint sum = 0, id = (uint)get_global_id(0); %s %s sum = sum * 5 + %s[%s] + 3; r[id] = sum; }' % (before, *heads, array, at), '']


class Tree(Checked):
    """Two loops, the inner of which may begin and end with expressions of the outer's counter, and an index that is an expression of any
    operations. All numbers are ints whose sums and products wrap around."""

    def __init__(self, rng):
        self.rng = rng
        self.names = {'n': self.number(), 'm': self.number(), 'w': self.number()}
        self.memory = rng.choice(['global', 'global', 'constant', 'local'])
        self.a = [rng.randrange(1, 1000) for i in range(rng.choice([4, 8, 16, 20, 33, 64]))]
        self.b = [7] * rng.choice([4, 9, 16, 40])
        self.last, self.step, self.down = rng.randrange(1, 12), rng.choice([1, 1, 2, 3]), rng.random() < 0.3
        self.begin, self.end = self.tree(2, 'inmw'), self.tree(rng.choice([0, 0, 1]), 'inmw')
        self.load, self.store = self.rows() if rng.random() < 0.5 else self.tree(rng.choice([1, 2, 3, 4]), 'ijjnmw'), self.tree(rng.choice([1, 2]), 'ijjnm')

    def number(self):
        wild = [0x7fffffff, -0x80000000, 0x40000000, 0x55555556, 0x10000, 1 << self.rng.randrange(31)]
        value = self.rng.choice(wild) if self.rng.random() < 0.1 else self.rng.choice([0, 1, 2, 3, 5, 8, self.rng.randrange(40)])
        return wrap(-value if self.rng.random() < 0.3 else value, 32, True)

    def rows(self):
        """A sum of products, one factor of which stays the same in the loops."""
        text, of = self.tree(self.rng.randrange(2), 'nmw')
        for name in self.rng.choice(['i', 'j', 'ij', 'ji']):
            a, of_a = self.tree(self.rng.randrange(3), 'nmw')
            b, of_b = self.tree(self.rng.choice([0, 0, 1]), name)
            text = '(int)((uint)%s + (uint)%s * (uint)%s)' % (text, a, b)
            of = functools.partial(lambda of, of_a, of_b, v: wrap(of(v) + of_a(v) * of_b(v), 32, True), of, of_a, of_b)
        return text, of

    def tree(self, depth, names):
        """The text, and a function of the names' values."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.1:
            if rng.random() < 0.75:
                name = rng.choice(names)
                return name, lambda v: v[name]
            value = self.number()
            return '(%d)' % value if value != -0x80000000 else '(-2147483647 - 1)', lambda v: value
        a, of_a = self.tree(depth - 1, names)
        if rng.random() < 0.35:
            return self.built(depth, names, a, of_a)
        kind = rng.choice(['+', '-', '*', '+', '*', 'min', 'max', '&', '|', '^', '>>', '>>>', '<<', '/', '%', '?', 'short', 'uchar'])
        if kind in ('>>', '>>>', '<<', '/', '%', 'short', 'uchar'):
            by = rng.choice([1, 2, 3, 4, 7]) if kind in ('/', '%') else rng.randrange(5)
            return {
                '>>': ('(%s >> %d)' % (a, by), lambda v: of_a(v) >> by),
                '>>>': ('(int)((uint)%s >> %d)' % (a, by), lambda v: wrap((of_a(v) & 0xffffffff) >> by, 32, True)),
                '<<': ('(int)((uint)%s << %d)' % (a, by), lambda v: wrap(of_a(v) << by, 32, True)),
                '/': ('(%s / %d)' % (a, by), lambda v: (abs(of_a(v)) // by) * (-1 if of_a(v) < 0 else 1)),
                '%': ('(%s %% %d)' % (a, by), lambda v: (abs(of_a(v)) % by) * (-1 if of_a(v) < 0 else 1)),
                'short': ('(int)(short)%s' % a, lambda v: wrap(of_a(v), 16, True)),
                'uchar': ('(int)(uchar)%s' % a, lambda v: of_a(v) & 255),
            }[kind]
        b, of_b = ('0', lambda v: 0) if kind in ('min', 'max') and rng.random() < 0.4 else self.tree(rng.randrange(depth), names)
        if kind in ('&', '|', '^') and rng.random() < 0.7:
            mask = rng.choice([3, 7, 15, 31, 63, -4])
            b, of_b = '(%d)' % mask, lambda v: mask
        return {
            '+': ('(int)((uint)%s + (uint)%s)' % (a, b), lambda v: wrap(of_a(v) + of_b(v), 32, True)),
            '-': ('(int)((uint)%s - (uint)%s)' % (a, b), lambda v: wrap(of_a(v) - of_b(v), 32, True)),
            '*': ('(int)((uint)%s * (uint)%s)' % (a, b), lambda v: wrap(of_a(v) * of_b(v), 32, True)),
            'min': ('min(%s, %s)' % (a, b), lambda v: min(of_a(v), of_b(v))),
            'max': ('max(%s, %s)' % (a, b), lambda v: max(of_a(v), of_b(v))),
            '&': ('(%s & %s)' % (a, b), lambda v: of_a(v) & of_b(v)),
            '|': ('(%s | %s)' % (a, b), lambda v: of_a(v) | of_b(v)),
            '^': ('(%s ^ %s)' % (a, b), lambda v: of_a(v) ^ of_b(v)),
            '?': ('(%s < %s ? %s : %s)' % (a, b, a, b), lambda v: min(of_a(v), of_b(v))),
        }[kind]

    def built(self, depth, names, a, of_a):
        """Built-in functions, comparisons as numbers, and what goes by other types."""
        rng = self.rng
        b, of_b = self.tree(rng.randrange(depth), names)
        low, high, by = *sorted((rng.randrange(-4, 40), rng.randrange(-4, 70))), rng.randrange(1, 31)

        def sat(value):
            return max(-0x80000000, min(0x7fffffff, value))

        def cut(value, most):
            return abs(value) // most * (-1 if value < 0 else 1)

        one = {
            'clamp(%%s, %d, %d)' % (low, high): lambda x: max(low, min(high, x)),
            '(int)abs(%s)': lambda x: wrap(abs(x), 32, True),
            '(int)(0u - (uint)%s)': lambda x: wrap(-x, 32, True),
            '(~%s)': lambda x: ~x,
            '(!%s)': lambda x: int(x == 0),
            'rotate(%%s, %d)' % by: lambda x: wrap((x & 0xffffffff) << by | (x & 0xffffffff) >> 32 - by, 32, True),
            'popcount(%s)': lambda x: bin(x & 0xffffffff).count('1'),
            'clz(%s)': lambda x: 32 - (x & 0xffffffff).bit_length(),
            '(int)convert_uchar_sat(%s)': lambda x: max(0, min(255, x)),
            '(int)convert_short_sat(%s)': lambda x: max(-0x8000, min(0x7fff, x)),
            '(int)(char)%s': lambda x: wrap(x, 8, True),
            '(int)(ushort)%s': lambda x: x & 0xffff,
            '(int)(float)(%s & 0xffff)': lambda x: x & 0xffff,
            '(int)((float)(%s & 1023) * 0.25f)': lambda x: (x & 1023) // 4,
            '(%%s == %d)' % low: lambda x: int(x == low),
        }
        two = {
            '(int)abs_diff(%s, %s)': lambda x, y: wrap(abs(x - y), 32, True),
            'add_sat(%s, %s)': lambda x, y: sat(x + y),
            'sub_sat(%s, %s)': lambda x, y: sat(x - y),
            'hadd(%s, %s)': lambda x, y: x + y >> 1,
            'rhadd(%s, %s)': lambda x, y: x + y + 1 >> 1,
            'mul_hi(%s, %s)': lambda x, y: x * y >> 32,
            'mul24(%s & 1023, %s & 255)': lambda x, y: (x & 1023) * (y & 255),
            '(%s < %s)': lambda x, y: int(x < y),
            '(%s && %s)': lambda x, y: int(x != 0 and y != 0),
            '(%s / ((%s & 7) + 1))': lambda x, y: cut(x, (y & 7) + 1),
            '(%s %% ((%s & 7) + 1))': lambda x, y: x - cut(x, (y & 7) + 1) * ((y & 7) + 1),
            '(int)((uint)%s / ((uint)%s | 1))': lambda x, y: wrap((x & 0xffffffff) // (y & 0xffffffff | 1), 32, True),
            '(int)((uint)%s %% ((uint)%s | 1))': lambda x, y: wrap((x & 0xffffffff) % (y & 0xffffffff | 1), 32, True),
            '(int)((long)%%s * %%s >> %d)' % by: lambda x, y: wrap(x * y >> by, 32, True),
            '(%s >> (%s & 31))': lambda x, y: x >> (y & 31),
            '(int)((uint)%s >> (%s & 31))': lambda x, y: wrap((x & 0xffffffff) >> (y & 31), 32, True),
            '(int)((uint)%s << (%s & 31))': lambda x, y: wrap(x << (y & 31), 32, True),
            'bitselect(%%s, %%s, %d)' % high: lambda x, y: x & ~high | y & high,
            'select(%s, 3, %s)': lambda x, y: 3 if y else x,
            '((int4)(%s, 1, %s, 2)).s2': lambda x, y: y,
            'max((int2)(%s, %s), (int2)(2, 5)).x': lambda x, y: max(x, 2),
            '(int)(((ulong)(uint)%s << 32 | (uint)%s) >> 16)': lambda x, y: wrap(((x & 0xffffffff) << 32 | y & 0xffffffff) >> 16, 32, True),
        }
        if rng.random() < 0.45:
            text, of = rng.choice(list(one.items()))
            return text % a, lambda v: of(of_a(v))
        text, of = rng.choice(list(two.items()))
        return text % (a, b), lambda v: of(of_a(v), of_b(v))

    def compute(self):
        total = rounds = 0
        v = dict(self.names)
        for i in range(self.last):
            v['i'] = i
            j = self.begin[1](v)
            while j > self.end[1](v) if self.down else j < self.end[1](v):
                rounds += 1
                if rounds > MOST_ROUNDS:
                    raise TooLong
                v['j'] = j
                x, y = self.load[1](v), self.store[1](v)
                total = (total * 5 + self.get(self.a, x) + 3) & 0xffffffff
                self.put(self.b, y, total)
                j = wrap(j - self.step if self.down else j + self.step, 32, True)
        if rounds == 0:
            raise TooLong

    def text(self, name):
        given, size = words(self.b), len(self.a)
        self.compute()
        array, before, table = {
            'global': ('a', '', []),
            'constant': ('t_' + name, '', ['constant uint t_%s[%d] = {%s};' % (name, size, words(self.a).replace(' ', ', '))]),
            'local': ('t', 'local uint t[%d]; for (int z = 0; z < %d; z++) t[z] = a[z]; ' % (size, size), []),
        }[self.memory]
        inner = 'for (int j = %s; j %s %s; j = (int)((uint)j %s %d))' % (self.begin[0], '>' if self.down else '<', self.end[0],
                                                                        '-' if self.down else '+', self.step)
        body = 'sum = sum * 5 + %s[%s] + 3; b[%s] = sum;' % (array, self.load[0], self.store[0])
        return ['//! test: %s' % name, '//! global: 1', '//! buffer a uint[%d] = %s' % (size, words(self.a)),
                '//! buffer b uint[%d] = %s' % (len(self.b), given), *('//! value %s int = %d' % pair for pair in self.names.items()),
                '//! value last int = %d' % self.last, '//! expect b = %s' % words(self.b), *table,
                'kernel void %s(global const uint *a, global uint *b, int n, int m, int w, int last)' % name,
                '{ %suint sum = 0; for (int i = 0; i < last; i++) %s { %s } }' % (before, inner, body), '']


def tests(seed):
    """The file's text, and how many accesses in it are wrong."""
    rng, lines, number, wrong = random.Random(seed), [], 0, 0
    while number < TESTS:
        try:
            test = (Loop, Nest, Tree, Tree)[number % 4](rng)
            lines += test.text('t%d' % number)
            number += 1
            wrong += test.wrong
        except TooLong:
            pass
    return '\n'.join(lines), wrong


def complaint(pumice, path, how, wrong):
    """What is not as it should be, or None."""
    run = subprocess.run([pumice, 'run', path], env=dict(os.environ, **how), capture_output=True, text=True, check=False, timeout=300)
    if run.returncode or '%d passed, 0 failed, 0 skipped' % TESTS not in run.stdout:
        return 'exit code %d\n%s' % (run.returncode, run.stdout[-2000:])
    counted = sum(map(int, re.findall(r': (\d+) faults? at ', run.stderr)))
    return '%d faults, not %d\n%s' % (counted, wrong, run.stderr[-2000:]) if 'PUMICE_CHECK' in how and counted != wrong else None


def main(pumice, directory, first, count):
    os.makedirs(directory, exist_ok=True)
    failed = 0
    for seed in range(int(first), int(first) + int(count)):
        path = os.path.join(directory, '%d.cl' % seed)
        text, wrong = tests(seed)
        with open(path, 'w') as file:
            file.write(text)
        said = [(how, complaint(pumice, path, how, wrong)) for how in
                ({'PUMICE_ROBUST': '1'}, {'PUMICE_CHECK': 'bounds', 'PUMICE_CHECK_EXIT': '0'})]
        for how, what in said:
            if what:
                print('%s with %s: %s' % (path, how, what))
        if any(what for how, what in said):
            failed += 1
        else:
            os.remove(path)
    print('%d files of %d failed' % (failed, int(count)))
    return 1 if failed else 0


if __name__ == '__main__':
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
