#!/usr/bin/env python3
"""Planted faults: every line of a kernel file with a comment "// expect: KIND..." is named with these kinds by `pumice run` under
PUMICE_CHECK, and no other line is.

usage: planted.py PUMICE GROUPS FILE..."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def expected(path):
    """(line, kind) pairs."""
    pairs = set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        wanted = re.search(r'// expect: ([a-z -]+)$', line)
        pairs |= {(number, kind) for kind in (wanted.group(1).split() if wanted else [])}
    return pairs


def found(pumice, groups, path):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / 'report.json'
        env = dict(os.environ, PUMICE_CHECK=groups, PUMICE_CHECK_JSON=str(report), PUMICE_CHECK_LIMIT='1000', PUMICE_CHECK_ROUNDS='100000')
        run = subprocess.run([pumice, 'run', str(path)], env=env, text=True, capture_output=True, check=False)
        if run.returncode not in (0, 66) or ' 0 failed,' not in run.stdout:
            sys.exit('%s: exit code %d\n%s%s' % (path, run.returncode, run.stdout, run.stderr))
        findings = json.loads(report.read_text()) if report.exists() and report.stat().st_size else []
    return {(item.get('line', 0), item['kind']): item['message'] for item in findings}


def main(pumice, groups, *paths):
    missed = wrong = total = 0
    for path in map(pathlib.Path, paths):
        wanted, got = expected(path), found(pumice, groups, path)
        total += len(wanted)
        for line, kind in sorted(wanted - set(got)):
            print('%s:%d: %s was not found' % (path, line, kind))
            missed += 1
        for line, kind in sorted(set(got) - wanted):
            print('%s:%d: %s is no fault: %s' % (path, line, kind, got[line, kind]))
            wrong += 1
    print('%d of %d planted faults found, %d false' % (total - missed, total, wrong))
    return missed + wrong > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
