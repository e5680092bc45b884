#!/usr/bin/env python3
"""Whether reports on kernels say by which call the memory was made, where calls are looked at, too. CALL is a pattern that may say
what stands before the call's name.

usage: created.py (PROGRAM GROUPS CASE CALL)..."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def objects(program, groups, case):
    """What is said of memory, without leaks; None: the device cannot run it."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / 'report.json'
        env = dict(os.environ, PUMICE_CHECK=groups + ',host', PUMICE_CHECK_JSON=str(report))
        run = subprocess.run([program, case], env=env, text=True, capture_output=True, check=False)
        if run.returncode == 77:
            return None
        return [item.get('object', '') for item in json.loads(report.read_text()) if item['group'] in groups.split(',')]


def main(*words):
    wrong = 0
    for i in range(0, len(words), 4):
        program, groups, case, call = words[i:i + 4]
        said = objects(program, groups, case)
        if said is not None and not any(re.search(r'%s, call [0-9]+' % call, text) for text in said):
            print('%s: no report says that %s made it: %s' % (case, call, said))
            wrong += 1
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
