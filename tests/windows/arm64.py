#!/usr/bin/env python3
"""arm64.py FOLDER: compiles every C file of the libraries and the tool for Windows on ARM64, by clang with mingw-w64's headers, as the build
in FOLDER/build (tests/windows.sh) compiles them for x86-64. What comes out is thrown away: Debian 12 has no libraries of that system to link
with, and nothing here runs it. So it shows that the sources know the processor and the compiler's dialect, and no more.

Needs clang-15 and mingw-w64-common."""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

CLANG = ['clang-15', '--target=aarch64-w64-windows-gnu', '-isystem', '/usr/share/mingw-w64/include', '-O0', '-Wall', '-Werror']


def arguments(command):
    """What says where headers are and what is defined."""
    words = shlex.split(command)[1:]
    kept = [w for w in words if w.startswith(('-I', '-D', '-std'))]
    for i, word in enumerate(words):
        if word in ('-include', '-isystem'):
            kept += [word, words[i + 1]]
    return kept


def compile_one(entry):
    command = CLANG + arguments(entry['command']) + ['-c', entry['file'], '-o', os.devnull]
    done = subprocess.run(command, cwd=entry['directory'], capture_output=True, text=True)
    return entry['file'], done.returncode, done.stderr


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(os.path.join(sys.argv[1], 'build', 'compile_commands.json'), encoding='utf-8') as file:
        entries = {entry['file']: entry for entry in json.load(file) if entry['file'].endswith('.c')}
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, code, text in pool.map(compile_one, entries.values()):
            if code:
                failed += 1
                print(f'FAIL {os.path.relpath(name)}\n{text}')
    print(f'{len(entries) - failed} of {len(entries)} files compile for Windows on ARM64')
    sys.exit(1 if failed else 0)


main()
