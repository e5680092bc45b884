"""OpenCL C's arithmetic types for the program generator: what they are, literals, and conversions whose result the language
defines. No float expression that reaches memory or bits is a NaN: nn() takes them out, because NaN payloads are open. It takes out
numbers near zero, too, in programs that are not about subnormals, because devices may flush those."""

GROUP = 16

BITS = {'char': 8, 'uchar': 8, 'short': 16, 'ushort': 16, 'int': 32, 'uint': 32, 'long': 64, 'ulong': 64,
        'half': 16, 'float': 32, 'double': 64}
INTEGERS = ['char', 'uchar', 'short', 'ushort', 'int', 'uint', 'long', 'ulong']
FLOATS = ['float', 'double', 'half']
LANES = [2, 3, 4, 8, 16]
SWIZZLE = '0123456789abcdef'


class Num:
    """A scalar (lanes 1) or a vector."""
    def __init__(self, elem, lanes=1):
        self.elem, self.lanes = elem, lanes

    def __str__(self):
        return self.elem + (str(self.lanes) if self.lanes > 1 else '')

    def __eq__(self, other):
        return isinstance(other, Num) and (self.elem, self.lanes) == (other.elem, other.lanes)

    def __hash__(self):
        return hash((self.elem, self.lanes))

    bits = property(lambda self: BITS[self.elem])
    is_float = property(lambda self: self.elem in FLOATS)
    is_signed = property(lambda self: self.elem in ('char', 'short', 'int', 'long'))
    size = property(lambda self: BITS[self.elem] // 8 * (4 if self.lanes == 3 else self.lanes))

    def with_elem(self, elem):
        return Num(elem, self.lanes)

    def unsigned(self):
        return self if self.elem[0] == 'u' else self.with_elem('u' + self.elem)

    def mask(self):
        """The type of a comparison of two of this type."""
        if self.lanes == 1:
            return Num('int')
        return Num({8: 'char', 16: 'short', 32: 'int', 64: 'long'}[self.bits], self.lanes)


class Array:
    def __init__(self, elem, length):
        self.elem, self.length = elem, length  # length: a power of two


class Record:
    """A struct, or a union whose members are of one size and without padding, or all of one size's 3-vectors."""
    def __init__(self, name, keyword, members, attribute=''):
        self.name, self.keyword, self.members, self.attribute = name, keyword, members, attribute

    def __str__(self):
        return '%s %s' % (self.keyword, self.name)

    def definition(self):
        body = ''.join('    %s;\n' % declare(kind, name) for name, kind in self.members)
        return '%s %s {\n%s}%s;\n' % (self.keyword, self.name, body, self.attribute)


def declare(kind, name):
    while isinstance(kind, Array):
        name, kind = '%s[%d]' % (name, kind.length), kind.elem
    return '%s %s' % (kind, name)


def leaves(kind, path):
    """Every number in a value, as (expression, Num); a union's by its first member."""
    if isinstance(kind, Array):
        for i in range(kind.length):
            yield from leaves(kind.elem, '%s[%d]' % (path, i))
    elif isinstance(kind, Record):
        for name, member in kind.members[:1] if kind.keyword == 'union' else kind.members:
            yield from leaves(member, '%s.%s' % (path, name))
    else:
        yield path, kind


def literal(rng, kind):
    if kind.lanes > 1:
        elem = Num(kind.elem)
        if rng.random() < 0.3:
            return '(%s)(%s)' % (kind, literal(rng, elem))
        return '(%s)(%s)' % (kind, ', '.join(literal(rng, elem) for _ in range(kind.lanes)))
    if kind.is_float:
        text = rng.choice(['0.0', '1.0', '-1.5', '0.1', '3.0', '100.25', '-0.375', '7.0e3', '0x1.8p4', '-2.', '.5',
                           '%d.%d' % (rng.randrange(200), rng.randrange(1000)), '1.0e-3', '65504.0'])
        return {'float': text + 'f', 'half': '((half)%sf)' % text, 'double': text}[kind.elem]
    top = (1 << kind.bits - kind.is_signed) - 1
    value = rng.choice([0, 1, 2, 3, 5, 7, top, top - 1, top >> 1, rng.randrange(top + 1), rng.randrange(top + 1),
                        rng.randrange(256) & top, 1 << rng.randrange(kind.bits - kind.is_signed)])
    suffix = {'long': 'L', 'ulong': 'UL', 'uint': 'u'}.get(kind.elem, '')
    if kind.elem == 'char' and 32 < value < 127 and chr(value) not in '\\\'?':
        return "(char)'%c'" % value
    text = rng.choice(['%d', '0x%x', '%d', '0%o']) % value + suffix
    if kind.is_signed and rng.random() < 0.3:
        text = '(-%s - 1)' % text if value == top else '-' + text
    return '(%s)%s' % (kind, text) if kind.bits < 32 else '(%s)' % text if text[0] == '-' else text


ROUNDINGS = ['', '', '_rte', '_rtz', '_rtp', '_rtn']


def convert(rng, text, source, target):
    """An expression of type target made from one of type source."""
    if source == target:
        return text
    if source.lanes != target.lanes:
        return resize(rng, text, source, target)
    if source.is_float and target.is_float:
        mode = rng.choice(ROUNDINGS) if source.bits > target.bits else ''
        return 'nn(convert_%s%s(nn(%s)))' % (target, mode, text)
    if source.is_float:
        return 'convert_%s_sat%s(nn(%s))' % (target, rng.choice(ROUNDINGS), text)
    if target.is_float:
        mode = rng.choice(ROUNDINGS)
        if target.lanes == 1 and not mode:
            return '(%s)(%s)' % (target, text)
        return 'convert_%s%s(%s)' % (target, mode, text)
    if source.bits == target.bits and rng.random() < 0.4:
        return 'as_%s(%s)' % (target, text if source.bits > 16 or source.lanes > 1 else '(%s)(%s)' % (source, text))
    if rng.random() < 0.2:
        return 'convert_%s_sat%s(%s)' % (target, rng.choice(ROUNDINGS), text)
    if target.lanes == 1 and rng.random() < 0.6:
        return '(%s)(%s)' % (target, text)
    return 'convert_%s(%s)' % (target, text)


def resize(rng, text, source, target):
    """Other numbers of lanes: splats, components, swizzles."""
    if source.lanes == 1:
        return '(%s)(%s)' % (target, convert(rng, text, source, Num(target.elem)))
    if target.lanes == 1:
        component = '(%s).s%s' % (text, SWIZZLE[rng.randrange(source.lanes)])
        return convert(rng, component, Num(source.elem), target)
    middle = Num(source.elem, target.lanes)
    if source.lanes == 2 * target.lanes and rng.random() < 0.6:
        part = '(%s).%s' % (text, rng.choice(['lo', 'hi', 'even', 'odd']))
    elif source.lanes <= 4 and target.lanes <= 4 and rng.random() < 0.5:
        part = '(%s).%s' % (text, ''.join(rng.choice('xyzw'[:source.lanes]) for _ in range(target.lanes)))
    else:
        part = '(%s).s%s' % (text, ''.join(SWIZZLE[rng.randrange(source.lanes)] for _ in range(target.lanes)))
    return convert(rng, part, middle, target)
