#!/usr/bin/env python3
"""Makes a differing program smaller: takes out lines, and statements with their blocks, as long as it still differs.

usage: reduce.py DIFFER PROGRAM.cl OUTPUT.cl WAY [ORACLE]

WAY: the name in differ's report, such as Pumice, unoptimised, "clang -O0". A candidate must compile with clang -Wall's word that
nothing is used uninitialised. The result may be simplified by hand further; it then becomes a paragraph of tests/cl."""
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import run

CHECK = run.CLANG + ['-fsyntax-only', '-Werror=uninitialized', '-Werror=sometimes-uninitialized']


def spans(lines):
    """What can go as a whole: (first, end), longest first."""
    found, open_lines = [], []
    for i, line in enumerate(lines):
        found.append((i, i + 1))
        for character in line.split('//')[0]:
            if character == '{':
                open_lines.append(i)
            elif character == '}' and open_lines:
                first = open_lines.pop()
                if first != i:
                    found.append((first, i + 1))
    for size in (4, 8, 16, 32):
        found += [(i, i + size) for i in range(0, len(lines) - size, size)]
    return sorted(set(found), key=lambda span: span[0] - span[1])


def without(lines, first, end):
    """Unlike the block, the body of an if or a loop may stay."""
    yield lines[:first] + lines[end:]
    if end - first > 2 and lines[first].rstrip().endswith('{') and lines[end - 1].strip().startswith('}'):
        yield lines[:first] + ['{'] + lines[first + 1:end - 1] + ['}'] + lines[end:]


def shared(lines):
    """Barriers, and stores to local memory, which may not lose theirs: (number, number)."""
    return sum('barrier(' in line for line in lines), sum(bool(re.search(r'\b(l[0-9]+|room)\[lid\][^=]*= ', line)) for line in lines)


def races(lines, candidate):
    """Whether a local variable lost its barriers, or what is stored to it first."""
    (barriers, stores), (barriers_left, stores_left) = shared(lines), shared(candidate)
    if stores_left and barriers - barriers_left > 2 * (stores - stores_left):
        return True
    body = [line for line in candidate if not re.match(r'\s*(local |constant uint \*table)', line)]
    for name in set(re.findall(r'\b(?:l[0-9]+|room)\b', '\n'.join(body))):
        first = next(line for line in body if re.search(r'\b%s\b' % name, line))
        if not re.search(r'^\s*%s\[lid\][^=]*= ' % name, first):
            return True
    return False


def main():
    differ, source, output, way = sys.argv[1:5]
    oracle = sys.argv[5] if len(sys.argv) > 5 else 'Portable'
    with tempfile.TemporaryDirectory() as scratch:
        os.environ['POCL_CACHE_DIR'] = scratch
        path = os.path.join(scratch, 'candidate.cl')
        level = way.split('-')[-1] if way.startswith('clang') else None

        with_oracle = os.path.exists(source + '.expected') and not level

        def interesting(lines):
            with open(path, 'w') as file:
                file.write('\n'.join(lines) + '\n')
            if shutil.which('clang-15') and not run.quiet(CHECK + [run.version(path), path]):
                return False
            if level:
                run.translate(path, [level])
            if os.path.exists(path + '.expected'):
                os.remove(path + '.expected')
            if not level:
                run.expect(differ, [path], oracle)
            if with_oracle and not os.path.exists(path + '.expected'):
                return False
            for _, what, _ in run.compare(differ, [path]):
                return any(w.startswith(way + ':') and 'differs' in w or w.startswith('differ ended') and way == 'died' or
                           way.endswith('build') and w.endswith(way) for w in what)
            return False

        lines = open(source).read().split('\n')
        if not interesting(lines):
            sys.exit('%s does not differ that way' % source)
        changed = True
        while changed:
            changed = False
            done = set()
            while True:
                step = next((s for s in spans(lines) if (tuple(lines[s[0]:s[1]]), s[0]) not in done), None)
                if not step:
                    break
                done.add((tuple(lines[step[0]:step[1]]), step[0]))
                for candidate in without(lines, *step):
                    if not races(lines, candidate) and interesting(candidate):
                        lines, changed = candidate, True
                        with open(output, 'w') as file:
                            file.write('\n'.join(lines) + '\n')
                        print('%d lines' % len(lines), flush=True)
                        break


if __name__ == '__main__':
    main()
