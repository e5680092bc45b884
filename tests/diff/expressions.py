"""Random expressions without undefined, unspecified or merely inexact results: overflow goes through unsigned types, divisors
are not zero, float operations are the correctly rounded ones (the programs turn contraction off)."""
from cltypes import *


class Variable:
    """A name that programs may read, and write unless it is const. space: of what it names, for pointers to it."""
    def __init__(self, name, kind, space='private', const=False):
        self.name, self.kind, self.space, self.const = name, kind, space, const


class Expressions:
    """Needs of its user: rng, scopes (lists of Variable), functions, elems (the element types in use), indexing = 0."""

    def visible(self):
        return [variable for scope in self.scopes for variable in scope]

    def pick_num(self, vectors=0.4):
        lanes = self.rng.choice(LANES) if self.rng.random() < vectors else 1
        return Num(self.rng.choice(self.elems), lanes)

    def index(self, length, depth=2):
        rng = self.rng
        if length == 1:
            return '0'
        if rng.random() < 0.3 or self.indexing > 1:
            return str(rng.randrange(length))
        kind = Num(rng.choice(['uint', 'int', 'ulong', 'uchar', 'short']))
        self.indexing += 1
        text = '(%s) & %d' % (self.number(kind, depth - self.indexing), length - 1)
        self.indexing -= 1
        return text

    def descend(self, path, kind):
        """A random number inside of a value, as (lvalue, Num)."""
        packed = False  # no pointers to the elements of an array in a packed struct: they may be misaligned
        while not isinstance(kind, Num):
            if isinstance(kind, Array):
                if self.rng.random() < 0.15 and not packed:
                    path = '(*(%s + (%s)))' % (path, self.index(kind.length, 1))
                else:
                    path = '%s[%s]' % (path, self.index(kind.length, 1))
                kind = kind.elem
            else:
                packed = packed or 'packed' in kind.attribute
                name, kind = self.rng.choice(kind.members)
                path = '%s.%s' % (path, name)
        return path, kind

    def number(self, kind, depth):
        """An expression of exactly this type."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.12:
            return self.leaf(kind)
        if rng.random() < 0.12:
            other = self.pick_num()
            return convert(rng, self.number(other, depth - 1), other, kind)
        if rng.random() < 0.08:
            return self.conditional(kind, depth)
        if rng.random() < 0.06:
            call = self.call(kind, depth)
            if call:
                return call
        if rng.random() < 0.05 and kind.lanes > 1:
            return self.gather(kind, depth)
        return self.float_operation(kind, depth) if kind.is_float else self.integer_operation(kind, depth)

    def leaf(self, kind):
        rng = self.rng
        variables = self.visible()
        if not variables or rng.random() < 0.2:
            return literal(rng, kind)
        matching = [v for v in variables if v.kind == kind]
        if matching and rng.random() < 0.6:
            name = rng.choice(matching).name
            return 'nn(%s)' % name if kind.is_float else name
        variable = rng.choice(variables)
        path, found = self.descend(variable.name, variable.kind)
        return convert(rng, 'nn(%s)' % path if found.is_float else path, found, kind)

    def condition(self, depth):
        """A scalar of type int."""
        rng = self.rng
        if depth > 0 and rng.random() < 0.25:
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            return rng.choice(['(%s && %s)', '(%s || %s)', '(%s ^ %s)', '(%s != %s)']) % (a, b)
        if rng.random() < 0.1:
            kind = Num(rng.choice(['char', 'short', 'int', 'long']), rng.choice(LANES))
            return '%s(%s)' % (rng.choice(['any', 'all']), self.number(kind, depth - 1))
        kind = self.pick_num(0)
        if rng.random() < 0.2:
            return '!(%s)' % self.number(kind, depth - 1)
        operator = rng.choice(['<', '>', '<=', '>=', '==', '!='])
        return '((%s) %s (%s))' % (self.number(kind, depth - 1), operator, self.number(kind, depth - 1))

    def conditional(self, kind, depth):
        rng = self.rng
        a, b = self.number(kind, depth - 1), self.number(kind, depth - 1)
        if kind.lanes == 1 or rng.random() < 0.3:
            return '(%s ? %s : %s)' % (self.condition(depth - 1), cast(kind, a), cast(kind, b))
        mask = kind.mask()
        if rng.random() < 0.5:
            return '((%s) ? (%s) : (%s))' % (self.number(mask, depth - 1), a, b)
        return 'select(%s, %s, %s)' % (a, b, self.number(rng.choice([mask, mask.unsigned()]), depth - 1))

    def call(self, kind, depth):
        fitting = [f for f in self.functions if f['pure'] and isinstance(f['result'], Num)]
        if not fitting:
            return None
        function = self.rng.choice(fitting)
        args = [cast(k, self.number(k, depth - 2)) for k, _ in function['params']]
        return convert(self.rng, '%s(%s)' % (function['name'], ', '.join(args)), function['result'], kind)

    def gather(self, kind, depth):
        """Vector literals of parts, vloadn, shuffles."""
        rng = self.rng
        elem = Num(kind.elem)
        arrays = [v for v in self.visible() if isinstance(v.kind, Array) and v.kind.elem == elem and v.space != 'generic' and
                  v.kind.length >= kind.lanes]
        if arrays and rng.random() < 0.6:
            array = rng.choice(arrays)
            spare = array.kind.length - kind.lanes
            if rng.random() < 0.3:
                times = array.kind.length // kind.lanes
                return 'nn(vload%d((%s) %% %du, %s))' % (kind.lanes, self.number(Num('uint'), 1), times, array.name)
            return 'nn(vload%d(0, %s + %s))' % (kind.lanes, array.name, '(%s) %% %du' % (self.number(Num('uint'), 1), spare + 1))
        if kind.lanes != 3 and rng.random() < 0.3:
            mask = Num({8: 'uchar', 16: 'ushort', 32: 'uint', 64: 'ulong'}[kind.bits], kind.lanes)
            source = Num(kind.elem, rng.choice([2, 4, 8, 16]))
            if rng.random() < 0.5:
                return 'shuffle(%s, %s)' % (self.number(source, depth - 1), self.number(mask, depth - 1))
            return 'shuffle2(%s, %s, %s)' % (self.number(source, depth - 1), self.number(source, depth - 1),
                                             self.number(mask, depth - 1))
        parts, left = [], kind.lanes
        while left:
            lanes = rng.choice([n for n in [1, 1, 2, 3, 4, 8] if n <= left])
            if lanes == kind.lanes:
                continue
            parts.append(self.number(Num(kind.elem, lanes), depth - 2))
            left -= lanes
        return '(%s)(%s)' % (kind, ', '.join(parts))

    # ---- integers ----

    def integer_operation(self, kind, depth):
        rng = self.rng
        form = rng.choice(['arithmetic'] * 5 + ['bits'] * 3 + ['shift'] * 3 + ['divide'] * 2 + ['compare'] * 2 +
                          ['unary'] * 2 + ['builtin'] * 3 + ['reinterpret'])
        return getattr(self, form)(kind, depth - 1)

    def arithmetic(self, kind, depth):
        rng = self.rng
        a, b, operator = self.number(kind, depth), self.number(kind, depth), rng.choice(['+', '-', '*', '+', '-'])
        if kind.lanes == 1:
            if kind.bits < 32:
                return '(%s)((uint)(%s) %s (%s))' % (kind, a, operator, b)
            return '(%s)((%s)(%s) %s (%s)(%s))' % (kind, kind.unsigned(), a, operator, kind.unsigned(), b)
        if not kind.is_signed:
            if rng.random() < 0.2:
                b = cast(Num(kind.elem), self.number(Num(kind.elem), depth))  # widened to the vector's lanes
            return '((%s) %s (%s))' % (a, operator, b)
        if rng.random() < 0.3 and operator != '*':
            small = '(%s)%d' % (kind.elem, (1 << kind.bits - 2) - 1)
            return '(((%s) & %s) %s ((%s) & %s))' % (a, small, operator, b, small)
        return 'as_%s(as_%s(%s) %s as_%s(%s))' % (kind, kind.unsigned(), a, operator, kind.unsigned(), b)

    def bits(self, kind, depth):
        a, b = self.number(kind, depth), self.number(kind, depth)
        return cast(kind, '(%s) %s (%s)' % (a, self.rng.choice('&|^'), b))

    def shift(self, kind, depth):
        rng = self.rng
        a, operator = self.number(kind, depth), rng.choice(['<<', '>>'])
        count = rng.choice([kind, kind.unsigned()])
        if rng.random() < 0.5:
            amount = '%s' % rng.randrange(kind.bits)
            if kind.lanes > 1:
                amount = '(%s)%s' % (kind.elem, amount)
        else:
            amount = self.number(count, depth)  # any count: its low bits are what counts, OpenCL C 3.0, 6.4.10
            if kind.lanes == 1 and kind.bits < 32:
                amount = '(%s) & %d' % (amount, kind.bits - 1)
        return cast(kind, '(%s) %s (%s)' % (a, operator, amount))

    def divide(self, kind, depth):
        rng = self.rng
        a, b, operator = self.number(kind, depth), self.number(kind, depth), rng.choice('/%')
        one = '(%s)1' % kind.elem
        if not kind.is_signed:
            return cast(kind, '(%s) %s ((%s) | %s)' % (a, operator, b, one))
        if rng.random() < 0.5:
            positive = '(((%s) & (%s)%d) | %s)' % (b, kind.elem, (1 << kind.bits - 1) - 1, one)
            return cast(kind, '(%s) %s %s' % (a, operator, positive))
        halved = '((%s) / (%s)2)' % (a, kind.elem)  # so that -1 does not overflow
        return cast(kind, '%s %s ((%s) | %s)' % (halved, operator, b, one))

    def compare(self, kind, depth):
        rng = self.rng
        if kind.lanes == 1:
            return convert(rng, self.condition(depth), Num('int'), kind)
        elems = [e for e in self.elems if Num(e, kind.lanes).mask().bits == kind.bits]
        other = Num(rng.choice(elems or [kind.elem]), kind.lanes)
        operator = rng.choice(['<', '>', '<=', '>=', '==', '!='] + ['&&', '||'] * (not other.is_float))
        text = '((%s) %s (%s))' % (self.number(other, depth), operator, self.number(other, depth))
        if other.is_float and rng.random() < 0.3:
            name = rng.choice(['isless', 'isgreaterequal', 'isnotequal', 'islessgreater', 'isequal'])
            text = '%s(%s, %s)' % (name, self.number(other, depth), self.number(other, depth))
        return convert(rng, text, other.mask(), kind)

    def unary(self, kind, depth):
        rng = self.rng
        a = self.number(kind, depth)
        operator = rng.choice(['~', '-', '!', '+'])
        if operator == '!':
            return convert(rng, '(!(%s))' % a, kind.mask(), kind)
        if operator == '-' and kind.is_signed:
            return 'as_%s((%s)(-as_%s(%s)))' % (kind, kind.unsigned(), kind.unsigned(), cast(kind, a))
        return cast(kind, '%s(%s)' % (operator, a))

    def builtin(self, kind, depth):
        rng = self.rng
        if rng.random() < 0.12:
            return self.bit_function(kind, depth)
        a, b, c = (cast(kind, self.number(kind, depth)) for _ in range(3))
        name = rng.choice(['min', 'max', 'clamp', 'abs', 'abs_diff', 'add_sat', 'sub_sat', 'hadd', 'rhadd', 'mul_hi',
                           'rotate', 'clz', 'popcount', 'bitselect', 'mad_hi', 'mad_sat', 'mul24', 'mad24', 'upsample'])
        if name in ('clz', 'popcount'):
            return '%s(%s)' % (name, a)
        if name in ('abs', 'abs_diff'):
            text = 'abs(%s)' % a if name == 'abs' else 'abs_diff(%s, %s)' % (a, b)
            return convert(rng, text, kind.unsigned(), kind)
        if name == 'clamp':
            return 'clamp(%s, min(%s, %s), max(%s, %s))' % (a, b, c, b, c)
        if name in ('mad_hi', 'mad_sat', 'bitselect'):
            return '%s(%s, %s, %s)' % (name, a, b, c)
        if name in ('mul24', 'mad24'):
            if kind.bits != 32:
                return '%s(%s, %s)' % (rng.choice(['max', 'min', 'rotate', 'mul_hi']), a, b)
            amount = rng.choice([(8, 8), (20, 21), (16, 17)])
            small = tuple('(%s) >> (%s)%d' % (text, kind, bits) for text, bits in zip((a, b), amount))
            if name == 'mul24' and (not kind.is_signed or amount[0] > 8):
                return 'mul24(%s, %s)' % small
            return 'mad24(%s, %s, (%s) >> (%s)1)' % (small + (c, kind)) if amount[0] > 16 else 'hadd(%s, %s)' % (a, b)
        if name == 'upsample':
            if kind.bits == 8:
                return 'min(%s, %s)' % (a, b)
            narrow = {'short': 'char', 'int': 'short', 'long': 'int', 'ushort': 'uchar', 'uint': 'ushort', 'ulong': 'uint'}
            high = kind.with_elem(narrow[kind.elem])
            low = high.unsigned()
            return 'upsample(%s, %s)' % (cast(high, self.number(high, depth)), cast(low, self.number(low, depth)))
        return '%s(%s, %s)' % (name, a, b)

    def reinterpret(self, kind, depth):
        rng = self.rng
        sizes = [Num(e, n) for e in self.elems for n in [1] + LANES if n != 3 and kind.lanes != 3]
        others = [k for k in sizes if k.size == kind.size]
        if not others:
            return self.leaf(kind)
        other = rng.choice(others)
        inner = cast(other, self.number(other, depth))
        text = 'as_%s(%s)' % (kind, 'nn(%s)' % inner if other.is_float else inner)
        return 'nn(%s)' % text if kind.is_float else text

    # ---- floats ----

    def float_operation(self, kind, depth):
        rng = self.rng
        depth -= 1
        a, b = self.number(kind, depth), self.number(kind, depth)
        one = '(%s)' % kind
        form = rng.randrange(16)
        if form < 6:
            return '((%s) %s (%s))' % (a, '+-*'[form % 3], b)
        if form == 6:
            return '%s(%s)' % (rng.choice(['fabs', 'floor', 'ceil', 'trunc', 'rint', 'round']), a)
        if form == 7:
            return '(%s(%s, %s) + %s0)' % (rng.choice(['fmin', 'fmax']), a, b, one)
        if form == 8:
            return 'copysign(nn(%s), nn(%s))' % (a, b)
        if form == 9:
            return 'fma(%s, %s, %s)' % (a, b, self.number(kind, depth))
        if form == 10:
            if kind.elem in ('double', 'half'):
                return 'nn((%s) / (%s))' % (a, b)
            return '((%s) * %s0.25f)' % (a, one)
        if form == 11:
            return self.reinterpret(kind, depth)
        if form == 12:
            return 'nn(bitselect(nn(%s), nn(%s), nn(%s)))' % (a, b, self.number(kind, depth))
        if form == 13:
            return 'select(%s, %s, %s)' % (a, b, self.number(rng.choice([kind.mask(), kind.mask().unsigned()]), depth)) \
                if kind.lanes > 1 else '(-(%s))' % a
        if form == 14:
            return self.exact(kind, depth, a, b)
        return convert(rng, self.number(kind.mask(), depth), kind.mask(), kind)

    def exact(self, kind, depth, a, b):
        """Functions whose error the specification bounds by 0, or by the rounding of one operation."""
        rng = self.rng
        if kind.elem == 'double' and rng.random() < 0.3:
            return 'nn(sqrt(fabs(%s)))' % a
        name = rng.choice(['fdim', 'ldexp', 'maxmag', 'minmag', 'ilogb'])
        if name == 'ldexp':
            return 'nn(ldexp(nn(%s), (%s) %% %d))' % (a, self.number(Num('int', kind.lanes), depth), 20)
        if name == 'ilogb':
            return convert(rng, 'ilogb(nn(%s) + (%s)(%s == (%s)0))' % (a, kind, a, kind), Num('int', kind.lanes), kind) \
                if kind.lanes == 1 else '(-(%s))' % a
        return 'nn(%s(nn(%s), nn(%s)))' % (name, a, b)


def cast(kind, text):
    """C's promotions make ints of small scalars; vectors keep their type."""
    return '(%s)(%s)' % (kind, text) if kind.lanes == 1 else '(%s)' % text
