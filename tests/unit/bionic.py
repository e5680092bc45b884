#!/usr/bin/env python3
"""Whether Android's C library has every function that our objects use, at the API level that docs/packaging.md promises. What is not in the
list has to be looked up and written there, or gets a replacement in base/platform.c.

usage: bionic.py NM LIST LEVEL ARCHIVE...

The archives together are the library, or a program: what one of them uses, another one may define. C++ is left out, since SPIRV-Tools and
the C++ runtime bring their own needs; Android's package is built without them (-Dvalidate=false)."""
import re
import subprocess
import sys

# Names in an object that mean a function of another name in the list.
ALIASES = [(r'__isoc(?:99|23)_(\w+)', r'\1'),        # glibc's scanf and strtol of newer standards
           (r'__(\w+)_chk', r'\1'),                  # _FORTIFY_SOURCE
           (r'(\w+)64', r'\1'),                      # glibc's large files; bionic's off_t has 64 bits
           ('__errno_location', '__errno'),
           ('__ctype_b_loc', 'isalnum'),             # isalpha() and its kin
           (r'__getdelim', 'getline'),
           (r'__register_atfork', 'pthread_atfork')]
# What the compiler calls or makes by itself: the tool chain brings it. Thread-local variables are emulated by it before level 29.
COMPILER = re.compile(r'_GLOBAL_OFFSET_TABLE_|__stack_chk_(fail|guard)|__tls_get_addr|__emutls_\w+|__dso_handle|__aarch64_\w+|__cpu_\w+|__\w+[dsth][if]\d?')
# Functions of other C libraries that stand behind an #if which keeps them from Android, in this file alone.
GUARDED = {'on_exit': 'platform.c', 'secure_getenv': 'platform.c', 'program_invocation_short_name': 'platform.c'}
# Files that are something else on Android, as a whole.
GUARDED_FILES = ('helper.c.o',)


def read_list(path):
    levels = {}
    for number, line in enumerate(open(path), 1):
        if line.strip() and not line.startswith('#'):
            level, name = line.split()
            if name in levels:
                sys.exit(f'{path}:{number}: {name} is there twice')
            levels[name] = int(level)
    return levels


def read_symbols(nm, archives):
    """{name: objects that use it}, and the names that are defined."""
    used, defined = {}, set()
    for archive in archives:
        text = subprocess.run([nm, '-A', '-g', archive], check=True, capture_output=True, text=True).stdout
        for line in text.splitlines():
            place, kind, name = re.fullmatch(r'(.*):\s*(?:[0-9a-f]+)?\s+(\S) (\S+)', line).groups()
            if kind not in 'Uw':
                defined.add(name)
            elif '.cpp.o' not in place and not place.endswith(GUARDED_FILES):
                used.setdefault(name, []).append(place)
    return used, defined


def level_of(levels, name):
    if name in levels:
        return levels[name]
    for pattern, plain in ALIASES:
        match = re.fullmatch(pattern, name)
        if match and match.expand(plain) in levels:
            return levels[match.expand(plain)]
    return None


def main():
    nm, list_path, limit, archives = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    levels = read_list(list_path)
    used, defined = read_symbols(nm, archives)
    checked, failed = 0, 0
    for name, places in sorted(used.items()):
        places = [place for place in places if name not in GUARDED or GUARDED[name] + '.o' not in place]
        if name in defined or COMPILER.fullmatch(name) or not places:
            continue
        checked += 1
        level = level_of(levels, name)
        if level is None or level > limit:
            why = f'is not in {list_path}' if level is None else f'came with API level {level}, and this must run on {limit}'
            print(f'{places[0]}: {name} {why}')
            failed += 1
    print(f'{checked} functions and variables of the C library, {failed} of them not in bionic at level {limit}')
    return 1 if failed or not checked else 0


sys.exit(main())
