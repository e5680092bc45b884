#!/usr/bin/env python3
"""What calls what: a room (a folder of base/, compiler/, vk/ or src/) calls a function of another one only where a header of that room
declares it and the caller's include path has this header, and rooms call each other in no circle. Every function that other files may
call is declared in a header of the room that defines it, or in the one that its whole floor shows. Prints the graph.

usage: calls.py NM SOURCE_ROOT BUILD_ROOT [PART...]

Objects and include paths come from the build's compile_commands.json, symbols from nm. Variables count as functions do."""
import json
import pathlib
import re
import shlex
import subprocess
import sys

from rooms import find_circle

PARTS = ['base', 'compiler', 'vk', 'src']
# What the floors show that have a header for all of their rooms. (vk/vk.h includes headers of rooms.)
PUBLIC = {'compiler': pathlib.PurePath('compiler/clc.h')}
# What Khronos' headers declare: OpenCL's entry points, Vulkan's functions by way of volk.
FOREIGN = re.compile(r'(cl|vk|volk)[A-Z]\w*')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
WORD = re.compile(r'[A-Za-z_]\w*')
PASTED = re.compile(r'(\w+)\s*##\s*\w+(?:\s*##\s*(\w+))?')  # emit_##name##_builtin


class Object:
    """One compiled source of a room."""

    def __init__(self, tree, build, command, source):
        self.source, self.room, self.path = source, str(source.parent), tree / source
        self.includes = [build / word[2:] for word in shlex.split(command['command']) if word.startswith('-I')]
        self.defined, self.used = set(), set()

    def mentions(self, name):
        """Else it is a system's header that defines the name: SPIRV-Tools' has a constant."""
        return name in WORD.findall(self.path.read_text())

    def sees(self, header):
        return header.parent == self.source.parent or any((folder / header).is_file() for folder in self.includes)


def adopt_generated(objects, root, headers):
    """What the build makes is of the room that declares it, its folder's or one above."""
    for item in objects:
        if (root / item.source).is_file():
            continue
        for place in item.source.parents:
            if any(header.declares(name) for header in headers.get(str(place), {}).values() for name in item.defined):
                item.room = str(place)
                break


def read_objects(nm, root, build, parts):
    """Each source once, of those that are built: a library may be made twice."""
    objects, sources = {}, set()
    for command in json.loads((build / 'compile_commands.json').read_text()):
        path = (build / command['file']).resolve()
        tree = build if path.is_relative_to(build) else root
        source = path.relative_to(tree) if path.is_relative_to(tree) else None
        output = command['output']
        in_library = output.split('/')[0] in parts and ('.a.p/' in output or '.so' in output)
        if source and source.suffix == '.c' and source.parts[0] in parts and in_library and source not in sources and \
                (build / output).is_file():
            sources.add(source)
            objects[output] = Object(tree, build, command, source)
    text = subprocess.run([nm, '-A', '-P', '-g', *objects], cwd=build, check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        output, name, kind = re.match(r'(\S+?):? (\S+) (\S)', line).groups()
        (objects[output].used if kind in 'Uw' else objects[output].defined).add(name)
    return list(objects.values())


class Header:
    def __init__(self, text):
        self.words = set(WORD.findall(text))
        self.pasted = [re.compile(rf'{begin}\w+{end}') for begin, end in PASTED.findall(text)]

    def declares(self, name):
        return name in self.words or any(pattern.fullmatch(name) for pattern in self.pasted)


def read_headers(root, parts):
    """{room: {its headers}}"""
    headers = {}
    for part in parts:
        for path in sorted((root / part).rglob('*')):
            if path.suffix in ('.h', '.def', '.inc'):
                name = path.relative_to(root)
                headers.setdefault(str(name.parent), {})[name] = Header(COMMENT.sub(' ', path.read_text()))
    return headers


def headers_of(headers, room, name):
    """The headers that declare the name, of the room or of its floor."""
    found = [header for header, content in headers.get(room, {}).items() if content.declares(name)]
    public = PUBLIC.get(room.split('/')[0])
    if public and headers[str(public.parent)][public].declares(name):
        found.append(public)
    return found


def check(objects, headers):
    """(errors, graph)"""
    errors, graph = [], {}
    homes = {name: item for item in objects for name in item.defined}
    for name, home in sorted(homes.items()):
        if not FOREIGN.fullmatch(name) and not headers_of(headers, home.room, name) and home.mentions(name):
            errors.append(f'{home.source}: {name} is declared in no header of {home.room}')
    for item in objects:
        for name in sorted(item.used & homes.keys()):
            home = homes[name]
            if home.room == item.room:
                continue
            graph.setdefault(item.room, {}).setdefault(home.room, f'{item.source} calls {name} of {home.source}')
            declared = headers_of(headers, home.room, name)
            if declared and not any(item.sees(header) for header in declared):
                errors.append(f'{item.source} calls {name} of {home.source}, whose header it may not include')
    return errors, graph


def main():
    nm, root, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    parts = sys.argv[4:] or PARTS
    objects = read_objects(nm, root, build, parts)
    headers = read_headers(root, parts)
    adopt_generated(objects, root, headers)
    errors, graph = check(objects, headers)
    for room in sorted(graph):
        print(f'{room}: {" ".join(sorted(graph[room]))}')
    circle = find_circle(graph)
    if circle:
        errors.append('rooms call each other: ' + ' -> '.join(circle + circle[:1]))
        errors += [f'  {graph[a][b]}' for a, b in zip(circle, circle[1:] + circle[:1])]
    for error in errors:
        print(error, file=sys.stderr)
    if not graph:
        print('no calls were found', file=sys.stderr)
    return 1 if errors or not graph else 0


if __name__ == '__main__':
    sys.exit(main())
