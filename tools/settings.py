#!/usr/bin/env python3
"""Writes the README's tables of settings, and the manual page's list of them, from base/settings.def.

    tools/settings.py            writes them anew
    tools/settings.py --check    fails where they differ, or where a document names a variable that is no setting

Between the two marks in each of the files everything is this script's."""
import argparse
import os
import re
import sys

ROW = re.compile(r'^SETTING\((\w+), (\w+), "([^"\n]*)", "([^"\n]*)", (\w+),\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+)\)$', re.M)
NOT_SETTINGS = {'PUMICE_DRIVERS', 'PUMICE_SWIFTSHADER'}  # of tests, as are those that begin with PUMICE_TEST_


class Setting:
    def __init__(self, name, kind, values, default, audience, meaning):
        self.name, self.kind, self.audience = 'PUMICE_' + name, kind, audience
        words = {'SWITCH': ['0', '1'], 'CHOICE': values.split()}.get(kind)
        self.values = ', '.join(f'`{word}`' for word in words) if words else f'1 to {values}' if kind == 'NUMBER' else values
        self.default = f'`{default}`' if words and default in words else default
        self.meaning = ''.join(re.findall(r'"((?:[^"\\]|\\.)*)"', meaning)).replace('\\"', '"')


def read_settings(root):
    with open(os.path.join(root, 'base/settings.def'), encoding='utf-8') as file:
        text = file.read()
    settings = [Setting(*match) for match in ROW.findall(text)]
    if not settings or len(settings) != len(re.findall(r'^SETTING\(', text, re.M)):
        sys.exit('base/settings.def: a row is not written as its opening comment says')
    return settings


def write_table(settings, audience):
    rows = [f'| `{s.name}` | {s.values} | {s.default} | {s.meaning} |' for s in settings if s.audience == audience]
    return '\n'.join(['| variable | values | default | meaning |', '| --- | --- | --- | --- |', *rows])


def write_readme(settings):
    return (write_table(settings, 'USERS') + '\n\nThese are for tests:\n\n' + write_table(settings, 'TESTS') + '\n\n'
            'Other names that begin with `PUMICE_`, and values that do not count, are warned of in the log.\n')


def plain(text):
    text = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', text).replace('`', '')
    return text.replace('\\', '\\\\').replace('-', '\\-').replace("'", "\\(aq")


def write_manual(settings):
    rows = []
    for s in settings:
        end = ' For tests.' if s.audience == 'TESTS' else ''
        rows.append(f'.TP\n.BR {s.name}\n{plain(s.meaning)}. Values: {plain(s.values)}; default: {plain(s.default)}.{end}\n')
    return ''.join(rows)


def put(text, begin, end, content, name):
    first, last = text.find(begin), text.find(end)
    if first < 0 or last < first:
        sys.exit(f'{name}: the marks are missing')
    return text[:first + len(begin)] + content + text[last:]


def strange_names(root, settings):
    known = {s.name for s in settings} | NOT_SETTINGS
    documents = ['README.md'] + [os.path.join(folder, file) for top in ('docs', 'tests') for folder, _, files in os.walk(os.path.join(root, top))
                                 for file in files if file.endswith('.md')]
    for document in documents:
        with open(os.path.join(root, document), encoding='utf-8') as file:
            for name in sorted(set(re.findall(r'\bPUMICE_[A-Z_]*[A-Z]\b', file.read())) - known):
                if not name.startswith('PUMICE_TEST_'):
                    yield f'{os.path.relpath(os.path.join(root, document), root)}: {name} is no setting'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('root', nargs='?', default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    arguments = parser.parse_args()
    settings = read_settings(arguments.root)
    wrong = list(strange_names(arguments.root, settings)) if arguments.check else []
    for name, begin, end, content in (
            ('README.md', '<!-- base/settings.def, by tools/settings.py -->\n', '<!-- end of settings -->\n', write_readme(settings)),
            ('docs/pumice.1', '.\\" base/settings.def, by tools/settings.py\n', '.\\" end of settings\n', write_manual(settings))):
        path = os.path.join(arguments.root, name)
        with open(path, encoding='utf-8') as file:
            old = file.read()
        new = put(old, begin, end, content, name)
        if arguments.check and new != old:
            wrong.append(f'{name} differs from base/settings.def: run tools/settings.py')
        elif new != old:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(new)
    if wrong:
        print('\n'.join(wrong))
    return bool(wrong)


sys.exit(main())
