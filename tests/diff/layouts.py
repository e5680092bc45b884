"""Structures, unions and arrays of OpenCL C's types for random programs: what they are and how they lie in memory (C99 6.7.2.1, OpenCL C
3.0, 6.3.5; 6.13.1 for packed and aligned, as clang reads it)."""

SIZES = {'char': 1, 'uchar': 1, 'short': 2, 'ushort': 2, 'int': 4, 'uint': 4, 'long': 8, 'ulong': 8, 'float': 4, 'double': 8}
SWIZZLE = '0123456789abcdef'


def round_up(number, to):
    return -(-number // to) * to


class Num:
    """A scalar (lanes 1) or a vector."""
    def __init__(self, elem, lanes=1):
        self.elem, self.lanes = elem, lanes
        self.bytes = SIZES[elem]
        self.size = self.align = self.bytes * (4 if lanes == 3 else lanes)

    def __str__(self):
        return self.elem + (str(self.lanes) if self.lanes > 1 else '')

    def marks(self):
        """Per byte: whether it holds a part of a value, not padding."""
        return [1] * (self.bytes * self.lanes) + [0] * (self.size - self.bytes * self.lanes)


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


def declare(kind, name):
    while isinstance(kind, Array):
        name, kind = '%s[%d]' % (name, kind.length), kind.elem
    return '%s %s' % (kind, name)
