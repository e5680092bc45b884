#!/usr/bin/env python3
"""docs/check.md lists each kind of src/check/kinds.def, and nothing else, with its word and what it is. usage: kinds.py SOURCE_ROOT"""
import os
import re
import sys

root = sys.argv[1]
with open(os.path.join(root, 'src/check/kinds.def'), encoding='utf-8') as file:
    text = file.read()
kinds = re.findall(r'^CHECK_KIND\(\w+, "([^"]+)", (\w+), "([^"]+)"\)$', text, re.M)
if not kinds or len(kinds) != len(re.findall(r'^CHECK_KIND\(', text, re.M)):
    sys.exit('kinds.def: a row is not written as its opening comment says')
expected = [f'| `{name}` | `{word.lower()}` | {what} |' for name, word, what in kinds]
with open(os.path.join(root, 'docs/check.md'), encoding='utf-8') as file:
    section = re.search(r'^## Kinds of faults\n(.*?)^## ', file.read(), re.M | re.S)
listed = re.findall(r'^\| `.*$', section[1], re.M) if section else []
for row in expected:
    if row not in listed:
        print(f'docs/check.md lacks: {row}')
for row in listed:
    if row not in expected:
        print(f'kinds.def has no such kind: {row}')
sys.exit(listed != expected)
