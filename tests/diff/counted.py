#!/usr/bin/env python3
"""Random counted loops in all forms that a compiler may do several iterations of at once: tests before, in the middle and at the end, on the
counter and on the next one; each comparison; counters that ascend and descend by constants and by arguments, that begin and end near the
limits of their type, and that wrap; pointers as counters. A model counts along.

usage: see testfiles.py

A loop is right only if each iteration reads its own element in its turn, and if none is left out or done twice at the end."""
import random
import sys

sys.dont_write_bytecode = True
import testfiles

ITEMS, ELEMENTS, MIDDLE, MOST = 16, 2048, 1024, 6000
WIDTHS = {'int': 32, 'uint': 32, 'long': 64, 'ulong': 64, 'pointer': 0}
RELATIONS = {'<': lambda a, b: a < b, '<=': lambda a, b: a <= b, '>': lambda a, b: a > b, '>=': lambda a, b: a >= b, '!=': lambda a, b: a != b}


class Endless(Exception):
    """The loop runs too often, or an int overflows."""


class Loop:
    def __init__(self, seed):
        self.seed, self.rng = seed, random.Random('counted %d' % seed)
        rng = self.rng
        self.type = rng.choice(list(WIDTHS))
        self.width, self.signed = WIDTHS[self.type], self.type[0] != 'u'
        self.low = -(1 << (self.width - 1)) if self.signed and self.width else 0
        self.high = self.low + (1 << self.width) - 1
        self.is_pointer = self.type == 'pointer'
        if self.is_pointer:
            self.low, self.high, self.signed = 0, ELEMENTS - 1, True
        self.relation = rng.choice(list(RELATIONS) + ['!='])
        self.form = rng.choice(['top', 'top', 'bottom', 'bottom', 'old', 'middle', 'twice'])
        down = self.relation[0] == '>' or (self.relation == '!=' and rng.random() < 0.4)
        self.size = rng.choice([1, 1, 1, 1, 2, 3, 5, 8, 1 << 20, 7 << 17])
        self.size = min(self.size, 8) if self.is_pointer else self.size
        self.step = -self.size if down else self.size
        self.offset = rng.choice([0, 0, 0, 1, -1, 3])
        self.step_known, self.ends_known = rng.random() < 0.8, rng.random() < 0.3
        self.near = self.size < 16 and rng.random() < 0.7  # reads neighbours
        self.hint = rng.choice(['', '', '', '', '#pragma unroll 4\n    ', '#pragma unroll 3\n    ', '#pragma nounroll\n    '])
        self.runs = []
        while len(self.runs) < (1 if self.ends_known else ITEMS):
            run = self.bounds()
            try:
                self.runs.append((*run, self.run(*run)))
            except Endless:
                pass
        if self.ends_known:
            self.runs *= ITEMS

    def bounds(self):
        """A counter's first value and its end."""
        rng = self.rng
        count = rng.choice([0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 60, 120, 150])
        if self.size > 16 and self.relation == '!=' and rng.random() < 0.2:
            count = rng.randrange(4000, MOST)
        middle = (self.low + self.high + 1) // 2
        edge = rng.choice([0, self.low, self.high, middle, rng.randrange(self.low, self.high)])
        first = edge + rng.randrange(-40, 40) - rng.choice([0, 0, count * self.step])
        end = first + count * self.step + (self.offset if self.relation == '!=' else rng.randrange(-self.size, self.size + 1))
        return (first, end) if self.is_pointer else (self.wrap(first), self.wrap(end))

    def wrap(self, value):
        if self.is_pointer:
            return value
        return (value - self.low) % (1 << self.width) + self.low

    def add(self, a, b):
        if self.signed and not self.low <= a + b <= self.high:
            raise Endless
        return self.wrap(a + b)

    def run(self, first, end):
        """The values that the loop reads with, and the counter's last one."""
        values, i = [], first
        if not self.low <= min(first, end) <= max(first, end) <= self.high:
            raise Endless

        def stays(value):
            if len(values) > MOST or (self.near and abs(i - first) > 900):
                raise Endless
            return RELATIONS[self.relation](self.add(value, self.offset), end)
        while True:
            if self.form == 'top' and not stays(i):
                break
            values.append(i)
            if self.form == 'middle' and not stays(i):
                break
            if self.form in ('middle', 'twice'):
                values.append(i)
            old, i = i, self.add(i, self.step)
            if (self.form in ('bottom', 'twice') and not stays(i)) or (self.form == 'old' and not stays(old)):
                break
        return values, i

    def text(self, name):
        if self.is_pointer:
            return self.pointer_text(name)
        first, end = ('%s' % self.literal(self.runs[0][k]) if self.ends_known else '%ss[g]' % n for k, n in enumerate(('first', 'end')))
        step = self.literal(self.size) if self.step_known else '(long)step' if self.seed % 2 else 'step'
        step = 'i %s= %s;' % ('-' if self.step < 0 else '+', step)
        tested = {'old': 'old'}.get(self.form, 'i') + (' + (T)%d' % self.offset if self.offset else '')
        test = '%s %s end' % (tested, self.relation)
        read = 'r = r * 31 + %s + (uint)i;' % ('in[i + shift]' if self.near else 'in[(uint)(i >> 3) & 1023]')
        return ['#undef T', '#define T ' + self.type,
                'kernel void %s(global uint *out, global const uint *in, global const T *firsts, global const T *ends, T step)' % name, '{',
                '    size_t g = get_global_id(0);', '    T first = %s, end = %s, i = first;' % (first, end), '    uint r = 7;',
                '    long shift = %d - (long)first;' % MIDDLE, *self.loop(test, step, read), '    out[g] = r * 31 + (uint)i;', '}', '']

    def pointer_text(self, name):
        first, end = (str(self.runs[0][k]) if self.ends_known else '%ss[g]' % n for k, n in enumerate(('first', 'end')))
        step = 'i %s= %s;' % ('-' if self.step < 0 else '+', self.size if self.step_known else 'step')
        test = '%s%s %s end' % ('old' if self.form == 'old' else 'i', ' + %d' % self.offset if self.offset else '', self.relation)
        return ['#undef T', '#define T global const uint *',
                'kernel void %s(global uint *out, global const uint *in, global const int *firsts, global const int *ends, int step)' % name,
                '{', '    size_t g = get_global_id(0);', '    T first = in + %s;' % first, '    T end = in + %s;' % end, '    T i = first;',
                '    uint r = 7;', *self.loop(test, step, 'r = r * 31 + *i + (uint)(i - in);'), '    out[g] = r * 31 + (uint)(i - in);', '}', '']

    def loop(self, test, step, read):
        body = {'top': ('while (%s)' % test, read, step, ''),
                'bottom': ('do', read, step, ' while (%s)' % test),
                'twice': ('do', read, read, step, ' while (%s)' % test),
                'old': ('T old;\n    %sdo' % self.hint, read, 'old = i;', step, ' while (%s)' % test),
                'middle': ('for (;;)', read, 'if (!(%s)) break;' % test, read, step, '')}[self.form]
        head = body[0] if self.form == 'old' else self.hint + body[0]
        return ['    ' + head + ' {', *('        ' + line for line in body[1:-1]), '    }' + body[-1] + ';' * bool(body[-1])]

    def literal(self, value):
        if value == self.low and self.signed:
            return '(T)1 << %d' % (self.width - 1)
        return '(T)%d%s' % (value, '' if self.signed else 'ul' if self.width == 64 else 'u')


def element(index):
    return index * 2654435761 >> 7 & 0xffff


def program(seed, options=''):
    loop = Loop(seed)
    results = []
    for first, _, (values, last) in loop.runs:
        r = 7
        for i in values:
            index = i if loop.is_pointer else i - first + MIDDLE if loop.near else (i >> 3) & 1023
            r = (r * 31 + element(index) + i) & 0xffffffff
        results.append((r * 31 + last) & 0xffffffff)
    name, kind = 'counted_%d' % seed, 'int' if loop.is_pointer else loop.type
    head = ['//! test: ' + name, '//! buffer out uint[%d] = 0' % ITEMS,
            '//! buffer in uint[%d] = %s' % (ELEMENTS, ' '.join(str(element(i)) for i in range(ELEMENTS))),
            '//! buffer firsts %s[%d] = %s' % (kind, ITEMS, ' '.join(str(run[0]) for run in loop.runs)),
            '//! buffer ends %s[%d] = %s' % (kind, ITEMS, ' '.join(str(run[1]) for run in loop.runs)),
            '//! value step %s = %d' % (kind, loop.size)]
    head += ['//! options: ' + options] * bool(options)
    head += ['//! global: %d' % ITEMS, '//! expect out = ' + ' '.join(map(str, results))]
    return '\n'.join(head + loop.text(name))


if __name__ == '__main__':
    sys.exit(testfiles.main('counted', program))
