#!/usr/bin/env python3
"""What the compiler makes must not depend on the machine that it runs on. C leaves open in which order the arguments of a call, or the
operands of most operators, are computed, and compilers differ: GCC by processor. So no two of them may make ids or instructions. This reads
the build's sources by libclang and names each call and operator where two do. The items of an initialiser are in turn in GCC and clang,
and spv_emitv() makes them of its arguments. tests/modules.sh compares what two compilers' builds make.

usage: order.py SOURCE_ROOT BUILD_ROOT

Needs clang's Python module (Debian's python3-clang) and is skipped without it. LIBCLANG_FILE names another library than it finds."""
import json
import os
import pathlib
import re
import shlex
import sys

try:
    from clang.cindex import Config, CursorKind, Index, StorageClass, TranslationUnitLoadError
    if 'LIBCLANG_FILE' in os.environ:
        Config.set_library_file(os.environ['LIBCLANG_FILE'])
    INDEX = Index.create()
except Exception as error:  # no module, or no library of its version
    print(f'skipped: no libclang for Python ({error})')
    sys.exit(77)

# Everything that has an id, or a place in a list of the module, comes from these. The arguments of the first two are plain numbers.
MAKERS = {'spv_new_id', 'spv_inst_create', 'spv_inst_copy', 'spv_list_append', 'spv_list_insert'}
SEQUENCED = {'&&', '||', ','}
PLANTED = '''
struct m; unsigned spv_new_id(struct m *m), both(unsigned a, unsigned b);
static unsigned inner(struct m *m) { return spv_new_id(m) + 1; }
unsigned call(struct m *m) { return both(inner(m), spv_new_id(m)); }
unsigned operands(struct m *m) { return inner(m) - inner(m); }
unsigned fine(struct m *m) { unsigned a[] = {inner(m), inner(m)}; return inner(m) && inner(m) ? both(a[0], inner(m)) : sizeof(inner(m)); }
'''


class Function:
    def __init__(self):
        self.calls, self.sites = set(), []


def key_of(cursor):
    definition = cursor.get_definition()
    if StorageClass.STATIC in (cursor.storage_class, definition.storage_class if definition else None):
        return f'{(definition or cursor).location.file}:{cursor.spelling}'
    return cursor.spelling


def operator_of(cursor, left, right, text):
    """None: in a macro."""
    if left.extent.end.offset >= right.extent.start.offset:
        return None
    return re.sub(r'/\*.*?\*/|[()\s]', '', text[left.extent.end.offset:right.extent.start.offset].decode('utf-8', 'replace'))


def walk(cursor, function, text):
    """What the expression or statement calls; an empty name for a call by pointer."""
    if cursor.kind == CursorKind.CXX_UNARY_EXPR:  # sizeof: not computed
        return set()
    children = list(cursor.get_children())
    parts = [walk(child, function, text) for child in children]
    calls = set().union(*parts)
    if cursor.kind == CursorKind.CALL_EXPR:
        target = cursor.referenced
        if target is not None and target.kind == CursorKind.FUNCTION_DECL:
            name = key_of(target)
        else:
            name = ''
        function.sites.append((cursor, parts))
        function.calls.add(name)
        calls.add(name)
    elif cursor.kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
        if operator_of(cursor, *children, text) not in SEQUENCED:
            function.sites.append((cursor, parts))
    return calls


def read(path, arguments, is_ours, functions, planted=None):
    files = [(path, planted)] if planted else None
    text = planted.encode() if planted else pathlib.Path(path).read_bytes()
    for cursor in INDEX.parse(path, args=arguments, unsaved_files=files).cursor.get_children():
        if cursor.kind != CursorKind.FUNCTION_DECL or not cursor.is_definition() or not is_ours(str(cursor.location.file)):
            continue
        key = key_of(cursor)
        if key not in functions:
            functions[key] = Function()
            own = text if str(cursor.location.file) == path else pathlib.Path(str(cursor.location.file)).read_bytes()
            for child in cursor.get_children():
                walk(child, functions[key], own)


def find(functions):
    """The sites, as places with their functions."""
    makers, callers = set(MAKERS) | {''}, {}
    for key, function in functions.items():
        for name in function.calls:
            callers.setdefault(name, set()).add(key)
    pending = list(makers)
    while pending:
        for key in callers.get(pending.pop(), ()):
            if key not in makers:
                makers.add(key)
                pending.append(key)
    found = set()
    for function in functions.values():
        for cursor, parts in function.sites:
            making = [sorted(name.rpartition(':')[2] or 'a call by pointer' for name in part & makers) for part in parts if part & makers]
            if len(making) > 1:
                place = cursor.location
                found.add((str(place.file), place.line, cursor.spelling, ' | '.join(', '.join(names) for names in making)))
    return sorted(found)


def arguments_of(command):
    words = shlex.split(command)
    kept = []
    for i, word in enumerate(words):
        if word.startswith(('-I', '-D', '-std')):
            kept.append(word)
        elif word in ('-isystem', '-include'):
            kept += words[i:i + 2]
    return kept


def main():
    root, build = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    planted = {}
    read('planted.c', [], lambda name: True, planted, PLANTED)
    lines = [line for _, line, _, _ in find(planted)]
    if lines != [4, 5]:
        print(f'what was planted in lines 4 and 5 was found in {lines}')
        return 1
    functions, files = {}, 0
    seen = set()
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        path = str((pathlib.Path(entry['directory']) / entry['file']).resolve())
        if path in seen or not path.endswith('.c') or not path.startswith(f'{root}/compiler/'):
            continue
        seen.add(path)
        os.chdir(entry['directory'])
        try:
            read(path, arguments_of(entry['command']), lambda name: os.path.abspath(name).startswith(str(root)), functions)
        except TranslationUnitLoadError as error:
            print(f'{path}: {error}')
            return 1
        files += 1
    found = find(functions)
    for path, line, name, making in found:
        print(f'{os.path.relpath(path, root)}:{line}: {name}: the order of these is open: {making}')
    print(f'{files} files, {len(functions)} functions, {len(found)} places')
    return 1 if found or not files else 0


sys.exit(main())
