#!/usr/bin/env python3
"""What includes what: rooms (the table `rooms` in the top meson.build) include each other in no circle, and a quoted include names its file
from the top of the tree, or beside its own. Prints the graph.

usage: rooms.py SOURCE_ROOT

A file that the table names alone is of that room; others are of the room whose folder is nearest above them; what no room shows is of a room
named like its folder."""
import ast
import pathlib
import re
import sys

PARTS = ['base', 'compiler', 'vk', 'src', 'tools']
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*)"', re.M)


def read_rooms(root):
    table = re.search(r'^rooms = (\{.*?^\})', (root / 'meson.build').read_text(), re.M | re.S).group(1)
    return {path: room for room, paths in ast.literal_eval(table).items() for path in paths}


def room_of(rooms, path):
    for place in [path, *path.parents]:
        if str(place) in rooms:
            return rooms[str(place)]
    return str(path.parent)


def read_includes(root):
    """(file, name as written) of all sources."""
    for part in PARTS:
        for path in sorted((root / part).rglob('*')):
            if path.suffix in ('.c', '.h', '.def', '.inc'):
                for name in INCLUDE.findall(path.read_text()):
                    yield path.relative_to(root), name


def find_circle(graph):
    """Rooms in a circle, or None."""
    done = set()

    def search(room, way):
        if room in way:
            return way[way.index(room):]
        if room in done:
            return None
        for other in sorted(graph.get(room, {})):
            circle = search(other, way + [room])
            if circle:
                return circle
        done.add(room)
        return None

    for room in sorted(graph):
        circle = search(room, [])
        if circle:
            return circle
    return None


def main():
    root = pathlib.Path(sys.argv[1])
    rooms = read_rooms(root)
    errors, graph = [], {}
    for path, name in read_includes(root):
        if '..' in pathlib.PurePath(name).parts:
            errors.append(f'{path}: "{name}" goes up')
            continue
        beside = path.parent / name
        target = beside if (root / beside).is_file() else pathlib.PurePath(name)
        if not (root / target).is_file():
            if '/' in name:  # else the build makes it
                errors.append(f'{path}: there is no "{name}"')
            continue
        here, there = room_of(rooms, path), room_of(rooms, target)
        if here != there:
            graph.setdefault(here, {}).setdefault(there, f'{path} includes {name}')
    for room in sorted(graph):
        print(f'{room}: {" ".join(sorted(graph[room]))}')
    circle = find_circle(graph)
    if circle:
        errors.append('rooms include each other: ' + ' -> '.join(circle + circle[:1]))
        errors += [f'  {graph[a][b]}' for a, b in zip(circle, circle[1:] + circle[:1])]
    for error in errors:
        print(error, file=sys.stderr)
    if not graph:
        print('no includes were found', file=sys.stderr)
    return 1 if errors or not graph else 0


if __name__ == '__main__':
    sys.exit(main())
