#!/usr/bin/env python3
"""Turns builtins.def into C tables: see there for the language.

usage: gen_builtins.py builtins.def OUTDIR
writes builtins_enums.h (handlers' names), builtins_table.inc (names, patterns, types), builtins_lower.inc (by OpenCL.std number),
required_bodies.txt (library functions that must exist, with their flags), builtins_list.txt (name, overload, ULP bounds, guard: for tests)."""
import re
import sys

SCALARS = ['bool', 'char', 'uchar', 'short', 'ushort', 'int', 'uint', 'long', 'ulong', 'half', 'float', 'double']
DOMAINS = {
    'F': ['half', 'float', 'double'], 'f': ['float'], 'd': ['double'], 'h': ['half'],
    'S': ['char', 'short', 'int', 'long'], 'U': ['uchar', 'ushort', 'uint', 'ulong'],
}
DOMAINS['I'] = DOMAINS['S'] + DOMAINS['U']
DOMAINS['T'] = DOMAINS['I'] + DOMAINS['F']
WIDTHS = [1, 2, 3, 4, 8, 16]
WIDTH_SETS = {'1': [1], 'v': [2, 3, 4, 8, 16], 'g': [1, 2, 3, 4], 'c': [3, 4], 'e': [2, 4, 8, 16]}
OPAQUE = {'void': 'VOID', 'event_t': 'EVENT', 'sampler_t': 'SAMPLER', 'reserve_id_t': 'RESERVE_ID', 'queue_t': 'QUEUE',
          'clk_event_t': 'CLK_EVENT', 'ndrange_t': 'NDRANGE'}
SPACES = {'p': 'PRIVATE', 'g': 'GLOBAL', 'c': 'CONSTANT', 'l': 'LOCAL', 'n': 'GENERIC'}
GROUP_OPERATIONS = {'reduce': 0, 'scan_inclusive': 1, 'scan_exclusive': 2}


class Error(Exception):
    pass


def kind(name):
    return 'TYPE_' + name.upper()


class Tables:
    def __init__(self):
        self.names = {}      # name -> patterns
        self.types = []
        self.type_index = {}
        self.emitters = []
        self.lowerers = []
        self.customs = []
        self.guards = ['']
        self.sections = []
        self.lower = {}      # OpenCL.std name -> (row name, tokens)
        self.list = []
        self.required = {}   # body -> its flag

    @staticmethod
    def index(array, item):
        if item not in array:
            array.append(item)
        return array.index(item)

    def type_run(self, types):
        """The index of consecutive type patterns, shared where an equal run exists."""
        key = tuple(types)
        if key not in self.type_index:
            self.type_index[key] = len(self.types)
            self.types += types
        return self.type_index[key]


def parse_type(text):
    """One type pattern as a C initialiser."""
    text = text.strip()
    fields = {}
    if '*' in text:
        spaces, rest = text.split('*', 1)
        quals = ''
        while rest and rest[0] in 'kva' and not rest.startswith('void'):
            quals += rest[0]
            rest = rest[1:]
        if spaces == 'w':
            spaces = 'glpn'
        elif spaces == 'r':
            spaces, quals = 'glcpn', quals + 'k'
        if not spaces or set(spaces) - set(SPACES):
            raise Error('bad address spaces in ' + text)
        fields['spaces'] = '|'.join('1u << AS_' + SPACES[s] for s in spaces)
        names = {'k': 'QUAL_CONST', 'v': 'QUAL_VOLATILE', 'a': 'QUAL_ATOMIC'}
        if quals:
            fields['quals'] = '|'.join(sorted({names[q] for q in quals}))
        text = rest
    image = re.match(r'^image\(([^:]*):([^)]*)\)$', text)
    if image:
        fields['base'] = 'TYPE_IMAGE'
        fields['images'] = '|'.join('1u << IMAGE_' + i.upper() for i in image[1].split('+'))
        access = {'ro': 'QUAL_READ_ONLY', 'wo': 'QUAL_WRITE_ONLY', 'rw': 'QUAL_READ_WRITE'}
        fields['access'] = '|'.join(access[a] for a in image[2].split('+'))
    elif text.startswith('$'):
        fields['base'] = 'PATTERN_GENERIC'
        rest = text[1:]
        forms = {'': 'SELF', '.s': 'ELEMENT', '.u': 'UNSIGNED', '.i': 'SIGNED', '.w': 'WIDE'}
        if rest in forms:
            fields['form'] = 'PATTERN_' + forms[rest]
        elif re.match(r'^x\d+$', rest):
            fields['form'], fields['lanes'] = 'PATTERN_LANES', rest[1:]
        elif re.match(r'^\.ux\d+$', rest):
            fields['form'], fields['lanes'] = 'PATTERN_UNSIGNED_LANES', rest[3:]
        else:
            raise Error('bad generic type ' + text)
    elif text in OPAQUE:
        fields['base'] = 'TYPE_' + OPAQUE[text]
    else:
        match = re.match(r'^([a-z_]+?)(_t)?(\d+|\$)?$', text)
        if text == 'size_t':
            base, lanes = 'ulong', '1'
        elif match and match[1] in SCALARS and not match[2]:
            base, lanes = match[1], match[3] or '1'
        else:
            raise Error('unknown type ' + text)
        fields['base'] = kind(base)
        fields['lanes'] = '0' if lanes == '$' else lanes
    return '{' + ', '.join('.%s = %s' % (k, fields[k]) for k in sorted(fields)) + '}'


def split_args(text):
    """Splits at commas outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == '(') - (c == ')')
        if c == ',' and not depth:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [p for p in parts if p.strip()]


def parse_domain(text):
    text = text.strip()
    widths = WIDTHS
    if '.' in text:
        text, suffix = text.rsplit('.', 1)
        widths = WIDTH_SETS[suffix]
    elements = text[1:-1].split(',') if text.startswith('{') else DOMAINS[text]
    return '|'.join('1u << ' + kind(e) for e in elements), sum(1 << WIDTHS.index(w) for w in widths)


def parse_overloads(text):
    """Yields (domain, widths, result, params, custom)."""
    for overload in text.split(';'):
        overload = overload.strip()
        repeat = re.match(r'^\{([\d,]+)\}\s+(.*)$', overload)
        for item in (repeat[1].split(',') if repeat else ['']):
            one = repeat[2].replace('#', item) if repeat else overload
            custom = re.match(r'^custom\((\w+)\)$', one)
            if custom:
                yield '0', 0, '{.base = TYPE_VOID}', [], custom[1]
                continue
            domain, widths = '0', 0
            head = re.match(r'^([^():]*):(.*)$', one)
            if head:
                domain, widths = parse_domain(head[1])
                one = head[2].strip()
            match = re.match(r'^([^()]*)\((.*)\)$', one)
            if not match:
                raise Error('bad overload ' + one)
            yield domain, widths, parse_type(match[1]), [parse_type(p) for p in split_args(match[2])], None


def operand(text, item):
    """A handler's or op's operand list: three C constants (float, signed, unsigned) from A, A/B or A/B/C."""
    prefix = {'B': 'SpvBuiltIn', 'O': 'SpvOp', 'C': 'OpenCLstd_'}
    head, _, rest = text.partition(':')
    if head == 'G':
        return [str(3 | GROUP_OPERATIONS[item] << 4)]
    if head == 'W':
        return [str(2 | GROUP_OPERATIONS[item] << 4)]
    if head == 'N':
        return [str(GROUP_OPERATIONS[item])]
    if head in prefix:
        return [prefix[head] + r for r in rest.split('/')]
    return [str(int(text))]


def parse_emission(tables, text, name, item):
    words = text.split()
    aux = '0'
    if words[0] == 'cl':
        emit = 'cl'
        names = words[1].replace('@', name[0].upper() + name[1:]).split('/')
        operands = ['OpenCLstd_' + n for n in names]
        operands = [operands[0], operands[0], operands[-1]]
    elif words[0] == 'h':
        emit, operands = words[1], ['0', '0', '0']
        names = []
        for word in words[2:]:
            values = operand(word, item)
            if ':' in word and word[0] in 'BOC':
                operands = values * 3 if len(values) == 1 else values
                if word[0] == 'C':
                    names = [word[2:]]
            else:
                aux = values[0]
    else:
        raise Error('bad emission ' + text)
    tables.index(tables.emitters, emit)
    return emit, operands, aux, names


def add_lowering(tables, text, cl_names, name, ulp):
    words = text.split()
    if words[0] == '-':
        return
    if words[0] == 'fn':
        tables.index(tables.lowerers, words[1])
    if not cl_names:
        raise Error('a lowering without an OpenCL.std instruction')
    for cl in cl_names:
        if cl in tables.lower and tables.lower[cl][1] != words:
            raise Error('two lowerings of ' + cl)
        tables.lower[cl] = (tables.lower[cl][0] if cl in tables.lower else name, words)


def expand_names(text):
    match = re.match(r'^(.*?)\{([^}]*)\}(.*)$', text)
    if not match:
        return [(text.strip(), '')]
    return [((match[1] + item + match[3]).strip(), item) for item in match[2].split(',')]


def read(path):
    tables = Tables()
    section = ''
    with open(path, encoding='utf-8') as source:
        for number, line in enumerate(source, 1):
            line = line.split('#', 1)[0] if line.startswith('#') else line
            line = line.strip()
            if not line:
                continue
            if line.startswith('@section'):
                section = line.split()[1]
                continue
            if line.startswith('@require'):
                add_required(tables, line.split()[1:])
                continue
            try:
                add_row(tables, [c.strip() for c in line.split('|')], section)
            except (Error, KeyError, ValueError, IndexError) as error:
                sys.exit('%s:%d: %s' % (path, number, error))
    return tables


def add_required(tables, words):
    flag = words.pop(0) if words[0].endswith(':') else ''
    names = ['__pumice_' + word for word in words]
    if flag == 'read:':
        tables.required.update({name: 'read' for name in names})
    elif flag.startswith('fused:'):
        tables.required.update({name: '' for name in names[1::2]})
        tables.required.update({name: 'fused %s %s' % (flag.split(':')[1], fused) for name, fused in zip(names[::2], names[1::2])})
    else:
        tables.required.update({name: flag for name in names})


def add_row(tables, columns, section):
    if len(columns) != 6:
        raise Error('a row has six columns')
    for name, item in expand_names(columns[0]):
        cells = [c.replace('#', item) if item.isdigit() else c for c in columns[1:]]
        overloads, emission, lowering, ulp, guard = cells
        emit, operands, aux, cl_names = parse_emission(tables, emission, name, item)
        add_lowering(tables, lowering, cl_names, name, ulp)
        for domain, widths, result, params, custom in parse_overloads(overloads):
            if custom:
                tables.index(tables.customs, custom)
            tables.names.setdefault(name, []).append({
                'domain': domain, 'widths': widths, 'types': tables.type_run([result] + params), 'num': len(params),
                'emit': emit, 'operands': operands, 'aux': aux, 'custom': custom,
                'guard': tables.index(tables.guards, guard)})
        tables.list.append('%s\t%s\t%s\t%s\t%s' % (name, overloads, ulp, guard, section))


def fnv(text):
    value = 2166136261
    for c in text.encode():
        value = ((value ^ c) * 16777619) & 0xffffffff
    return value


def write_table(tables, out):
    out.write('/* Generated by gen_builtins.py. */\n')
    out.write('static const struct type_pattern builtin_types[] = {\n')
    for t in tables.types:
        out.write('    %s,\n' % t)
    out.write('};\n\nstatic const char *const builtin_guards[] = {\n')
    for g in tables.guards:
        out.write('    "%s",\n' % g)
    out.write('};\n\nstatic const struct builtin_pattern builtin_patterns[] = {\n')
    builtins, at = [], 0
    for name in sorted(tables.names):
        patterns = tables.names[name]
        builtins.append((name, at, len(patterns)))
        at += len(patterns)
        for p in patterns:
            out.write('    {%s, {%s}, %s, %u, %u, %u, %u, BUILTIN_EMIT_%s, %s}, /* %s */\n' % (
                p['domain'], ', '.join(p['operands']), p['aux'], p['types'], p['guard'], p['widths'], p['num'], p['emit'],
                'BUILTIN_CUSTOM_' + p['custom'] if p['custom'] else '0', name))
    out.write('};\n\nstatic const struct builtin builtins[] = {\n')
    for name, first, count in builtins:
        out.write('    {.name = "%s", .patterns = builtin_patterns + %u, .num_patterns = %u},\n' % (name, first, count))
    size = 1
    while size < 2 * len(builtins):
        size *= 2
    slots = [0] * size
    for i, (name, _, _) in enumerate(builtins):
        slot = fnv(name) % size
        while slots[slot]:
            slot = (slot + 1) % size
        slots[slot] = i + 1
    out.write('};\n\n/* index + 1 into builtins by FNV-1a of the name, linear probing; 0: free */\n')
    out.write('static const uint16_t builtin_slots[%u] = {' % size)
    out.write(', '.join(str(s) for s in slots))
    out.write('};\n')


def write_enums(tables, out):
    out.write('/* Generated by gen_builtins.py. */\n')
    for macro, items in (('BUILTIN_EMITTERS', tables.emitters), ('BUILTIN_LOWERERS', tables.lowerers),
                         ('BUILTIN_CUSTOMS', tables.customs)):
        out.write('#define %s(X) \\\n    %s\n' % (macro, ' '.join('X(%s)' % i for i in items)))


def write_lower(tables, out, required):
    by_name = {row: cl for cl, (row, _) in tables.lower.items()}
    out.write('/* Generated by gen_builtins.py. */\nstatic const struct lower_row lower_rows[] = {\n')
    for cl, (name, words) in sorted(tables.lower.items()):
        kind_of = words[0].replace('16', '')
        fields = {'name': '"%s"' % name}
        if kind_of in ('lib', 'libp'):
            fields['kind'] = 'LOWER_LIB'
            fields['out_pointer'] = 'true' if kind_of == 'libp' else 'false'
            if len(words) > 1:
                fields['probed'] = 'true'
                fields['probe'] = 'CLC_PROBE_' + words[1]
                fields['glsl'] = 'GLSLstd450' + words[2]
            for width in ['f32', 'f64'] + (['f16'] if words[0].endswith('16') else []):
                required['__pumice_%s_%s' % (name, width)] = ''
        elif kind_of == 'glsl':
            fields['kind'], fields['glsl'] = 'LOWER_GLSL', 'GLSLstd450' + words[1]
        elif kind_of == 'fast':
            fields['kind'], fields['glsl'] = 'LOWER_FAST', 'GLSLstd450' + words[1]
            fields['like'] = 'OpenCLstd_' + by_name[words[2]]
        elif kind_of == 'like':
            fields['kind'], fields['like'] = 'LOWER_LIKE', 'OpenCLstd_' + by_name[words[1]]
        elif kind_of == 'fn':
            fields['kind'], fields['fn'] = 'LOWER_FN', 'lower_fn_' + words[1]
        else:
            raise Error('bad lowering ' + ' '.join(words))
        out.write('    [OpenCLstd_%s] = {%s},\n' % (cl, ', '.join('.%s = %s' % (k, fields[k]) for k in sorted(fields))))
    out.write('};\n')


def main():
    tables = read(sys.argv[1])
    directory = sys.argv[2]
    required = tables.required
    with open(directory + '/builtins_enums.h', 'w', encoding='utf-8') as out:
        write_enums(tables, out)
    with open(directory + '/builtins_table.inc', 'w', encoding='utf-8') as out:
        write_table(tables, out)
    with open(directory + '/builtins_lower.inc', 'w', encoding='utf-8') as out:
        write_lower(tables, out, required)
    with open(directory + '/required_bodies.txt', 'w', encoding='utf-8') as out:
        out.write(''.join((name + ' ' + required[name]).rstrip() + '\n' for name in sorted(required)))
    with open(directory + '/builtins_list.txt', 'w', encoding='utf-8') as out:
        out.write(''.join(line + '\n' for line in tables.list))


if __name__ == '__main__':
    main()
