#!/usr/bin/env python3
"""What a version script exports, as a .def file for Windows' linkers, or as a list for macOS' (-exported_symbols_list).

usage: gen_def.py [--macos] MAP OUTPUT"""
import re
import sys

macos = sys.argv[1] == '--macos'
source, target = sys.argv[1 + macos:]
text = re.sub(r'/\*.*?\*/', '', open(source).read(), flags=re.S)
names = sorted(re.findall(r'^\s*(cl\w+);', text, flags=re.M))
with open(target, 'w') as output:
    if macos:
        output.write(''.join(f'_{name}\n' for name in names)) # as the compiler names functions there
    else:
        output.write('EXPORTS\n' + ''.join(f'    {name}\n' for name in names))
