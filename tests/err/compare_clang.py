#!/usr/bin/env python3
"""Do we accept what clang accepts, and refuse what it refuses? compare_clang.py CLANG TEST_ERR FILE...

Each case of each file goes through both. Where we mean to differ, the case's first line says so: "// clang: accepts" or
"// clang: refuses", and why. Skips (77) where there is no such clang."""
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), '../support'))
import ask_clang


def cases(path):
    common, *parts = re.split(r'^// case: ', open(path).read(), flags=re.M)
    for part in parts:
        head, body = part.split('\n', 1)
        name, _, options = head.partition(' ')
        yield name, options.split(), common, body


def clang_accepts(path, options, body):
    standard = [] if any(o.startswith('-cl-std') for o in options) else ['-cl-std=CL1.2']
    return ask_clang.run(path, ['-fsyntax-only', '-w'] + standard + options + ['case.cl'], {'case.cl': body}).returncode == 0


def main():
    found, test_err, files = ask_clang.find(sys.argv[1]), sys.argv[2], sys.argv[3:]
    bad = 0
    for path in files:
        ours = dict(line.split() for line in
                    subprocess.run([test_err, '--accept', path], capture_output=True, text=True).stdout.splitlines())
        for name, options, common, body in cases(path):
            wanted = 'accepts' if clang_accepts(found, options, common + body) else 'refuses'
            stated = re.match(r'// clang: (accepts|refuses)', body)
            if stated and stated.group(1) != wanted:
                print(f'{path}: {name}: clang {wanted}, not as stated')
                bad += 1
            elif (ours[name] != wanted) != bool(stated):
                print(f'{path}: {name}: clang {wanted}, we do not say the same' if not stated else
                      f'{path}: {name}: says that we differ from clang, but we do not')
                bad += 1
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
