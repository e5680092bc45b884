"""Random control flow: every statement of the language, and what only goto can build. Every loop has its own bound."""
from cltypes import *
from expressions import Variable, cast
from statements import Statements


class Flow(Statements):
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
