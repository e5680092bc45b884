"""Structures, unions and arrays of OpenCL C's types for random programs: what they are and how they lie in memory (C99 6.7.2.1, OpenCL C
3.0, 6.3.5; 6.13.1 for packed and aligned, as clang reads it)."""

SIZES = {'char': 1, 'uchar': 1, 'short': 2, 'ushort': 2, 'int': 4, 'uint': 4, 'long': 8, 'ulong': 8, 'half': 2, 'float': 4, 'double': 8}
SWIZZLE = '0123456789abcdef'


def round_up(number, to):
    return -(-number // to) * to


class Num:
    """A scalar (lanes 1) or a vector."""
    def __init__(self, elem, lanes=1, size=None):
        self.elem, self.lanes = elem, lanes
        self.bytes = size or SIZES[elem]
        self.size = self.align = self.bytes * (4 if lanes == 3 else lanes)
        self.type = elem + (str(lanes) if lanes > 1 else '')

    def __str__(self):
        return self.type

    def marks(self):
        """Per byte: whether it holds a part of a value, not padding."""
        return [1] * (self.bytes * self.lanes) + [0] * (self.size - self.bytes * self.lanes)


class Bool(Num):
    """Its byte is 0 or 1, and nothing else may lie there."""
    def __init__(self):
        super().__init__('bool', size=1)


class Enum(Num):
    """Of the constants 1 and high, which says how large it is where it is packed."""
    def __init__(self, name, high, packed):
        super().__init__('enum ' + name, size=4 if not packed else 1 if high < 256 else 2 if high < 65536 else 4)
        self.name, self.high, self.packed = name, high, packed

    def definition(self):
        return 'enum %s%s { %s_a = 1, %s_b = %d };\n' % ('__attribute__((packed)) ' * self.packed, self.name, self.name, self.name, self.high)


class Pointer(Num):
    """To one of some numbers. Its bytes are nobody's business: here they are the number's index."""
    def __init__(self, space, base):
        super().__init__('%s const uint *' % space, size=8)
        self.space, self.base = space, base


class Alias(Num):
    """A name for a type, with an alignment of its own."""
    def __init__(self, name, kind, align):
        super().__init__(kind.elem, kind.lanes, kind.bytes)
        self.name, self.align = name, align

    def __str__(self):
        return self.name

    def definition(self):
        return 'typedef %s %s __attribute__((aligned(%d)));\n' % (self.type, self.name, self.align)


class Array:
    def __init__(self, elem, length):
        self.elem, self.length = elem, length
        self.size, self.align = elem.size * length, elem.align

    def marks(self):
        return self.elem.marks() * self.length


class Member:
    def __init__(self, name, kind, aligned=0, packed=False):
        self.name, self.kind, self.aligned, self.packed = name, kind, aligned, packed
        self.offset = 0

    def __str__(self):
        text = declare(self.kind, self.name)
        if self.packed:
            text += ' __attribute__((packed))'
        if self.aligned:
            text += ' __attribute__((aligned(%d)))' % self.aligned
        return text


class Record:
    def __init__(self, name, keyword, members, packed=False, aligned=0):
        self.name, self.keyword, self.members, self.packed, self.aligned = name, keyword, members, packed, aligned
        self.size, self.align = 0, 1
        for member in members:
            align = max(1 if packed or member.packed else member.kind.align, member.aligned)
            member.offset = 0 if keyword == 'union' else round_up(self.size, align)
            self.size = max(self.size, member.offset + member.kind.size)
            self.align = max(self.align, align)
        self.align = max(self.align, aligned)
        self.size = round_up(self.size, self.align)

    def __str__(self):
        return '%s %s' % (self.keyword, self.name)

    def marks(self):
        marks = [0] * self.size
        for member in self.members:
            for i, mark in enumerate(member.kind.marks()):
                marks[member.offset + i] |= mark
        return marks

    def definition(self):
        attributes = ['packed'] * self.packed + ['aligned(%d)' % self.aligned] * bool(self.aligned)
        body = ' '.join('%s;' % member for member in self.members)
        return '%s %s%s { %s };\n' % (self.keyword, '__attribute__((%s)) ' % ', '.join(attributes) if attributes else '', self.name, body)


def numbers(kind, offset=0, text=''):
    """All numbers in it: the offset, the type, and how to get there."""
    if isinstance(kind, Num):
        yield offset, kind, text
    elif isinstance(kind, Array):
        for i in range(kind.length):
            yield from numbers(kind.elem, offset + i * kind.elem.size, '%s[%d]' % (text, i))
    else:
        for member in kind.members:
            yield from numbers(member.kind, offset + member.offset, '%s.%s' % (text, member.name))


def has(kind, *sorts):
    """Whether numbers of these classes are in it."""
    if isinstance(kind, Array):
        return has(kind.elem, *sorts)
    return isinstance(kind, sorts) if isinstance(kind, Num) else any(has(member.kind, *sorts) for member in kind.members)


def declare(kind, name):
    while isinstance(kind, Array):
        name, kind = '%s[%d]' % (name, kind.length), kind.elem
    return '%s %s' % (kind, name)
