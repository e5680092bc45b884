#!/usr/bin/env python3
"""Runs each case of a program under PUMICE_CHECK and looks whether what it plants is found, and nothing else. The program prints
its cases, each with the kind of its fault, several with + between, or -.

usage: memory.py PROGRAM GROUPS"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def found_in(program, groups, case):
    """The kinds and the messages; None: the device cannot run it."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / 'report.json'
        # The cases give little back, which LeakSanitizer need not say.
        env = dict(os.environ, PUMICE_CHECK=groups, PUMICE_CHECK_JSON=str(report), ASAN_OPTIONS='detect_leaks=0')
        run = subprocess.run([program, case], env=env, text=True, capture_output=True, check=False)
        if run.returncode not in (0, 66, 77):
            sys.exit('%s: exit code %d\n%s%s' % (case, run.returncode, run.stdout, run.stderr))
        if run.returncode == 77:
            return None
        items = json.loads(report.read_text()) if report.exists() and report.stat().st_size else []
        return {item['kind'] for item in items}, ' '.join(item['message'] for item in items)


def main(program, groups):
    wrong = 0
    for line in subprocess.run([program], text=True, capture_output=True, check=True).stdout.splitlines():
        case, kind, *words = line.split(' ', 2)
        found, wanted = found_in(program, groups, case), set() if kind == '-' else set(kind.split('+'))
        if found is not None and found[0] != wanted:
            print('%s: %s is planted, %s was found' % (case, ' '.join(wanted) or 'nothing', ' '.join(found[0]) or 'nothing'))
            wrong += 1
        elif found is not None and words and words[0] not in found[1]:
            print('%s: no message has "%s": %s' % (case, words[0], found[1]))
            wrong += 1
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
