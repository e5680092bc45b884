#!/usr/bin/env python3
"""Random control flow: deep nests, early returns, loops with several exits, switches that fall through, chains of conditions, goto in any
shape, functions with all of these, and barriers where all work-items come by. A model executes the same program.

usage: see testfiles.py

Statements are written twice: as text, and as operations of a small machine, whose jumps are those of the text. The machine's expressions
are the text itself, read as Python. All numbers are uint. Every loop takes from one supply of fuel, so all programs end; r is a hash of
what was executed, and mem has eight words of each work-item."""
import random
import re
import sys

sys.dont_write_bytecode = True
import testfiles

ITEMS, WORDS, FUEL = 8, 8, 120


class Function:
    """What is being written: operations, and lines of text. Jumps name labels, which are numbers."""
    def __init__(self, name, parameter):
        self.name, self.parameter = name, parameter
        self.code, self.places, self.lines, self.variables = [], {}, [], []
        self.indent = 1
        self.breaks, self.continues = [], []  # labels, from the outermost on
        self.gotos = []

    def line(self, text):
        """Functions have pointers to r and fuel; @ stands for both as arguments."""
        if self.parameter:
            text = re.sub(r'\b(r|fuel)\b', r'(*\1)', text)
        self.lines.append('    ' * min(self.indent, 12) + text.replace('@', 'r, fuel' if self.parameter else '&r, &fuel'))

    def op(self, *words):
        self.code.append(words)


def python(text):
    text = re.sub(r'\b(\d+)u\b', r'\1', text)
    return text.replace('&&', ' and ').replace('||', ' or ').replace('!(', ' not (')


def expression(text):
    return compile(python(text).strip(), text, 'eval')


class Program:
    def __init__(self, seed):
        self.rng = random.Random('control %d' % seed)
        self.seed, self.labels, self.names = seed, 0, 0
        self.functions = []
        self.flavour = self.rng.choice(['mixed', 'mixed', 'deep', 'deep', 'loops', 'chain', 'goto', 'goto', 'calls', 'uniform', 'uniform', 'switch'])
        self.budget = 0

    def label(self):
        self.labels += 1
        return self.labels

    def place(self, label):
        self.f.places[label] = len(self.f.code)

    def name(self, prefix):
        self.names += 1
        return '%s%d' % (prefix, self.names)

    def variable(self):
        name = self.name('k')
        self.f.variables.append(name)
        return name

    # ---- expressions ----

    def number(self):
        rng = self.rng
        return rng.choice(['r', 'r', self.f.parameter or 's', '(r >> %du)' % rng.randrange(1, 20), 'mem[r & 7u]', 'mem[%du]' % rng.randrange(WORDS)] +
                          self.f.variables[-3:])

    def leaf(self):
        rng, n = self.rng, self.number()
        return rng.choice(['((%s & %du) == %du)' % (n, rng.choice([1, 3, 7]), rng.randrange(4)), '((%s & %du) != 0u)' % (n, rng.choice([1, 2, 6])),
                           '((%s %% %du) < %du)' % (n, rng.randrange(2, 8), rng.randrange(1, 5)), '(%s > %du)' % (n, rng.randrange(1 << 32))])

    def condition(self, otherwise):
        """Text of a condition; the machine jumps to otherwise where it is false."""
        rng = self.rng
        kind = rng.randrange(10)
        if kind == 0:
            first = self.condition(otherwise)
            return '(%s && %s)' % (first, self.condition(otherwise))
        if kind == 1:
            second, done = self.label(), self.label()
            first = self.condition(second)
            self.f.op('jump', done)
            self.place(second)
            text = '(%s || %s)' % (first, self.condition(otherwise))
            self.place(done)
            return text
        if kind == 2 and self.functions and rng.random() < 0.4:
            call, result = self.call()
            self.f.op('unless', expression('(%s & 1u) != 0u' % result), otherwise)
            return '((%s & 1u) != 0u)' % call
        text = self.leaf()
        self.f.op('unless', expression(text), otherwise)
        return text

    def call(self):
        """The text of a call, and the machine's name of its result."""
        function = self.rng.choice(self.functions)
        argument = '(%s ^ %du)' % (self.number(), self.rng.randrange(1000))
        self.f.op('call', function, expression(argument))
        return '%s(%s, @, mem)' % (function.name, argument), 'result'

    def condition_text(self, before, otherwise, after):
        self.line(before + self.condition(otherwise) + after)

    def line(self, text):
        self.f.line(text)

    def set(self, name, text):
        self.f.op('set', compile('%s = (%s) & 0xffffffff' % (python(name), python(text)), text, 'exec'))
        return '%s = %s' % (name, text)

    def update(self):
        rng = self.rng
        kind = rng.randrange(6)
        if kind < 3:
            self.line(self.set('r', 'r * %du + %du' % (rng.choice([3, 5, 31, 33]), rng.randrange(1000))) + ';')
        elif kind == 3:
            self.line(self.set('r', 'r ^ (%s + %du)' % (self.number(), rng.randrange(1000))) + ';')
        elif kind == 4:
            self.line(self.set('mem[%du]' % rng.randrange(WORDS), 'r + %du' % rng.randrange(1000)) + ';')
        else:
            self.line(self.set('mem[(r >> 3u) & 7u]', 'r + %du' % rng.randrange(1000)) + ';')

    # ---- statements ----

    def body(self, depth, inner=None):
        self.f.indent += 1
        if inner:
            self.clutter(depth)
            inner()
            self.clutter(depth)
        else:
            for _ in range(self.rng.randrange(1, 4)):
                self.statement(depth)
        self.f.indent -= 1

    def clutter(self, depth):
        if self.rng.random() < (0.15 if depth > 30 else 0.4):
            self.rng.choice([self.update, self.leave, self.leave, self.update, self.goto_if])()

    def if_(self, depth, inner=None):
        otherwise, done = self.label(), self.label()
        self.condition_text('if (', otherwise, ') {')
        in_first = self.rng.random() < 0.7
        self.body(depth - 1, inner if in_first else None)
        if self.rng.random() < 0.4 or not in_first:
            self.f.op('jump', done)
            self.place(otherwise)
            self.line('} else {')
            self.body(depth - 1, None if in_first else inner)
            self.place(done)
        else:
            self.place(otherwise)
        self.line('}')

    def chain(self, length):
        """else-if after else-if."""
        done = self.label()
        many, n = length > 8, self.number()
        for i in range(length):
            otherwise = self.label()
            before = 'if (' if not i else '} else if ('
            if many:
                text = '((%s %% %du) == %du)' % (n, length + 5, i)
                self.f.op('unless', expression(text), otherwise)
                self.line(before + text + ') {')
            else:
                self.condition_text(before, otherwise, ') {')
            self.f.indent += 1
            self.update()
            if self.rng.random() < 0.15:
                self.leave()
            self.f.indent -= 1
            self.f.op('jump', done)
            self.place(otherwise)
        self.line('} else {')
        self.f.indent += 1
        self.update()
        self.f.indent -= 1
        self.line('}')
        self.place(done)

    def choice(self, length):
        """One conditional expression in the other, with a store that only the chosen one does."""
        n, done = self.number(), self.label()
        text = ''
        for i in range(length):
            otherwise = self.label()
            leaf = '((%s %% %du) == %du)' % (n, length + 3, i)
            self.f.op('unless', expression(leaf), otherwise)
            text += '%s ? (%s) : ' % (leaf, self.set('mem[%du]' % self.rng.randrange(WORDS), 'r + %du' % i))
            self.f.op('set', compile('chosen = (r + %d) & 0xffffffff' % i, text, 'exec'))
            self.f.op('jump', done)
            self.place(otherwise)
        self.f.op('set', compile('chosen = 1', text, 'exec'))
        self.place(done)
        self.f.op('set', compile('r = r ^ chosen', text, 'exec'))
        self.line('r = r ^ (%s1u);' % text)

    def loop(self, depth, inner=None):
        rng = self.rng
        k, end, again = self.variable(), self.label(), self.label()
        top = self.label()
        kind = rng.choice(['for', 'while', 'do', 'endless'])
        bound = rng.choice(['%du' % rng.randrange(1, 5), '(%s & 3u)' % self.number()])
        take = self.take_fuel
        start = self.set(k, '0u')
        if kind == 'for':
            test = '%s < %s && fuel > 0u' % (k, bound)
            self.place(top)
            self.f.op('unless', expression(test), end)
            self.line('for (%s; %s; %s = %s + 1u) {' % (start, test, k, k))
        elif kind == 'while':
            self.line(start + ';')
            self.place(top)
            self.place(again)
            test = 'fuel > 0u && '
            self.f.op('unless', expression('fuel > 0u'), end)
            self.condition_text('while (' + test, end, ') {')
        else:
            self.line(start + ';')
            self.place(top)
            self.line('do {' if kind == 'do' else 'for (;;) {')
            if kind == 'endless':
                self.place(again)
        self.f.breaks.append(end)
        self.f.continues.append(again)
        self.f.indent += 1
        if kind == 'endless':
            self.f.op('unless', expression('fuel == 0u'), self.label())
            self.f.op('jump', end)
            self.place(self.labels)
            self.line('if (fuel == 0u) break;')
        take()
        if kind != 'for':
            self.line(self.set(k, k + ' + 1u') + ';')
        self.f.indent -= 1
        self.body(depth - 1, inner)
        self.f.breaks.pop()
        self.f.continues.pop()
        if kind == 'for':
            self.place(again)
            self.set(k, k + ' + 1u')
            self.line('}')
        elif kind == 'do':
            self.place(again)
            self.f.op('unless', expression('fuel > 0u'), end)
            self.f.op('unless', expression('%s < %s' % (k, bound)), end)
            self.line('} while (fuel > 0u && %s < %s);' % (k, bound))
        else:
            self.line('}')
        self.f.op('jump', top)
        self.place(end)

    def take_fuel(self):
        self.f.op('set', compile('fuel = fuel - (fuel > 0)', 'fuel', 'exec'))
        self.line('fuel = fuel - (fuel > 0u);')

    def switch(self, depth, inner=None, length=None):
        rng = self.rng
        length = length or rng.randrange(1, 7)
        values = rng.sample(range(length + 2), length)
        default = rng.randrange(length + 1) if rng.random() < 0.7 else None
        value, end = '(%s %% %du)' % (self.number(), length + 2), self.label()
        table, op = {}, ['switch', expression(value), None, end]
        self.f.op(op)
        self.line('switch %s {' % value)
        self.f.breaks.append(end)
        inside = rng.randrange(length)
        for i, case in enumerate(values + [None] * (default == length)):
            table[case] = self.label()
            self.place(self.labels)
            self.line('case %du: ;' % case if case is not None else 'default: ;')
            if i == default and case is not None:
                op[3] = table[case]
                self.line('default: ;')
            if case is None:
                op[3] = table[case]
            if length > 8:
                self.f.indent += 1
                self.update()
                self.f.indent -= 1
            elif rng.random() < 0.8 or i == inside:
                self.body(depth - 1, inner if i == inside else None)
            if rng.random() < 0.6:
                self.f.op('jump', end)
                self.f.indent += 1
                self.line('break;')
                self.f.indent -= 1
        op[2] = table
        self.f.breaks.pop()
        self.line('}')
        self.place(end)

    def duff(self, depth):
        """Cases in the middle of a loop."""
        rng = self.rng
        k, top, end = self.variable(), self.label(), self.label()
        cases = rng.randrange(2, 5)
        value = '(%s %% %du)' % (self.number(), cases + 1)
        self.line(self.set(k, '0u') + ';')
        labels = [self.label() for _ in range(cases)]
        self.f.op(['switch', expression(value), dict(enumerate(labels)), end])
        self.line('switch %s {' % value)
        for i, label in enumerate(labels):
            if not i:
                self.place(label)
                self.line('case 0u: do {')
                self.place(top)
                self.f.indent += 1
                self.take_fuel()
            else:
                self.place(label)
                self.line('case %du: ;' % i)
            again = self.label()
            self.f.breaks.append(end)
            self.f.continues.append(again)
            self.update()
            self.f.breaks.pop()
            self.f.continues.pop()
        self.line(self.set(k, k + ' + 1u') + ';')
        self.f.indent -= 1
        bound = rng.randrange(1, 4)
        self.f.op('unless', expression('fuel > 0u'), end)
        self.f.op('unless', expression('%s < %du' % (k, bound)), end)
        self.f.op('jump', top)
        self.line('} while (fuel > 0u && %s < %du);' % (k, bound))
        self.line('}')
        self.place(end)

    def leave(self):
        """A way out, mostly behind a condition."""
        ways = ['break'] * len(self.f.breaks[-1:]) + ['continue'] * len(self.f.continues[-1:]) + ['return'] * (1 + (self.f.parameter is not None))
        if self.no_return:
            ways = [w for w in ways if w != 'return']
        if not ways:
            return self.update()
        way, past = self.rng.choice(ways), self.label()
        self.condition_text('if (', past, ') {')
        self.f.indent += 1
        if self.rng.random() < 0.3:
            self.update()
        if way == 'break':
            self.f.op('jump', self.f.breaks[-1])
            self.line('break;')
        elif way == 'continue':
            self.f.op('jump', self.f.continues[-1])
            self.line('continue;')
        else:
            self.return_()
        self.f.indent -= 1
        self.line('}')
        self.place(past)

    def return_(self):
        if self.f.parameter:
            value = 'r + %du' % self.rng.randrange(100)
            self.f.op('return', expression(value))
            self.line('return %s;' % value)
        else:
            self.line(self.set('mem[7u]', 'mem[7u] ^ r') + ';')
            self.f.op('return', expression('0u'))
            self.line('return;')

    def goto_if(self):
        if not self.f.gotos:
            return self.update()
        past, target = self.label(), self.rng.choice(self.f.gotos)
        self.f.op('unless', expression('fuel > 0u'), past)
        self.condition_text('if (fuel > 0u && ', past, ') {')
        self.f.indent += 1
        self.take_fuel()
        self.f.op('jump', target)
        self.line('goto l%d;' % target)
        self.f.indent -= 1
        self.line('}')
        self.place(past)

    def goto_label(self):
        missing = [label for label in self.f.gotos if label not in self.f.places]
        if missing:
            self.place(missing[0])
            self.line('l%d: ;' % missing[0])

    def statement(self, depth):
        rng = self.rng
        self.budget -= 1
        if self.f.gotos and rng.random() < 0.4:
            rng.choice([self.goto_label, self.goto_if])()
        if depth <= 0 or self.budget < 0:
            return rng.choice([self.update, self.update, self.leave])()
        if self.functions and rng.random() < 0.15:
            call, result = self.call()
            self.line('{ uint result = %s; r = r ^ result; }' % call)
            self.f.op('set', compile('r = r ^ result', 'r', 'exec'))
            return None
        return rng.choice([self.update, self.update, self.leave, lambda: self.if_(depth), lambda: self.if_(depth), lambda: self.loop(depth),
                           lambda: self.loop(depth), lambda: self.switch(depth), lambda: self.duff(depth),
                           lambda: self.chain(rng.randrange(1, 5)), lambda: self.choice(rng.randrange(1, 5))])()

    def tower(self, depth, kinds):
        """Constructs in one another."""
        if depth <= 0:
            return self.body(0)
        kind = self.rng.choice(kinds)
        return kind(1, lambda: self.tower(depth - 1, kinds))

    # ---- barriers, where all work-items come by ----

    def exchange(self):
        step = self.rng.randrange(1, ITEMS)
        barrier = 'barrier(CLK_LOCAL_MEM_FENCE);'
        self.line('box[i] = r; %s r = r ^ box[(i + %du) %% %du]; %s' % (barrier, step, ITEMS, barrier))
        self.f.op('exchange', step)

    def all_statement(self, depth):
        """A statement that all work-items execute alike; inside are some that they do not."""
        rng = self.rng
        kind = rng.randrange(8 if depth else 4)
        u = self.uniforms
        if kind < 2:
            self.exchange()
        elif kind < 4:
            breaks, self.f.breaks = self.f.breaks, []
            continues, self.f.continues = self.f.continues, []
            self.no_return = True
            self.statement(2)
            self.no_return = False
            self.f.breaks, self.f.continues = breaks, continues
        elif kind < 6:
            k, top, again, end = self.variable(), self.label(), self.label(), self.label()
            bound = rng.randrange(1, 4)
            start = self.set(k, '0u')
            self.place(top)
            self.f.op('unless', expression('%s < %du' % (k, bound)), end)
            self.line('for (%s; %s < %du; %s = %s + 1u) {' % (start, k, bound, k, k))
            u.append(k)
            self.f.breaks.append(end)
            self.f.continues.append(again)
            self.all_body(depth)
            self.f.breaks.pop()
            self.f.continues.pop()
            u.pop()
            self.place(again)
            self.set(k, k + ' + 1u')
            self.f.op('jump', top)
            self.place(end)
            self.line('}')
        elif kind == 6:
            past, other = self.label(), self.label()
            test = '((%s & %du) != 0u)' % (rng.choice(u), rng.choice([1, 2, 3]))
            self.f.op('unless', expression(test), other)
            self.line('if %s {' % test)
            self.all_body(depth)
            self.f.op('jump', past)
            self.place(other)
            self.line('} else {')
            self.all_body(depth)
            self.place(past)
            self.line('}')
        else:
            past = self.label()
            test = '(%s == %du)' % (rng.choice(u), rng.randrange(4))
            self.f.op('unless', expression(test), past)
            self.line('if %s {' % test)
            self.f.indent += 1
            ways = ['return'] + ['break', 'continue'] * bool(self.f.breaks) * 2
            way = rng.choice(ways)
            if way == 'return':
                self.return_()
            else:
                self.f.op('jump', (self.f.breaks if way == 'break' else self.f.continues)[-1])
                self.line(way + ';')
            self.f.indent -= 1
            self.line('}')
            self.place(past)

    def all_body(self, depth):
        self.f.indent += 1
        for _ in range(self.rng.randrange(1, 4)):
            self.all_statement(depth - 1)
        self.f.indent -= 1

    # ---- the whole ----

    def contents(self, depth):
        rng, flavour = self.rng, self.flavour
        self.no_return = False
        if flavour == 'goto' and rng.random() < 0.8:
            self.f.gotos = [self.label() for _ in range(rng.randrange(1, 6))]
        if flavour in ('deep', 'loops') and depth:
            ifs, switches = [self.if_] * 4 + [self.loop], [self.switch]
            kinds = rng.choice([ifs, ifs + switches, [self.if_], ifs]) if flavour == 'deep' else [self.loop]
            self.tower(rng.choice([5, 15, 30, 50, 70, 90]) if flavour == 'deep' else rng.choice([5, 10, 20, 30]), kinds)
        elif flavour == 'chain' and depth:
            length = rng.choice([10, 30, 60, 90, 120])
            kind = rng.randrange(4)
            if kind == 0:
                self.chain(length)
            elif kind == 1:
                self.choice(length)
            elif kind == 2:
                for _ in range(length):
                    self.leave()
            else:
                inner = lambda: [self.leave() for _ in range(length // 2)]
                self.loop(1, inner)
        elif flavour == 'switch' and depth:
            self.switch(1, None, rng.choice([5, 20, 100]))
        for _ in range(rng.randrange(2, 6)):
            self.budget = 12
            self.statement(3 if depth else 2)
        while any(label not in self.f.places for label in self.f.gotos):
            self.goto_label()

    def function(self, depth):
        self.f = Function(self.name('f%d_' % self.seed), self.name('p'))
        self.contents(depth)
        self.return_()
        self.functions.append(self.f)

    def generate(self):
        rng = self.rng
        for n in range(rng.randrange(3, 6) if self.flavour == 'calls' else rng.randrange(2)):
            self.function(0)
        if self.flavour not in ('calls', 'uniform') and rng.random() < 0.3:
            self.function(1)
        self.f = Function('control_%d' % self.seed, None)
        self.n = rng.randrange(8)
        if self.flavour == 'uniform':
            self.uniforms, self.no_return = ['n'], False
            for _ in range(rng.randrange(3, 7)):
                self.budget = 8
                self.all_statement(3)
        else:
            self.contents(1)
        self.line(self.set('mem[7u]', 'mem[7u] + r') + ';')
        self.f.op('return', expression('0u'))
        return self

    def text(self, options):
        memory = execute(self)
        lines = ['//! test: control_%d' % self.seed, '//! global: %d' % ITEMS, '//! local: %d' % ITEMS]
        if options:
            lines.append('//! options: %s' % options)
        lines += ['//! buffer memory uint[%d] = 0' % (ITEMS * WORDS), '//! value n uint = %d' % self.n,
                  '//! expect memory = %s' % ' '.join(map(str, memory))]
        for f in self.functions:
            lines += ['static uint %s(uint %s, uint *r, uint *fuel, global uint *mem)' % (f.name, f.parameter), '{'] + declarations(f) + f.lines + ['}']
        lines += ['kernel void %s(global uint *memory, uint n)' % self.f.name, '{',
                  '    uint i = get_local_id(0), s = i, r = i * 2654435761u, fuel = %du;' % FUEL,
                  '    global uint *mem = memory + i * %du;' % WORDS, '    local uint box[%d];' % ITEMS]
        return '\n'.join(lines + declarations(self.f) + self.f.lines + ['}']) + '\n'


def declarations(function):
    return ['    uint %s = 0u;' % name for name in function.variables]


# ---- the model ----

def work_item(function, env):
    """Executes a function; stops where values are exchanged. Its result is env['result']."""
    for name in function.variables:
        env[name] = 0
    at = 0
    while True:
        op = function.code[at]
        op = op[0] if isinstance(op[0], list) else op
        at += 1
        if op[0] == 'set':
            exec(op[1], env)
        elif op[0] == 'unless':
            if not eval(op[1], env):
                at = function.places[op[2]]
        elif op[0] == 'jump':
            at = function.places[op[1]]
        elif op[0] == 'switch':
            at = function.places[op[2].get(eval(op[1], env), op[3])]
        elif op[0] == 'call':
            env[op[1].parameter] = eval(op[2], env)
            yield from work_item(op[1], env)
        elif op[0] == 'exchange':
            yield op[1]
        else:
            env['result'] = eval(op[1], env) & 0xffffffff
            return


def execute(program):
    envs = [{'i': i, 's': i, 'n': program.n, 'r': i * 2654435761 & 0xffffffff, 'fuel': FUEL, 'mem': [0] * WORDS} for i in range(ITEMS)]
    items = [work_item(program.f, env) for env in envs]
    while True:
        steps = [next(item, None) for item in items]
        if steps[0] is None:
            assert not any(steps)
            return [word for env in envs for word in env['mem']]
        box = [env['r'] for env in envs]
        for i, env in enumerate(envs):
            env['r'] ^= box[(i + steps[i]) % ITEMS]


def program(seed, options=''):
    sys.setrecursionlimit(10000)
    return Program(seed).generate().text(options)


if __name__ == '__main__':
    sys.exit(testfiles.main('control', program))
