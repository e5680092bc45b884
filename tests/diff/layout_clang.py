#!/usr/bin/env python3
"""Asks clang 15 (spir64) for the layout of random declarations with packed and aligned attributes in every place that takes them, and
Pumice for the same.

usage: layout_clang.py PUMICE FIRST COUNT"""
import os
import random
import re
import subprocess
import sys
import tempfile

CLANG = ['clang-15', '-target', 'spir64', '-cl-std=CL2.0', '-w', '-S', '-emit-llvm', '-x', 'cl', '-o', '-']
SCALARS = ['char', 'uchar', 'short', 'ushort', 'int', 'uint', 'long', 'ulong', 'float']


class Declarations:
    def __init__(self, seed):
        self.rng = random.Random('layout %d' % seed)
        self.text, self.types, self.records, self.count, self.pack = [], [], [], 0, False

    def attribute(self, chance, packed=True):
        rng = self.rng
        if rng.random() >= chance:
            return ''
        parts = []
        if packed and rng.random() < 0.5:
            parts.append(rng.choice(['packed', '__packed__']))
        if not parts or rng.random() < 0.4:
            parts.append('aligned(%d)' % rng.choice([1, 2, 4, 8, 16, 32]))
        return ' __attribute__((%s))' % ', '.join(parts)

    def name(self, letter):
        self.count += 1
        return '%s%d' % (letter, self.count)

    def type(self):
        rng = self.rng
        if self.types and rng.random() < 0.55:
            return rng.choice(self.types)
        return rng.choice(SCALARS) + rng.choice(['', '', '', '2', '3', '4', '8', '16'])

    def enumeration(self):
        name = self.name('E')
        values = [self.rng.choice([0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, -1, -128, -129, -32768, -32769, 2147483647, 4294967295, -2147483648])
                  for _ in range(self.rng.randrange(1, 4))]
        body = ', '.join('%s_%d = %d' % (name, i, value) for i, value in enumerate(values))
        before, after = self.rng.choice([(self.attribute(0.7), ''), ('', self.attribute(0.7))])
        self.text.append('enum%s %s { %s }%s;' % (before, name, body, after))
        self.types.append('enum ' + name)

    def alias(self):
        name, kind = self.name('T'), self.type()
        before, after = self.rng.choice([('', self.attribute(0.8, False)), (self.attribute(0.8, False).lstrip() + ' ', '')])
        array = self.rng.choice(['', '', '', '[3]']) if 'aligned' not in before + after and kind in SCALARS else ''
        self.text.append('typedef %s%s %s%s%s;' % (before, kind, name, array, after))
        self.types.append(name)

    def member(self, name):
        rng = self.rng
        before, after = rng.choice([('', self.attribute(0.4)), (self.attribute(0.4).lstrip() + ' ', '')])
        if rng.random() < 0.1:
            return '%sglobal %s *%s%s;' % (before, self.type(), name, after)
        kind = self.type()
        # an array of what is more aligned than it is large is an error to gcc, and to clang since 16
        array = '' if kind[0] == 'T' or kind.startswith('enum') else rng.choice(['', '', '', '[3]', '[2][5]'])
        return '%s%s %s%s%s;' % (before, kind, name, array, after)

    def record(self):
        rng = self.rng
        name, keyword = self.name('S'), rng.choice(['struct', 'struct', 'union'])
        members = ['m%d' % i for i in range(rng.randrange(1, 6))]
        body = ' '.join(self.member(m) for m in members)
        if rng.random() < 0.15:
            body += ' struct%s { char inner; %s }%s;' % (self.attribute(0.4), self.member('deep'), self.attribute(0.3))
            members += ['inner', 'deep']
        before, after = rng.choice([(self.attribute(0.5), ''), ('', self.attribute(0.5))])
        pack = rng.choice([1, 2, 4, 8]) if rng.random() < 0.1 else 0
        text = '%s%s %s { %s }%s;' % (keyword, before, name, body, after)
        self.text.append('#pragma pack(push, %d)\n%s\n#pragma pack(pop)' % (pack, text) if pack else text)
        self.types.append('%s %s' % (keyword, name))
        self.records.append(('%s %s' % (keyword, name), members))

    def generate(self):
        for _ in range(self.rng.randrange(3, 9)):
            self.rng.choice([self.enumeration, self.alias, self.alias, self.record, self.record, self.record])()
        asked = []
        for kind in self.types:
            asked += ['sizeof(%s)' % kind, '__alignof__(%s)' % kind]
        for kind, members in self.records:
            asked += ['__builtin_offsetof(%s, %s)' % (kind, member) for member in members]
        return '\n'.join(self.text), asked


def ask_clang(text, asked):
    source = '%s\nconstant ulong values[] = {%s, 12345};\n' % (text, ', '.join(asked))
    process = subprocess.run(CLANG + ['-'], input=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = re.search(r'@values = .*\[\d+ x i64\] \[(.*?)\]', process.stdout)
    return re.findall(r'i64 (\d+)', found.group(1))[:-1] if process.returncode == 0 and found else None


def test(seed):
    text, asked = Declarations(seed).generate()
    values = ask_clang(text, asked)
    if not values:
        return ''
    lines = ['//! test: layout_%d' % seed, '//! options: -w -cl-std=CL2.0', '//! buffer out ulong[%d] = 0' % len(asked), '//! expect out = ' + ' '.join(values), text]
    lines.append('kernel void layout_%d(global ulong *out)\n{' % seed)
    lines += ['    out[%d] = %s;' % pair for pair in enumerate(asked)]
    return '\n'.join(lines + ['}\n'])


def main():
    pumice, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'layouts.cl')
        with open(path, 'w') as file:
            file.write('\n'.join(test(seed) for seed in range(first, first + count)))
        return subprocess.run([pumice, 'run', path]).returncode


if __name__ == '__main__':
    sys.exit(main())
