#!/usr/bin/env python3
"""Writes OpenCL C that calls every overload of every built-in in the table, one kernel each, for check_calls.

usage: gen_calls.py gen_builtins.py builtins.def OUTPUT.cl [--full]
Without --full each generic type is taken at a few widths; with it at all of them."""
import importlib.util
import re
import sys

SPACES = {'g': 'global', 'l': 'local', 'c': 'constant', 'p': 'private', 'n': ''}
UNSIGNED = {'char': 'uchar', 'short': 'ushort', 'int': 'uint', 'long': 'ulong', 'half': 'ushort', 'float': 'uint',
            'double': 'ulong'}
SIGNED = {'uchar': 'char', 'ushort': 'short', 'uint': 'int', 'ulong': 'long', 'half': 'short', 'float': 'int',
          'double': 'long'}
WIDE = {'char': 'short', 'short': 'int', 'int': 'long', 'uchar': 'ushort', 'ushort': 'uint', 'uint': 'ulong'}
SKIP = re.compile(r'pipe|reserve|clock_|^__pumice_')


def named(element, lanes):
    return element + (str(lanes) if lanes > 1 else '')


def bind(text, element, lanes):
    """A type of the table's language as OpenCL C, for $ = element x lanes."""
    if not text.startswith('$'):
        if text.endswith('$'):
            return named(text[:-1], lanes)
        return text
    rest = text[1:]
    if rest == '':
        return named(element, lanes)
    if rest == '.s':
        return element
    if rest == '.u':
        return named(UNSIGNED.get(element, element), lanes)
    if rest == '.i':
        return named(SIGNED.get(element, element), lanes)
    if rest == '.w':
        return named(WIDE[element], lanes)
    if rest.startswith('.ux'):
        return named(UNSIGNED.get(element, element), int(rest[3:]))
    return named(element, int(rest[1:]))


def split_pointer(text):
    if '*' not in text:
        return '', '', text
    spaces, rest = text.split('*', 1)
    quals = ''
    while rest and rest[0] in 'kva' and not rest.startswith('void'):
        quals, rest = quals + rest[0], rest[1:]
    return {'w': 'glpn', 'r': 'glcpn'}.get(spaces, spaces), quals, rest


class Writer:
    def __init__(self, out):
        self.out = out
        self.count = 0

    def kernel(self, name, result, params, element, lanes, space):
        """One call; space is the address space for pointers whose space is open, NULL where it does not apply."""
        formals, before, args = [], [], []
        for i, param in enumerate(params):
            spaces, quals, base = split_pointer(param)
            kind = bind(base, element, lanes)
            if 'a' in quals:
                kind = 'atomic_' + kind
            image = re.match(r'^image\(([^:]*):([^)]*)\)$', base)
            if image:
                access = {'ro': 'read_only', 'wo': 'write_only', 'rw': 'read_write'}[image[2].split('+')[0]]
                formals.append('%s image%s_t p%d' % (access, image[1].split('+')[0], i))
                args.append('p%d' % i)
            elif kind == 'sampler_t':
                formals.append('sampler_t p%d' % i)
                args.append('p%d' % i)
            elif kind == 'event_t' and spaces:
                before.append('event_t p%d = 0;' % i)
                args.append('&p%d' % i)
            elif kind == 'event_t':
                args.append('0')
            elif spaces:
                use = space if space in spaces else spaces[0]
                volatile = 'volatile ' if 'v' in quals else ''
                const = 'const ' if 'k' in quals and use != 'c' else ''
                if use == 'p':
                    before.append('%s p%d[16];' % (kind, i))
                    if 'a' not in quals:
                        before.append('for (int i = 0; i < 16; i++) p%d[i] = (%s)0;' % (i, kind))
                elif use == 'n':
                    formals.append('global %s *g%d' % (kind, i))
                    before.append('%s%s%s *p%d = g%d;' % (volatile, const, kind, i, i))
                else:
                    formals.append('%s%s %s%s *p%d' % (volatile, SPACES[use], const, kind, i))
                args.append('p%d' % i)
            else:
                formals.append('global %s *p%d' % (kind, i))
                args.append('*p%d' % i)
        if any(p == 'uint' for p in params) and re.search('barrier|fence', name):
            args[0] = 'CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE'
        for i, param in enumerate(params):
            if param == 'int' and 'fence' in name + 'barrier' and re.search('explicit|fence|barrier', name):
                first = [j for j, p in enumerate(params) if p == 'int'][0]
                is_scope = 'barrier' in name or i - first == (2 if 'compare' in name else 1)
                args[i] = 'memory_scope_device' if is_scope else 'memory_order_relaxed'
        if 'clustered' in name:
            args[-1] = '4'
        call = '%s(%s)' % (name, ', '.join(args))
        kind = bind(result, element, lanes)
        if kind == 'event_t':
            before.append('event_t e = %s; wait_group_events(1, &e);' % call)
        elif kind == 'void':
            before.append(call + ';')
        else:
            formals.append('global %s *out' % ('int' if kind == 'bool' else kind))
            before.append('*out = %s;' % call)
        formals = [f.replace('atomic_half', 'atomic_float') for f in formals]
        self.out.write('kernel void k%d_%s(%s) { %s }\n' % (self.count, name, ', '.join(formals), ' '.join(before)))
        self.count += 1


def bindings(domain, table, full):
    if not domain:
        return [('', 1)]
    widths = table.WIDTHS
    if '.' in domain:
        domain, suffix = domain.rsplit('.', 1)
        widths = table.WIDTH_SETS[suffix]
    elements = domain[1:-1].split(',') if domain.startswith('{') else table.DOMAINS[domain]
    result = []
    for number, element in enumerate(elements):
        chosen = widths if full else sorted({widths[0], widths[(number + 1) % len(widths)], widths[number % len(widths)]})
        result += [(element, w) for w in chosen]
    return result


def write_overload(writer, table, name, overload, full):
    match = re.match(r'^(?:([^():]*):)?\s*([^()]*)\((.*)\)$', overload)
    domain, result, params = (match[1] or '').strip(), match[2].strip(), [p.strip() for p in table.split_args(match[3])]
    spaces = ''
    for param in params:
        letters = split_pointer(param)[0]
        if len(letters) > len(spaces):
            spaces = letters
    for number, (element, lanes) in enumerate(bindings(domain, table, full)):
        if element == 'half' and 'a$' in overload:
            continue
        choices = (spaces if full or number == 0 else spaces[number % len(spaces)]) if spaces else ' '
        for space in choices:
            if re.search('atomic', name) and space == 'p':
                continue
            writer.kernel(name, result, params, element, lanes, space)


def kinds(overload):
    """Every kind of image and access that an overload takes, on its own."""
    image = re.search(r'image\(([^:]*):([^)]*)\)', overload)
    if not image:
        return [overload]
    return ['%simage(%s:%s)%s' % (overload[:image.start()], kind, access, overload[image.end():])
            for kind in image[1].split('+') for access in image[2].split('+')]


def main():
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location('gen_builtins', sys.argv[1])
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    full = '--full' in sys.argv
    with open(sys.argv[3], 'w', encoding='utf-8') as out:
        out.write('#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n')
        writer = Writer(out)
        for line in table.read(sys.argv[2]).list:
            name, overloads, *_ = line.split('\t')
            if SKIP.search(name) or 'custom' in overloads:
                continue
            for overload in [one for each in overloads.split(';') for one in kinds(each.strip())]:
                repeat = re.match(r'^\{([\d,]+)\}\s+(.*)$', overload)
                for item in (repeat[1].split(',') if repeat else ['']):
                    one = repeat[2].replace('#', item) if repeat else overload
                    write_overload(writer, table, name, one, full)


if __name__ == '__main__':
    main()
