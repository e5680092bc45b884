#!/usr/bin/env python3
"""Writes the table of SPIR-V's names in docs/features.md from compiler/spv/extensions.def.

    tools/spirv_names.py            writes it anew
    tools/spirv_names.py --check    fails where it differs

Between the two marks everything is this script's."""
import argparse
import os
import re
import sys

ROW = re.compile(r'^(TAKEN|MADE|MADE_WITH|HINT|REFUSED)\((\w+), (\w*), (NULL|"[^"\n]*"), ([^\n]*)\)$', re.M)
WHERE = {'always': 'everywhere', 'has_float16': 'where the device has halves', 'has_float64': 'where the device has doubles',
         'has_int64_atomics': 'where the device has atomics of 64 bits', 'has_subgroups': 'with sub-groups',
         'has_images': 'with images', 'has_pipes': 'with pipes', 'has_device_enqueue': 'with device-side enqueueing'}
HEADS = {'TAKEN': '| capability | with | offered |', 'MADE': '| capability | with | becomes |',
         'HINT': '| capability | with | why it may go |', 'REFUSED': '| capability | with | why, and what to do |'}
TITLES = {'TAKEN': 'Taken as they are:', 'MADE': 'Taken, and made older SPIR-V when the module is read, everywhere where nothing else is said:',
          'HINT': 'Taken and dropped, everywhere, since they are hints:', 'REFUSED': 'Refused by name:'}


def text_of(decision, rest):
    if decision == 'MADE_WITH':
        word, made = rest.split(', ', 1)
        return made.strip('"') + '; with `' + word.strip('"') + '`'
    if decision != 'TAKEN':
        return rest.strip('"')
    offered, word = rest.split(', ')
    where = [WHERE[offered]] if offered != 'NULL' else []
    if word != 'NULL':
        where.append('with `' + word.strip('"') + '`')
    return ' and '.join(where)


def read_rows(root):
    with open(os.path.join(root, 'compiler/spv/extensions.def'), encoding='utf-8') as file:
        text = file.read()
    rows = ROW.findall(text)
    if len(rows) != len(re.findall(r'^(?:TAKEN|MADE|MADE_WITH|HINT|REFUSED)\(', text, re.M)):
        sys.exit('compiler/spv/extensions.def: a row is not written as its opening comment says')
    return rows


def write_tables(rows):
    """Neighbours of one extension that say the same share a line."""
    parts = []
    for decision, title in TITLES.items():
        lines = []
        for kind, _, name, extension, rest in rows:
            if kind.removesuffix('_WITH') != decision:
                continue
            extension = '' if extension == 'NULL' else '`' + extension.strip('"') + '`'
            said = text_of(kind, rest)
            if lines and lines[-1][1:] == [extension, said] and (extension or decision == 'TAKEN'):
                lines[-1][0] += ', ' + name
            else:
                lines.append([name, extension, said])
        parts.append('\n'.join([title, '', HEADS[decision], '| --- | --- | --- |'] + ['| ' + ' | '.join(line) + ' |' for line in lines]))
    return '\n\n'.join(parts) + '\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('root', nargs='?', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    args = parser.parse_args()
    path = os.path.join(args.root, 'docs/features.md')
    with open(path, encoding='utf-8') as file:
        text = file.read()
    begin, end = '<!-- names of SPIR-V: tools/spirv_names.py -->\n', '<!-- end of the names of SPIR-V -->'
    first, last = text.find(begin), text.find(end)
    if first < 0 or last < first:
        sys.exit(f'{path}: the marks are missing')
    new = text[:first + len(begin)] + '\n' + write_tables(read_rows(args.root)) + '\n' + text[last:]
    if args.check and new != text:
        sys.exit(f'{path} is not what compiler/spv/extensions.def says: run tools/spirv_names.py')
    if not args.check:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(new)


if __name__ == '__main__':
    main()
