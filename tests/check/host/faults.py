#!/usr/bin/env python3
"""Runs the planted faults of the host (faults.c), each in a process of its own: what is found must be of the kind that its row names, and
nothing else; the message or the object must match, and the place must be the line of the call.

usage: faults.py PUMICE FAULTS [--WORD...] [CASE...], with the words for what else is looked for"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile


def misplaced(findings):
    """Those whose line of the source is not that of the call; extensions are called as members of `call`. Without addr2line there are no
    lines."""
    tools = shutil.which('addr2line') or shutil.which('llvm-addr2line')
    return [f for f in findings if tools and not (f['file'].endswith(('.c', '.h')) and re.search(r'\bcall\.|' + f['function'], f.get('text', '')))]


def has_line_ends(findings):
    """Whether a line of the source comes with its end."""
    places = [place for finding in findings for place in (finding, finding.get('other', {}))]
    return any(re.search(r'[\r\n]', place.get('text', '')) for place in places)


def run(pumice, program, options, row, folder):
    name, kind, words = row
    path = os.path.join(folder, name + '.json')
    done = subprocess.run([pumice, 'check', '--host', '--races', *options, '--json', path, '--', program, name], capture_output=True, timeout=120)
    text = done.stderr.decode(errors='replace') + done.stdout.decode(errors='replace')
    if done.returncode == 77:
        print(f'{name}: skipped: the device lacks what it needs')
        return None
    try:
        with open(path, encoding='utf-8') as file:
            findings = json.load(file)
    except (OSError, ValueError) as error:
        return f'{name}: {error}\n{text}'
    kinds = {finding['kind'] for finding in findings}
    if kinds != ({kind} if kind else set()):
        return f'{name}: found {", ".join(sorted(kinds)) or "nothing"}, not {kind or "nothing"}\n{text}'
    if done.returncode != (66 if kind else 0):
        return f'{name}: ended with {done.returncode}\n{text}'
    if kind and not any(re.search(words, ' '.join((f.get('function', ''), f['message'], f.get('object', '')))) for f in findings):
        return f'{name}: no report says {words}\n{text}'
    for finding in misplaced(findings):
        return f'{name}: {finding["function"]} is not called at {finding["file"]}:{finding.get("line")}\n{text}'
    if has_line_ends(findings):
        return f'{name}: a line of the source has its end\n{findings}'
    if 'no faults found' not in text and not kind:
        return f'{name}: it does not say that it found nothing\n{text}'
    return None


def main():
    pumice, program, *only = sys.argv[1:]
    options, only = [word for word in only if word.startswith('--')], [word for word in only if not word.startswith('--')]
    listed = subprocess.run([program], capture_output=True, check=True).stdout.decode()
    rows = [line.split('\t') for line in listed.splitlines()]
    rows = [row for row in rows if not only or row[0] in only]
    if not shutil.which('llvm-addr2line'):  # binutils' may not know what stands in headers
        rows = [row for row in rows if row[0] != 'leaked_by_header']
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [text for text in pool.map(lambda row: run(pumice, program, options, row, folder), rows) if text]
    print('\n'.join(failures))
    print(f'{len(rows) - len(failures)} of {len(rows)} cases, {sum(1 for row in rows if row[1])} of them faults')
    return bool(failures) or not rows


sys.exit(main())
