#!/usr/bin/env python3
"""Wraps the documents at 120 columns: paragraphs and lists. Tables, code, headings and what tools/settings.py writes stay as they are.

    tools/wrap.py [FILE...]      rewrites them (all documents)
    tools/wrap.py --check        fails where a line that could be wrapped is longer"""
import os
import re
import sys

WIDTH = 120
ITEM = re.compile(r'^( *)([-*] |\d+\. )(.*)$')
FIXED = re.compile(r'^(\||#|<|\[[^\]]+\]: |> |(=|-){3,}$)')


def fill(first, rest, words):
    """The words as lines, the first of which begins with first and the others with rest."""
    lines, line = [], first
    for word in words:
        begins = line in (first, rest)
        # A line that begins with such a word would be read as a list, a heading or a table.
        stays = re.match(r'^([-*+#>|]+|\d+[.)])$', word) is not None
        if not begins and len(line) + 1 + len(word) > WIDTH and not stays:
            lines.append(line)
            line, begins = rest, True
        line += word if begins else ' ' + word
    return lines + [line]


def split_words(text):
    """At blanks, but not inside `code`."""
    words = []
    for word in re.sub(r'(?<!`)`[^`]+`(?!`)', lambda match: match.group(0).replace(' ', '\0'), text).split():
        words.append(word.replace('\0', ' '))
    return words


def wrap(text):
    lines, out, at, fenced, generated = text.split('\n'), [], 0, False, False
    after_blank = True
    in_list = False
    while at < len(lines):
        line = lines[at]
        fenced ^= line.lstrip().startswith('```')
        generated = (generated or 'by tools/' in line and line.startswith('<!--')) and not line.startswith('<!-- end')
        item = ITEM.match(line)
        code = after_blank and line.startswith('      ' if in_list else '    ')
        inner = line.startswith(' ') and not item
        if fenced or line.lstrip().startswith('```') or generated or not line.strip() or FIXED.match(line.lstrip()) or code:
            out.append(line)
            at += 1
            if code:  # all of the block
                while at < len(lines) and lines[at].startswith('      ' if in_list else '    '):
                    out.append(lines[at])
                    at += 1
            if line.strip() and not line.startswith(' '):
                in_list = False
            after_blank = not line.strip()
            continue
        first, rest, words = '', '', line
        if item:
            first = item.group(1) + item.group(2)
            rest, words, in_list = ' ' * len(first), item.group(3), True
        elif inner:
            first = rest = re.match(' *', line).group(0)
            words = line.strip()
        else:
            in_list = False
        at += 1
        parts = [words]
        while at < len(lines) and lines[at].strip() and not ITEM.match(lines[at]) and not FIXED.match(lines[at].lstrip()) and \
                not lines[at].lstrip().startswith('```') and not parts[-1].endswith(('  ', '\\')):
            parts.append(lines[at].strip())
            at += 1
        out += fill(first, rest, split_words(' '.join(parts)))
        after_blank = False
    return '\n'.join(out)


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    check = '--check' in sys.argv[1:]
    paths = [argument for argument in sys.argv[1:] if argument != '--check']
    if not paths:
        paths = [os.path.join(root, name) for name in ('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'tests/README.md')]
        for folder, _, names in sorted(os.walk(os.path.join(root, 'docs'))):
            paths += [os.path.join(folder, name) for name in sorted(names) if name.endswith('.md')]
    wrong = False
    for path in paths:
        with open(path, encoding='utf-8') as file:
            old = file.read()
        new = wrap(old)
        if check and max(len(line) for line in new.split('\n')) < max(len(line) for line in old.split('\n')):
            print(f'{os.path.relpath(path, root)}: has lines over {WIDTH} columns: run tools/wrap.py')
            wrong = True
        elif not check and new != old:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(new)
    return wrong


sys.exit(main())
