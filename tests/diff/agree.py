#!/usr/bin/env python3
"""Compares what `differ --print` printed on several platforms, and says at which programs they differ.

usage: agree.py NAME=FILE ...

Prints a line per differing program: the hashes, and who has which; then how many programs each way ran. PoCL's answers in
PROGRAM.cl.expected are read as well: NAME=DIRECTORY."""
import collections
import os
import struct
import sys


def hash_of(path):
    """As hash_words in differ.c."""
    with open(path, 'rb') as file:
        data = file.read()
    value = 0xcbf29ce484222325
    for word in struct.unpack('<%dI' % (len(data) // 4), data):
        value = (value ^ word) * 0x100000001b3 % 2**64
    return '%016x' % value


def answers(path):
    """Yields (program, way, what)."""
    if os.path.isdir(path):
        for name in os.listdir(path):
            if name.endswith('.expected'):
                yield name[:-len('.expected')], '', hash_of(os.path.join(path, name))
        return
    with open(path) as file:
        for line in file:
            parts = line.strip().split(': ')
            if len(parts) == 3:
                yield os.path.basename(parts[0]), ' ' + parts[1], parts[2]


def main():
    table = collections.defaultdict(dict)
    for argument in sys.argv[1:]:
        name, path = argument.split('=', 1)
        for program, way, what in answers(path):
            table[program][name + way] = what
    ran, compared, differing = collections.Counter(), 0, 0
    for program in sorted(table, key=lambda name: (len(name), name)):
        groups = collections.defaultdict(list)
        for way, what in table[program].items():
            if len(what) == 16 and ' ' not in what:
                groups[what].append(way)
                ran[way] += 1
            else:
                ran['%s: %s' % (way, what)] += 1
        compared += sum(map(len, groups.values())) > 1
        if len(groups) > 1:
            differing += 1
            print('%s: %s' % (program, '; '.join('%s %s' % (what[:4], ', '.join(ways)) for what, ways in groups.items())))
    for way in sorted(ran):
        print('%5d %s' % (ran[way], way))
    print('%d of %d programs differ' % (differing, compared))
    return differing > 0


if __name__ == '__main__':
    sys.exit(main())
