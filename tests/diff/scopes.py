#!/usr/bin/env python3
"""Random functions with restrict pointers, called with ever other ones: in loops that exchange their pointers, twice with the pointers swapped,
with plain accesses to the same memory in between. A model does the same.

usage: see testfiles.py

Within a call the pointers lead to different memory, between calls they do not. Clang inlines the functions, and what restrict said becomes
scopes (compiler/spv/scopes.c): build/tests/support/libclang_il.so as LD_PRELOAD brings them here. Who takes them for more than they say
takes a value from before another call."""
import random
import sys

sys.dont_write_bytecode = True
import testfiles

ITEMS, BLOCKS, SIZE = 4, 6, 4  # work-items; of each: blocks of SIZE numbers
MASK = 0xffffffff
TWINS = {'a0', 'a4'}  # the kernel's pointers that lead to the same block
OPERATORS = {'+': lambda a, b: a + b, '^': lambda a, b: a ^ b, '*': lambda a, b: a * b, '-': lambda a, b: a - b}


class Scope:
    """Where a model's expressions find things: memory, where each pointer points, numbers."""

    def __init__(self, memory, pointers, numbers):
        self.memory, self.pointers, self.numbers = memory, pointers, numbers


class Program:
    def __init__(self, seed):
        self.rng = random.Random('scopes %d' % seed)
        self.seed, self.names, self.functions, self.wrappers = seed, 0, [], []

    def name(self, stem):
        self.names += 1
        return '%s%d' % (stem, self.names)

    # ---- what functions do ----

    def index(self, counters):
        if counters and self.rng.random() < 0.4:
            counter = self.rng.choice(counters)
            return '%s & 3' % counter, lambda s: s.numbers[counter] & 3
        number = self.rng.randrange(SIZE)
        return str(number), lambda s: number

    def place(self, pointers, counters):
        pointer, (text, index) = self.rng.choice(pointers), self.index(counters)
        return '%s[%s]' % (pointer, text), lambda s: s.pointers[pointer] + index(s)

    def value(self, pointers, counters, depth=0):
        kind = self.rng.random()
        if depth < 2 and kind < 0.4:
            operator = self.rng.choice(list(OPERATORS))
            (a, left), (b, right) = (self.value(pointers, counters, depth + 1) for _ in range(2))
            return '(%s %s %s)' % (a, operator, b), lambda s: OPERATORS[operator](left(s), right(s)) & MASK
        if kind < 0.8:
            text, place = self.place(pointers, counters)
            return text, lambda s: s.memory[place(s)]
        if kind < 0.9:
            number = self.rng.randrange(1, 99)
            return '%du' % number, lambda s: number
        name = self.rng.choice(counters + ['n'])
        return '(uint)' + name, lambda s: s.numbers[name] & MASK

    def assignment(self, pointers, counters):
        (text, place), (more, value) = self.place(pointers, counters), self.value(pointers, counters)
        operator = self.rng.choice(['=', '+=', '^='])

        def run(s):
            at, old = place(s), s.memory[place(s)]
            new = value(s)
            s.memory[at] = new if operator == '=' else OPERATORS[operator[0]](old, new) & MASK
        return ['%s %s %s;' % (text, operator, more)], run

    def loop(self, pointers, counters, depth, inside):
        counter, count = self.name('i'), self.rng.choice([2, 3, 4, 'n'])
        lines, body = inside(pointers, counters + [counter], depth + 1)

        def run(s):
            for s.numbers[counter] in range(s.numbers['n'] if count == 'n' else count):
                body(s)
        return ['for (int %s = 0; %s < %s; %s++) {' % (counter, counter, count, counter), *('    ' + line for line in lines), '}'], run

    def condition(self, pointers, counters, depth):
        (text, value), (lines, body) = self.value(pointers, counters), self.statements(pointers, counters, depth + 1)

        def run(s):
            if value(s) & 1:
                body(s)
        return ['if (%s & 1) {' % text, *('    ' + line for line in lines), '}'], run

    def statements(self, pointers, counters, depth):
        lines, bodies = [], []
        for _ in range(self.rng.randrange(1, 5)):
            kind = self.rng.random()
            if depth < 2 and kind < 0.3:
                more, body = self.loop(pointers, counters, depth, self.statements)
            elif depth < 2 and kind < 0.45:
                more, body = self.condition(pointers, counters, depth)
            else:
                more, body = self.assignment(pointers, counters)
            lines += more
            bodies.append(body)
        return lines, lambda s: [body(s) for body in bodies]

    def function(self):
        name, parameters = self.name('f'), ['p', 'q', 'r'][:self.rng.choice([2, 2, 3])]
        lines, body = self.statements(parameters, [], 0)
        head = 'static void %s(%s, int n)' % (name, ', '.join('global uint *restrict ' + p for p in parameters))
        self.functions.append((name, parameters, body))
        return [head, '{', *('    ' + line for line in lines), '}']

    def wrapper(self):
        """A function that stays one for clang, and calls those that it inlines: Pumice copies it, with its scopes."""
        name, parameters = self.name('w'), ['u', 'v', 'w']
        lines, body = self.kernel_statements(parameters, [], 0)
        head = '__attribute__((noinline)) static void %s(%s, int n)' % (name, ', '.join('global uint *' + p for p in parameters))
        self.wrappers.append((name, parameters, body))
        return [head, '{', *('    ' + line for line in lines), '}']

    # ---- what the kernel does ----

    def distinct(self, pointers, count):
        """Pointers to different blocks: TWINS lead to one."""
        while True:
            chosen = self.rng.sample(pointers, count)
            if not TWINS <= set(chosen):
                return chosen

    def call(self, pointers, counters, depth=0):
        name, parameters, body = self.rng.choice(self.wrappers or self.functions)
        chosen = self.distinct(pointers, len(parameters))

        def run(s):
            body(Scope(s.memory, {p: s.pointers[c] for p, c in zip(parameters, chosen)}, {'n': s.numbers['n']}))
        return ['%s(%s, n);' % (name, ', '.join(chosen))], run

    def rotation(self, pointers):
        chosen = self.rng.sample([p for p in pointers if p not in TWINS], 2)

        def run(s):
            a, b = chosen
            s.pointers[a], s.pointers[b] = s.pointers[b], s.pointers[a]
        return ['{ global uint *t = %s; %s = %s; %s = t; }' % (chosen[0], chosen[0], chosen[1], chosen[1])], run

    def kernel_statements(self, pointers, counters, depth):
        lines, bodies = [], []
        for _ in range(self.rng.randrange(2, 5)):
            kind = self.rng.random()
            if depth < 1 and kind < 0.35:
                more, body = self.loop(pointers, counters, depth, self.kernel_statements)
            elif kind < 0.5:
                more, body = self.rotation(pointers)
            elif kind < 0.65:
                more, body = self.assignment(pointers, counters)
            else:
                more, body = self.call(pointers, counters)
            lines += more
            bodies.append(body)
        return lines, lambda s: [body(s) for body in bodies]

    # ---- the whole ----

    def text(self, options):
        rng = self.rng
        functions = [line for _ in range(rng.randrange(1, 4)) for line in self.function()]
        functions += self.wrapper() if rng.random() < 0.5 else []
        blocks = rng.sample(range(BLOCKS), 4)
        blocks.append(blocks[0])
        pointers = ['a%d' % i for i in range(5)]
        where = [rng.choice(['%d' % b, 'order[%d]' % b]) for b in blocks]
        lines, body = self.kernel_statements(pointers, [], 0)
        n = rng.randrange(1, 5)
        memory = [rng.randrange(1, 1000) for _ in range(ITEMS * BLOCKS * SIZE)]
        name = 'scopes_%d' % self.seed
        head = ['//! test: ' + name, '//! buffer m uint[%d] = %s' % (len(memory), ' '.join(map(str, memory))),
                '//! buffer order int[%d] = %s' % (BLOCKS, ' '.join(map(str, range(BLOCKS)))), '//! value n int = %d' % n]
        head += ['//! options: ' + options] * bool(options)
        for item in range(ITEMS):
            places = {p: (item * BLOCKS + b) * SIZE for p, b in zip(pointers, blocks)}
            body(Scope(memory, places, {'n': n}))
        head += ['//! global: %d' % ITEMS, '//! expect m = ' + ' '.join(map(str, memory))]
        text = ['kernel void %s(global uint *m, global const int *order, int n)' % name, '{',
                '    global uint *s = m + get_global_id(0) * %d;' % (BLOCKS * SIZE),
                *('    global uint *%s = s + %d * %s;' % (p, SIZE, w) for p, w in zip(pointers, where)),
                *('    ' + line for line in lines), '}', '']
        renames = ['#define %s %s_%d' % (f[0], f[0], self.seed) for f in self.functions + self.wrappers]
        return '\n'.join(head + renames + functions + text + ['#undef ' + f[0] for f in self.functions + self.wrappers] + [''])


if __name__ == '__main__':
    sys.exit(testfiles.main('scopes', lambda seed, options='': Program(seed).text(options)))
