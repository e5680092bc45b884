#!/usr/bin/env python3
"""Whether programs compute the same under PUMICE_CHECK as without: generates them (generate.py), has differ.c hash what they compute
unchecked and with each of WORDS, and compares. The programs have no fault, so that every report is a false one.

usage: checked.py DIFFER DIRECTORY FIRST COUNT [WORDS...]

WORDS are values of PUMICE_CHECK; a program is run with each. DIRECTORY gets the programs that differ or are reported. Exit status: 0 none
is, 1 some are."""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from generate import program
from run import LLVMPIPE, PATIENCE

WORDS = ['all', 'init', 'loops,values', 'bounds,init,races,barriers,values,loops']


def run(differ, path, words):
    """([what it computes], [what is reported])."""
    report = path + '.json'
    env = dict(os.environ, PUMICE_CHECK_JSON=report, PUMICE_CHECK_LIMIT='1000')
    if words:
        env['PUMICE_CHECK'] = words
    command = [differ, '-t', str(PATIENCE), '--print', 'Pumice', path]
    process = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    answers = process.stdout.splitlines()
    if process.returncode not in (0, 66):
        answers.append('differ ended with %d' % process.returncode)
    findings = []
    if os.path.exists(report):
        with open(report) as file:
            findings = ['%s, line %d: %s' % (f['kind'], f.get('line', 0), f['message']) for f in json.load(file)]
        os.remove(report)
    return answers, findings


def compare(differ, path, all_words):
    plain = run(differ, path, None)[0]
    for words in all_words:
        answers, findings = run(differ, path, words)
        if answers != plain:
            yield '%s: differs: %s instead of %s' % (words, answers, plain)
        yield from ('%s: %s' % (words, finding) for finding in findings)


def main(differ, directory, first, count, *words):
    os.makedirs(directory, exist_ok=True)
    for name, value in LLVMPIPE.items():
        os.environ.setdefault(name, value)
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(int(first), int(first) + int(count)):
            path = os.path.join(scratch, '%d.cl' % seed)
            with open(path, 'w') as file:
                file.write(program(seed))
            what = list(compare(differ, path, words or WORDS))
            for line in what:
                print('%d.cl: %s' % (seed, line), flush=True)
            if what:
                wrong += 1
                os.rename(path, os.path.join(directory, '%d.cl' % seed))
    print('%d of %s programs differ or are reported' % (wrong, count))
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
