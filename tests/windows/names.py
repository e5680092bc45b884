#!/usr/bin/env python3
"""names.py SOURCE_ROOT: functions of ours that have the name of one that the C library's headers of Windows declare, beside C and POSIX, and
which do not compile there. Each C file is compiled after base/windows/posix.h, hence after those headers.

Wants mingw-w64's compiler, which only preprocesses: tests/windows.sh compiles everything, and takes minutes.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

root = Path(sys.argv[1])
compiler = shutil.which('x86_64-w64-mingw32-gcc-posix')
if not compiler:
    print("no mingw-w64's compiler")
    sys.exit(77)


def preprocessed(*options):
    """What stands before each file, from C headers that any of them may include, too."""
    headers = ''.join(f'#include <{name}.h>\n' for name in ('ctype', 'fenv', 'math', 'process', 'wchar'))
    return subprocess.run([compiler, '-E', '-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-D_WIN32_WINNT=0x0A00',
                           f'-I{root}/base/windows', '-include', f'{root}/base/windows/posix.h', '-x', 'c', '-', *options],
                          input=headers, capture_output=True, text=True, check=True, timeout=60).stdout


theirs = set(re.findall(r'\b([a-z]\w*)\s*\(', re.sub(r'#pragma.*', '', preprocessed('-P'))))
assert 'lseek' in theirs and 'pow' in theirs
theirs -= set(re.findall(r'^#define (\w+) ', preprocessed('-dM'), re.M))  # what posix.h gives another name
found = False
for path in sorted(path for folder in ('base', 'compiler', 'src', 'tools', 'vk') for path in (root / folder).rglob('*.c')):
    if path.name.startswith('platform_') or path.parent.name == 'windows':
        continue
    for match in re.finditer(r'^(?!typedef|struct \w+ \{)\w[\w \*]*?\b(\w+)\([^;{]*\)\n?\{', path.read_text(), re.M):
        if match[1] in theirs:
            line = path.read_text()[:match.start()].count('\n') + 1
            print(f'{path.relative_to(root)}:{line}: Windows has a function {match[1]}(), too')
            found = True
sys.exit(found)
