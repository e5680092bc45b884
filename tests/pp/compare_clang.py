#!/usr/bin/env python3
"""Preprocesses the test files with clang too and compares tokens and messages with what the files say.

usage: compare_clang.py [--messages] CLANG FILE...      exits with 77 when clang is missing

Tokens must be the same, except in files whose first lines hold "// not clang: reason". Differences between messages are printed
with --messages, for people: wording that clang has for other languages is not ours."""
import os
import re
import shlex
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), '../support'))
import ask_clang

TOKEN = re.compile(
    r'L?"(?:\\.|[^"\\\n])*"|L?\'(?:\\.|[^\'\\\n])*\'|\.?\d(?:[eEpP][+-]|[\w.])*|[A-Za-z_$\x80-\U0010ffff][\w$]*|\.\.\.|%:%:|<<=|>>='
    r'|[-+*/%&|^<>=!]=|\+\+|--|->|&&|\|\||<<|>>|##|<:|:>|<%|%>|%:|\S')


def blocks(text):
    """The source, options, headers, and the blocks at the file's end."""
    lines = text.splitlines(keepends=True)
    end = next((i for i, line in enumerate(lines) if re.match(r'// (expect:|log:|invalid options)', line)), len(lines))
    options, headers, name = '', {}, None
    for line in lines[:end]:
        if line.startswith('// options: '):
            options = line[len('// options: '):].rstrip('\n')
        elif line.startswith('// header '):
            name = line[len('// header '):].rstrip('\n')
            headers[name] = ''
        elif line.startswith('//|') and name:
            headers[name] += line[4:] if len(line) > 4 else '\n'
    found = {}
    for line in lines[end:]:
        match = re.match(r'// (expect|log|invalid options)', line)
        if match and (line.rstrip() in ('// expect:', '// log:', '// invalid options')):
            current = found.setdefault(match[1], [])
        else:
            current.append(re.sub(r'^// ?', '', line))
    return ''.join(lines[:end]), options, headers, {k: ''.join(v) for k, v in found.items()}


def tokens(text):
    text = re.sub(r'^ ?# \d+ .*$', '', text, flags=re.M)
    return TOKEN.findall(text)


def messages(text):
    return [line.strip() for line in text.splitlines() if re.search(r': (fatal error|error|warning|note): ', line)]


def compare(found_clang, path, show_messages):
    source, options, headers, found = blocks(open(path, errors='surrogateescape').read())
    if 'invalid options' in found or '// not clang' in source:
        return True
    arguments = ['-cl-no-stdinc', '-E', '-P', *shlex.split(options), 'test.cl', '-I.']
    result = ask_clang.run(found_clang, arguments, {**headers, 'test.cl': source})
    ours, theirs = tokens(found.get('expect', '')), tokens(result.stdout)
    if show_messages:
        mine, clangs = messages(found.get('log', '')), messages(result.stderr.replace('./', ''))
        for line in mine:
            if line not in clangs:
                print(f'{os.path.basename(path)}: only ours:  {line}')
        for line in clangs:
            if line not in mine:
                print(f'{os.path.basename(path)}: only clang: {line}')
    if ours == theirs:
        return True
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    print(f'{path}: token {at} differs: ours {ours[max(0, at - 3):at + 4]}, clang {theirs[max(0, at - 3):at + 4]}')
    return False


def main():
    arguments = sys.argv[1:]
    show_messages = '--messages' in arguments
    arguments = [a for a in arguments if a != '--messages']
    found = ask_clang.find(arguments[0])
    return 0 if all([compare(found, path, show_messages) for path in arguments[1:]]) else 1


sys.exit(main())
