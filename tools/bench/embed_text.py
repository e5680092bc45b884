#!/usr/bin/env python3
"""A text file as a C string: embed_text.py NAME INPUT OUTPUT"""
import sys

name, source, target = sys.argv[1:]
with open(source, encoding='utf-8') as file, open(target, 'w', encoding='utf-8') as out:
    out.write(f'static const char {name}[] =')
    for line in file:
        text = line.rstrip('\n').replace('\\', '\\\\').replace('"', '\\"')
        out.write(f'\n    "{text}\\n"')
    out.write(';\n')
