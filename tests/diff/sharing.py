"""What stresses the knowledge of memory: several pointers to one place, under other types, volatile and atomic between plain accesses,
stores that the next turn of a loop reads, restrict, and what other work-items wrote before a barrier."""
from cltypes import *
from expressions import Variable, cast


def spelled(space):
    return {'generic': ''}.get(space, space + ' ')


class Sharing:
    def integer_arrays(self):
        return [v for v in self.pointable() if not v.const and isinstance(v.kind, Array) and isinstance(v.kind.elem, Num) and
                v.kind.elem.lanes == 1 and not v.kind.elem.is_float and v.kind.length > 1]

    def some_array(self):
        """An array of integers that may be written; a new one where there is none."""
        found = self.integer_arrays()
        if found and self.rng.random() < 0.8:
            return self.rng.choice(found)
        kind = Array(Num(self.rng.choice(INTEGERS)), self.rng.choice([2, 4, 8]))
        name = self.name('v')
        self.emit('%s = %s;' % (declare(kind, name), self.initialiser(kind)))
        return self.add(Variable(name, kind))

    def aliases(self, depth):
        """Accesses through pointers that may or may not be equal."""
        rng = self.rng
        array = self.some_array()
        elem, last = array.kind.elem, array.kind.length - 1
        space = spelled(array.space)
        p, q, other, byte = (self.name(stem) for stem in 'pqrb')
        twin = elem.elem[1:] if elem.elem[0] == 'u' else 'u' + elem.elem
        self.begin()
        self.emit('%s%s *%s = %s + ((%s) | 1);' % (space, elem, p, array.name, self.index(last + 1, 1)))
        self.emit('%s%s *%s = %s + (%s);' % (space, elem, q, array.name, self.index(last + 1, 1)))
        self.emit('%s%s *%s = (%s%s *)%s;' % (space, twin, other, space, twin, rng.choice([p, q])))
        self.emit('%suchar *%s = (%suchar *)%s;' % (space, byte, space, rng.choice([p, q])))
        places = [('*' + p, elem), ('*' + q, elem), (p + '[0]', elem), (p + '[-1]', elem), (q + '[0]', elem), ('*' + other, Num(twin)),
                  ('%s[%s]' % (byte, rng.randrange(elem.size)), Num('uchar')),
                  ('*(volatile %s%s *)%s' % (space, elem, rng.choice([p, q])), elem)]
        for _ in range(3):
            places.append(('%s[%s]' % (array.name, self.index(last + 1, 1)), elem))
        self.accesses(places, rng.randrange(4, 11), array, p)
        self.end()

    def accesses(self, places, count, array, pointer):
        rng = self.rng
        for _ in range(count):
            path, kind = rng.choice(places)
            form = rng.randrange(10)
            if form < 3:
                self.emit('%s = %s;' % (path, self.value(kind, 2)))
            elif form < 5:
                self.emit('H(%s);' % path)
            elif form == 5:
                self.emit('%s ^= %s;' % (path, cast(kind, rng.choice(places)[0])))
            elif form == 6:
                self.emit('if (%s) %s = %s;' % (self.condition(2), path, cast(kind, rng.choice(places)[0])))
            elif form == 7:
                i = self.name('i')
                self.begin('for (int %s = 0; %s < %s; %s++)' % (i, i, self.bound(), i))
                self.emit('%s ^= %s;' % (path, cast(kind, '%s + %s' % (rng.choice(places)[0], i))))
                if rng.random() < 0.5:
                    self.emit('%s = %s;' % (rng.choice(places)[0], self.value(kind, 1)))
                self.end()
            elif form == 8 and array.space in ('global', 'local') and array.kind.elem.bits == 32:
                name = rng.choice(['add', 'xchg', 'xor', 'max'])
                self.emit('atomic_%s((volatile %s %s *)%s, %s);' % (name, array.space, array.kind.elem, pointer,
                                                                    cast(array.kind.elem, self.number(array.kind.elem, 2))))
            elif form == 9 and array.space == 'global':
                self.emit('mem_fence(CLK_GLOBAL_MEM_FENCE);')
            else:
                self.emit('%s = %s;' % (path, cast(kind, rng.choice(places)[0])))

    def carried(self, depth):
        """A loop whose turns read what earlier ones stored."""
        rng = self.rng
        array = self.some_array()
        other = rng.choice([a for a in self.integer_arrays() if a.kind.elem == array.kind.elem] + [array])
        elem, mask, its_mask = array.kind.elem, array.kind.length - 1, other.kind.length - 1
        i = self.name('i')
        self.begin('for (int %s = 1; %s < %d; %s++)' % (i, i, rng.choice([4, 6, array.kind.length + 1]), i))
        self.add(Variable(i, Num('int'), const=True))
        first = '%s[%s & %d]' % (array.name, i, mask)
        self.emit('%s = %s;' % (first, cast(elem, '(%s)%s[(%s - 1) & %d] + %s' % (elem.unsigned(), array.name, i, mask,
                                                                             cast(elem.unsigned(), self.number(elem, 2))))))
        self.emit('%s[(%s * 3) & %d] ^= %s;' % (other.name, i, its_mask, first))
        if rng.random() < 0.5:
            self.emit('H(%s);' % first)
        if rng.random() < 0.4:
            self.emit('if (%s) continue;' % self.condition(1))
            self.emit('%s[%s] = %s;' % (array.name, self.index(mask + 1, 1), self.value(elem, 2)))
        self.end()

    # ---- restrict ----

    def restrict_function(self):
        """A function of two restrict pointers to memory that is not shared."""
        rng = self.rng
        kind = Array(Num('uint'), 16) if rng.random() < 0.6 else Array(Num(rng.choice(INTEGERS)), 4)
        space = 'global' if kind.length == 16 else 'private'
        name, a, b, n = self.name('f'), self.name('a'), self.name('a'), self.name('a')
        const = rng.random() < 0.4
        self.begin('%suint %s(%s %s *restrict %s, %s %s%s *restrict %s, uint %s)' % (
            rng.choice(['', 'static ', '__attribute__((noinline)) ']), name, space, kind.elem, a, space, 'const ' * const, kind.elem, b, n))
        self.add(Variable(a, kind, space))
        self.add(Variable(b, kind, space, const))
        self.add(Variable(n, Num('uint')))
        self.result, self.calls = Num('uint'), 9
        self.emit('ulong crc = 11;')
        for _ in range(rng.randrange(2, 5)):
            getattr(self, rng.choice(['aliases', 'carried', 'assign', 'compound', 'if_', 'step']))(2)
        self.emit('return (uint)(crc >> 5);')
        self.end()
        self.result = None
        self.restricted.append((name, kind, space))

    def call_restricted(self, depth):
        if not self.restricted or not self.in_kernel:
            return self.aliases(depth)
        function, kind, space = self.rng.choice(self.restricted)
        result = self.name('v')
        if space == 'global':
            first, second = self.rng.choice([('work + gid * 32', 'work + gid * 32 + 16'), ('work + gid * 32 + 16', 'work + gid * 32')])
        else:
            first, second = self.name('v'), self.name('v')
            for name in (first, second):
                self.emit('%s = %s;' % (declare(kind, name), self.initialiser(kind)))
                self.add(Variable(name, kind))
        self.emit('uint %s = %s(%s, %s, %s);' % (result, function, first, second, self.number(Num('uint'), 2)))
        self.add(Variable(result, Num('uint')))

    # ---- other work-items ----

    def exchange(self, locals_):
        """Rounds in which each work-item reads its neighbour's place, and writes its own behind a barrier."""
        rng = self.rng
        arrays = [name for name, kind in locals_ if isinstance(kind, Num) and kind.lanes == 1 and not kind.is_float]
        p, q, x, r = (self.name(stem) for stem in 'pqxr')
        step = rng.randrange(1, GROUP)
        flags = rng.choice(['CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE', None])
        self.begin()
        if arrays and rng.random() < 0.6:
            name = rng.choice(arrays)
            kind = dict(locals_)[name]
            self.emit('local %s *%s = &%s[lid], *%s = &%s[(lid + %d) & %d];' % (kind, p, name, q, name, step, GROUP - 1))
            flags = flags or 'CLK_LOCAL_MEM_FENCE'
        else:
            kind, slot = Num('uint'), rng.randrange(32)
            self.emit('global uint *%s = work + gid * 32 + %d;' % (p, slot))
            self.emit('global uint *%s = work + ((gid & ~%du) + ((lid + %d) & %d)) * 32 + %d;' % (q, GROUP - 1, step, GROUP - 1, slot))
            flags = flags or 'CLK_GLOBAL_MEM_FENCE'
        barrier = 'barrier(%s);' % flags
        self.emit('*%s = %s;' % (p, self.value(kind, 2)))
        if rng.random() < 0.7:
            self.begin('for (int %s = 0; %s < %d; %s++)' % (r, r, rng.randrange(1, 4), r))
        else:
            self.begin()
            self.emit('int %s = 5;' % r)
        self.emit(barrier)
        self.emit('%s %s = *%s;' % (kind, x, q))
        if rng.random() < 0.5:
            self.emit('H(*%s);' % p)
        self.emit(barrier)
        own = rng.choice(['%s + *%s' % (x, p), '(%s ^ %s)' % (x, r), '%s - %s' % (x, r)])
        self.emit('*%s = %s;' % (p, cast(kind, own.replace(x, '(ulong)' + x, 1))))
        if rng.random() < 0.5:
            self.emit('H(*%s);' % p)
        self.end()
        self.emit(barrier)
        self.emit('H(*%s);' % q)
        self.emit(barrier)
        self.end()
