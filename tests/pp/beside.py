#!/usr/bin/env python3
"""Where `pumice compile` looks for included files: beside.py PUMICE

A quoted name is looked for beside the file that has it, before the -I directories; an angled one is not."""
import os
import subprocess
import sys
import tempfile

FILES = {
    'source/main.cl': '#include "value.h"\n',
    'source/angled.cl': '#include <value.h>\n',
    'source/only.cl': '#include <only.h>\n',
    'source/next.cl': '#include "next.h"\n',
    'source/deep.cl': '#include "sub/outer.h"\n',
    'source/value.h': 'beside\n',
    'source/only.h': 'beside\n',
    'source/next.h': 'beside\n#include_next "next.h"\n',
    'source/sub/outer.h': '#include "value.h"\n#include "up.h"\n',
    'source/sub/up.h': 'deep\n',
    'other/value.h': 'other\n',
    'other/next.h': 'other\n',
}
# input, options, working directory, what comes out or None where it is refused
CASES = [
    ('source/main.cl', [], '.', 'beside'),
    ('source/main.cl', ['-I', 'other'], '.', 'beside'),
    ('main.cl', ['-I../other'], 'source', 'beside'),
    ('source/angled.cl', ['-I', 'other'], '.', 'other'),
    ('source/only.cl', ['-I', 'other'], '.', None),
    ('source/next.cl', ['-I', 'other'], '.', 'beside other'),
    ('source/deep.cl', ['-I', 'other'], '.', 'other deep'),
    ('source/deep.cl', [], '.', None),
]


def main():
    pumice = os.path.abspath(sys.argv[1])
    failures = 0
    with tempfile.TemporaryDirectory() as root:
        for path, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), 'w') as file:
                file.write(text)
        for source, options, directory, expected in CASES:
            run = subprocess.run([pumice, 'compile', '--stage=tokens', source] + options, cwd=os.path.join(root, directory),
                                 capture_output=True, text=True)
            words = [line for line in run.stdout.split() if line in ('beside', 'other', 'deep')]
            got = ' '.join(words) if run.returncode == 0 else None
            if got != expected or run.returncode not in (0, 1):
                print(f'{source} {options} in {directory}: {got!r} for {expected!r}\n{run.stderr}')
                failures += 1
    return failures != 0


sys.exit(main())
