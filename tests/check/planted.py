#!/usr/bin/env python3
"""Planted faults: every line of a kernel file with a comment "// expect: KIND..." is named with these kinds by `pumice run` under
PUMICE_CHECK, and no other line is. Of a fault that has two places "// expect: KIND -2" says how many lines away the other one is;
"-2|+0": one of these.

"// says: TEXT" at a line's end asks for that text in what is said of the fault and of its memory.

A line that has "il: KIND..." at its end expects these kinds instead in the modules that clang and llvm-spirv make (clang_il.c in
LD_PRELOAD): they move vectors as a whole, and have another line for some places. "il: -": none.

usage: planted.py PUMICE GROUPS FILE...
       planted.py RUN_IL GROUPS FILE.spvasm BINARY

The second runs a program of SPIR-V, whose comments begin with a semicolon, and whose OpLine names its own lines."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def texts(path):
    """line -> what is to be said there."""
    lines = enumerate(path.read_text().splitlines(), 1)
    return {number: line.partition(' // says: ')[2] for number, line in lines if ' // says: ' in line}


def expected(path):
    """(line, kind) -> lines of the other place, or None: nobody asks."""
    pairs = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        plain, *foreign = re.split(r'(?: //)? il: ', line.partition(' // says: ')[0])
        line = plain if not foreign or 'LD_PRELOAD' not in os.environ else '// expect: ' + foreign[0] if foreign[0] != '-' else ''
        wanted = re.search(r'(?://|\S.*;) expect: ([a-z -]+?)(?: ([-+|0-9]+))?$', line)
        others = wanted and wanted.group(2) and {number + int(away) for away in wanted.group(2).split('|')}
        pairs.update({(number, kind): others for kind in (wanted.group(1).split() if wanted else [])})
    return pairs


def found(command, groups, path):
    """(line, kind) -> the finding."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / 'report.json'
        env = dict(os.environ, PUMICE_CHECK=groups, PUMICE_CHECK_JSON=str(report), PUMICE_CHECK_LIMIT='1000', PUMICE_CHECK_ROUNDS='100000')
        run = subprocess.run(command, env=env, text=True, capture_output=True, check=False)
        if run.returncode not in (0, 66) or (command[1] == 'run' and ' 0 failed,' not in run.stdout):
            sys.exit('%s: exit code %d\n%s%s' % (path, run.returncode, run.stdout, run.stderr))
        findings = json.loads(report.read_text()) if report.exists() and report.stat().st_size else []
    return {(item.get('line', 0), item['kind']): item for item in findings}


def main(pumice, groups, *paths):
    missed = wrong = total = 0
    cases = {path: [pumice, 'run', path] for path in paths} if not paths[0].endswith('.spvasm') else {paths[0]: [pumice, *paths]}
    for path, command in cases.items():
        wanted, got, said = expected(pathlib.Path(path)), found(command, groups, path), texts(pathlib.Path(path))
        total += len(wanted)
        for line, kind in sorted(set(wanted) - set(got)):
            print('%s:%d: %s was not found' % (path, line, kind))
            missed += 1
        for line, kind in sorted(set(got) - set(wanted)):
            print('%s:%d: %s is no fault: %s' % (path, line, kind, got[line, kind]['message']))
            wrong += 1
        for line, kind in sorted(set(got) & set(wanted)):
            finding = got[line, kind]
            text = finding.get('parent', finding['kernel']) + ': ' + finding['message'] + '; ' + finding.get('object', '')
            if said.get(line, '') not in text:
                print('%s:%d: "%s" is not in: %s' % (path, line, said[line], text))
                wrong += 1
            other = got[line, kind].get('other', {}).get('line', 0)
            if wanted[line, kind] and other not in wanted[line, kind]:
                print('%s:%d: the other place of %s is not line %d' % (path, line, kind, other))
                wrong += 1
    print('%d of %d planted faults found, %d false' % (total - missed, total, wrong))
    return missed + wrong > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
