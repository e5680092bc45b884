#!/usr/bin/env python3
"""Whether reports on programs that were linked show the lines that they name: each has "wrong FILE:LINE" in it, and there are as many as the
program says. A line beyond what is kept has no text.

usage: linked.py PROGRAM"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def findings(program, case):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / 'report.json'
        # The cases give little back, which LeakSanitizer need not say.
        env = dict(os.environ, PUMICE_CHECK='bounds', PUMICE_CHECK_JSON=str(report), ASAN_OPTIONS='detect_leaks=0')
        run = subprocess.run([program, case], env=env, text=True, capture_output=True, check=False, timeout=120)
        if run.returncode != 66:
            sys.exit('%s: exit code %d\n%s%s' % (case, run.returncode, run.stdout, run.stderr))
        return [item for item in json.loads(report.read_text()) if item['file'] != 'vast.y']


def main(program):
    wrong = 0
    for line in subprocess.run([program], text=True, capture_output=True, check=True).stdout.splitlines():
        case, faults = line.split()
        found = findings(program, case)
        for item in found:
            place = '%s:%d' % (item['file'], item['line'])
            if not re.search(r'\bwrong %s\b' % re.escape(place), item.get('text', '')):
                print('%s: the text of %s is %r' % (case, place, item.get('text')))
                wrong += 1
        if len(found) != int(faults):
            print('%s: %d findings, not %s' % (case, len(found), faults))
            wrong += 1
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
