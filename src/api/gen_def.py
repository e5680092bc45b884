#!/usr/bin/env python3
"""What a version script exports, as a .def file for Windows' linkers.

usage: gen_def.py MAP DEF"""
import re
import sys

text = re.sub(r'/\*.*?\*/', '', open(sys.argv[1]).read(), flags=re.S)
names = re.findall(r'^\s*(cl\w+);', text, flags=re.M)
with open(sys.argv[2], 'w') as output:
    output.write('EXPORTS\n' + ''.join(f'    {name}\n' for name in sorted(names)))
