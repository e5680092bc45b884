#!/usr/bin/env python3
"""Nothing that a source can say ends the compiler: limits.py PUMICE [name...]

Each case is far beyond what people write. It compiles, or is refused with the message that is given here; a signal, a
time-out or any other exit is a failure."""
import os
import subprocess
import sys
import tempfile

N = 20000
NESTED = 'nesting level exceeded'
DEEP = 'nested too deeply'


def kernel(body, before=''):
    return before + 'kernel void k(global int *p, int a) { ' + body + ' }\n'


def nest(left, middle, right, count=N):
    return left * count + middle + right * count


def each(form, count, start=0):
    return ''.join(form.replace('$', str(i)).replace('@', str(i - 1)) for i in range(start, count))


# name: (stage, source, what the log must hold; None: it compiles)
CASES = {
    # nesting
    'parentheses': ('kernel', kernel('p[0] = ' + nest('(', '1', ')') + ';'), NESTED),
    'braces': ('kernel', kernel(nest('{', '', '}')), NESTED),
    'unary': ('kernel', kernel('p[0] = ' + '-~!+' * N + 'a;'), NESTED),
    'dereferences': ('kernel', kernel('p[0] = ' + '*&' * N + 'a;'), NESTED),
    'casts': ('kernel', kernel('p[0] = ' + '(int)' * N + 'a;'), NESTED),
    'sizeof': ('kernel', kernel('p[0] = ' + 'sizeof ' * N + 'a;'), NESTED),
    'subscripts': ('kernel', kernel('p[0] = ' + nest('p[', '0', ']') + ';'), NESTED),
    'calls': ('kernel', kernel('p[0] = ' + nest('abs(', '0', ')') + ';'), NESTED),
    'generic': ('kernel', kernel('p[0] = ' + nest('_Generic(a, int: ', '1', ')') + ';'), NESTED),
    'typeof': ('kernel', kernel(nest('typeof(', 'a', ')') + ' x;'), NESTED),
    'statement-expressions': ('kernel', kernel('p[0] = ' + nest('({', '1;', '})') + ';'), NESTED),
    'blocks': ('kernel', kernel(nest('^{', '', '}') + ';'), NESTED),
    'compound-literals': ('kernel', kernel('p[0] = ' + nest('(int){', '1', '}') + ';'), NESTED),
    'vector-literals': ('kernel', kernel('p[0] = ' + nest('(int2)(', '1', ').x') + ';'), NESTED),
    'initialisers': ('kernel', kernel('int x[1] = ' + nest('{', '0', '}') + ';'), NESTED),
    'if-statements': ('kernel', kernel('if (a) ' * N + 'p[0] = 1;'), NESTED),
    'loops': ('kernel', kernel('for (;;) ' * N + 'p[0] = 1;'), NESTED),
    'do-loops': ('kernel', kernel('do ' * N + 'p[0] = 1;' + ' while (a);' * N), NESTED),
    'switches': ('kernel', kernel(nest('switch (a) { case 1: ', '', '}')), NESTED),
    # as many brackets as clang takes
    'brackets-of-ifs': ('vulkan', kernel(nest('if (a) { ', 'p[0] = 1;', '}', 255)), None),
    'brackets-of-elses': ('vulkan', kernel(nest('if (a) p[0] = 1; else { ', 'p[0] = 1;', '}', 255)), None),
    'brackets-of-loops': ('vulkan', kernel(nest('for (int i = 0; i < a; i++) { ', 'p[0]++;', '}', 255)), None),
    'brackets-of-switches': ('vulkan', kernel(nest('switch (a) { case 1: ', 'p[0] = 1;', '}', 255)), None),
    'statements-1000': ('vulkan', kernel('if (a) ' * 1000 + 'p[0] = 1;'), None),
    'labels': ('kernel', kernel(each('l$: ', N) + 'p[0] = 1;'), NESTED),
    'assignments': ('kernel', kernel('a ' + '= a ' * N + ';'), NESTED),
    'static-assertion': ('kernel', '_Static_assert(' + nest('(', '1', ')') + ', "");\n', NESTED),
    'pragma': ('kernel', kernel('\n#pragma unroll ' + nest('(', '1', ')') + '\nfor (;;) break;'), 'constant expression'),
    'unclosed-parentheses': ('kernel', '(' * N, 'expected'),
    'unclosed-braces': ('kernel', kernel('{' * N), NESTED),
    'unclosed-attribute': ('kernel', '__attribute__((' + '(' * N, 'expected'),
    # types and declarators
    'pointers': ('kernel', kernel('int ' + '*' * N + 'x;'), 'pointer nesting level exceeded'),
    'arrays': ('kernel', kernel('int x' + '[1]' * N + ';'), 'declarator nesting level exceeded'),
    'declarators': ('kernel', 'int ' + nest('(', 'f', ')') + ';\n', NESTED),
    'parameters-in-parameters': ('kernel', 'void f(' + nest('int g(', '', ')') + ');\n', NESTED),
    'structs': ('kernel', nest('struct { ', 'int x;', ' } m;'), NESTED),
    'structs-that-fit': ('vulkan', kernel('struct s489 x; x.y = a; p[0] = x.y;', 'struct s0 { int y; };\n' +
                                          each('struct s$ { struct s@ m; int y; };\n', 490, 1)), None),
    'struct-members': ('kernel', kernel('struct s%d x; x.y = 1; p[0] = x.y;' % (N - 1), 'struct s0 { int y; };\n' +
                                        each('struct s$ { struct s@ m; int y; };\n', N, 1)), DEEP),
    'typedef-pointers': ('kernel', kernel('t%d x = 0;' % (N - 1), 'typedef int *t0;\n' +
                                          each('typedef t@ *t$;\n', N, 1)), DEEP),
    'typedef-arrays': ('kernel', kernel('t99 x;', 'typedef int t0[2];\n' + each('typedef t@ t$[2];\n', 100, 1)),
                       'array is too large'),
    'attributes': ('kernel', '__attribute__((unused)) ' * N + 'void f(void) {}\n', None),
    'parameters': ('kernel', 'void f(' + ','.join('int a%d' % i for i in range(N)) + ') {}\n', 'more than 1024 parameters'),
    'enumerators': ('kernel', kernel('p[0] = e5;', 'enum { ' + each('e$,', N) + '};\n'), None),
    'fields': ('kernel', kernel('struct s x; x.f5 = a; p[0] = x.f5;', 'struct s {' + each('int f$;', N) + '};\n'), None),
    # the preprocessor
    '#if': ('kernel', '#if 1\n' * N + '#endif\n' * N + kernel(''), None),
    '#if-parentheses': ('kernel', '#if ' + nest('(', '1', ')') + '\n#endif\n', DEEP),
    '#if-unary': ('kernel', '#if ' + '!' * N + '1\n#endif\n', DEEP),
    '#if-conditional': ('kernel', '#if ' + '1?1:' * N + '1\n#endif\n', DEEP),
    '#if-chain': ('kernel', '#if 1' + '+1' * N + '\n#endif\n' + kernel(''), None),
    'macros': ('kernel', kernel('p[0] = m%d;' % (N - 1), '#define m0 1\n' + each('#define m$ m@\n', N, 1)), None),
    'macros-with-arguments': ('kernel', kernel('p[0] = m%d(1);' % (N - 1), '#define m0(x) x\n' +
                                               each('#define m$(x) m@(x)\n', N, 1)), None),
    'macro-arguments': ('kernel', kernel('p[0] = ' + nest('F(', '1', ')') + ';', '#define F(x) x\n'), 'expand to more than'),
    'macro-bomb': ('kernel', kernel('p[0] = a39;', '#define a0 1+1\n' + each('#define a$ a@+a@\n', 40, 1)),
                   'expand to more than'),
    'string-bomb': ('kernel', kernel('p[0] = sizeof(T(a39));', '#define a0 x x\n#define S(x) #x\n#define T(x) S(x)\n' +
                                     each('#define a$ a@ a@\n', 40, 1)), 'expand to more than'),
    'pasting': ('kernel', kernel('p[0] = ' + nest('D(', '1', ',1)', 300) + ';',
                                 '#define C(a,b) a##b\n#define D(a,b) C(a,b)\n'), DEEP),
    '#line': ('kernel', '#line 99999999999999999999\n' + kernel(''), 'too large'),
    '#line-name': ('kernel', '#line 1 "' + 'x' * N * 50 + '"\n' + kernel('foo;'), 'undeclared'),
    '#if-smallest-divided': ('kernel', '#if (-9223372036854775807 - 1) / -1 && 1 << 99999 && 1 >> -99\n#endif\n' + kernel(''),
                             None),
    'macro-parameters': ('kernel', '#define f(' + ','.join('x%d' % i for i in range(N * 4)) + ') 1\n', 'too many macro parameters'),
    'pasting-longer': ('kernel', '#define f(x) ' + 'x##' * N + 'x\n' + kernel('int f(abc);'), 'make more than'),
    'empty-arguments': ('kernel', '#define f(x) x\n' + kernel('f(' + ',' * N + ')'), 'too many arguments'),
    'stringizing': ('kernel', kernel('p[0] = sizeof(f(' + 'a+b ' * N + '));', '#define f(x) #x\n'), None),
    '#pragma-pack': ('kernel', '#pragma pack(push, 4)\n' * N + kernel(''), DEEP),
    '#pragma-pack-names': ('kernel', '#pragma pack(push, a, 4)\n' * 250 + '#pragma pack(pop, b)\n' * N + kernel(''), None),
    '#include': ('kernel', '#include __FILE__\n', DEEP),
    # length
    'identifier': ('kernel', kernel('int ' + 'x' * N * 10 + ';'), None),
    'string': ('kernel', kernel('constant char *s = "' + 'x' * N * 100 + '"; p[0] = s[1];'), 'is too long'),
    'strings': ('kernel', kernel('constant char *s = ' + '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" ' * N +
                                 '; p[0] = s[1];'), 'is too long'),
    'integer': ('kernel', kernel('p[0] = ' + '1' * N + ';'), 'too large'),
    'floating': ('kernel', kernel('float f = 0.' + '1' * N + 'e-' + '9' * 1000 + 'f;'), None),
    'errors': ('kernel', kernel(each('foo$; ', N)), 'too many errors'),
    'warnings': ('kernel', kernel('a == a; ' * N), None),
    # sizes
    'private-array': ('vulkan', kernel('int x[1000000000]; x[a] = 1; p[0] = x[a + 1];'), 'too much private memory'),
    'local-array': ('vulkan', kernel('local int x[1000000000]; x[a] = 1; p[0] = x[a + 1];'), 'too much local memory'),
    'constant-array': ('kernel', kernel('p[0] = x[a];', 'constant int x[1000000000] = {1};\n'), 'too large'),
    'global-array': ('vulkan', kernel('p[0] = x[a];', 'global int x[1000000000];\n'), 'too large'),
    'huge-array': ('kernel', kernel('int x[0x7fffffffffffffff]; p[0] = x[a];'), 'array is too large'),
    'negative-array': ('kernel', kernel('int x[-1]; p[0] = x[0];'), 'negative size'),
    'array-of-half-the-addresses': ('kernel', kernel('char x[0x8000000000000000]; p[0] = x[0];'), 'array is too large'),
    'array-of-arrays': ('kernel', kernel('int x' + '[0x10000]' * 4 + '; p[0] = x[0][0][0][0];'), 'array is too large'),
    'sizeof-array': ('kernel', kernel('p[0] = sizeof(int[0x3fffffffffffffff]);'), 'array is too large'),
    'huge-struct': ('kernel', kernel('struct s x; p[0] = x.b[0];', 'struct s { char a[0x7fffffffffffff00];'
                                     ' char b[0x7fffffffffffff00]; };\n'), 'array is too large'),
    'huge-argument': ('vulkan', 'struct s { int x[0x7ffffff]; };\nkernel void k(struct s s, global int *p) { *p = s.x[3]; }\n',
                      'is larger than'),
    'huge-value': ('vulkan', kernel('*(global struct s *)p = f(*(global struct s *)p);', 'struct s { int x[0x7ffffff]; };\n'
                                    'struct s f(struct s x) { x.x[3] = 1; return x; }\n'), 'private memory'),
    'vector-of-17': ('kernel', 'typedef int v __attribute__((ext_vector_type(17)));\n', 'invalid vector element type or size'),
    'vector-of-minus-1': ('kernel', 'typedef int v __attribute__((ext_vector_type(0xffffffffffffffff)));\n', 'represented'),
    'alignment': ('kernel', kernel('local int x __attribute__((aligned(1 << 30))); p[0] = x;'), 'or smaller'),
    'group-size': ('kernel', '__attribute__((reqd_work_group_size(0xffffffffff, 1, 1)))\n' + kernel(''), 'represented'),
    'constant-of-itself': ('kernel', 'constant int c = c + 1;\n' + kernel('p[0] = c;'), 'not a compile-time constant'),
    'recursion': ('vulkan', 'int g(int);\nint f(int x) { return x ? g(x - 1) : 1; }\nint g(int x) { return f(x); }\n' +
                  kernel('p[0] = f(a);'), 'recursion is not supported'),
    'smallest-divided': ('vulkan', kernel('p[0] = (-2147483647 - 1) / -1; p[1] = (-2147483647 - 1) % -1; p[2] = 1 / 0;'
                                          ' p[3] = (-9223372036854775807l - 1) / -1l; p[4] = 1 << 33; p[5] = 1 >> -1;'), None),
    'indices': ('vulkan', kernel('int x[4]; x[5] = 1; x[-1] = 2; x[0x7fffffffffffffff] = 3; p[0x7fffffffffffffff] = x[4];'
                                 ' *(p + 0xffffffffffffffff) = 3;'), None),
    'unroll': ('vulkan', kernel('\n#pragma unroll\nfor (ulong i = 0; i < 0xffffffffffffffff; i++) p[i] = 1;'
                                '\n#pragma unroll 99999999999999999999\nfor (int i = 0; i < a; i++) p[i] = 1;'), None),
    'long-case-range': ('vulkan', kernel('switch ((long)a) { case -9223372036854775807 - 1 ... 9223372036854775807: p[0] = 1; }'),
                        None),
    'printf-numbers': ('vulkan', kernel('printf("%' + '9' * 1000 + 'd%.' + '9' * 1000 + 'f%v99999d", a, 1.0f, a);'), None),
    'printf-arguments': ('vulkan', kernel('printf("%d"' + ', a' * N + ');'), 'too many arguments'),
    'designator': ('kernel', kernel('int x[] = {[1000000000] = 1}; p[0] = x[a];'), 'too large'),
    'initialised-arrays': ('kernel', kernel('p[0] = ' + '+'.join('x%d[a]' % i for i in range(20)) + ';',
                                            each('constant char x$[16000000] = {1};\n', 20)), 'together are too large'),
    'vectors-of-vectors': ('kernel', kernel('p[0] = c39.s0;', 'constant int4 c0 = 1;\n' +
                                            each('constant int4 c$ = c@ + c@.wzyx * c@;\n', 40, 1)), 'steps to compute'),
    'computed-range': ('vulkan', kernel('int x[] = {[0 ... 1000000] = a}; p[0] = x[a];'), 'elements that are not constant'),
    'computed-ranges': ('vulkan', kernel(each('int x$[] = {[0 ... 9999] = a}; p[$] = x$[a];\n', 100)),
                        'elements that are not constant'),
    'initialiser': ('kernel', kernel('p[0] = x[a];', 'constant int x[] = {' + '1,' * N * 10 + '};\n'), None),
    'case-range': ('vulkan', kernel('switch (a) { case -2147483647 ... 2147483647: p[0] = 1; }'), None),
    # many of a kind, through lowering
    'sum': ('vulkan', kernel('p[0] = 1' + '+1' * N * 5 + ';'), None),
    'chain': ('vulkan', kernel('p[0] = a' + '+a*p[1]' * N + ';'), None),
    'and': ('vulkan', kernel('p[0] = a' + '&&p[1]' * 2000 + ';'), None),
    'comma': ('vulkan', kernel('p[0] = (a' + ',a++' * N + ');'), None),
    'conditionals': ('kernel', kernel('p[0] = ' + 'a ? 1 : ' * N + '2;'), DEEP),
    'conditionals-inside': ('kernel', kernel('p[0] = ' + nest('a ? ', '1', ' : 2') + ';'), NESTED),
    'elvis': ('kernel', kernel('p[0] = ' + 'a ?: ' * N + '1;'), DEEP),
    'conditionals-that-fit': ('vulkan', kernel('p[0] = ' + each('a == $ ? p[$] : ', 2400) + '2;'), None),
    'elvis-that-fits': ('vulkan', kernel('p[0] = ' + 'a ?: ' * 1200 + '1;'), None),
    'else-if': ('vulkan', kernel(each('if (a == $) p[0] = $; else ', N) + ';'), None),
    'else-if-hundreds': ('vulkan', kernel(each('if (a == $) p[0] = $; else ', 900) + ';'), None),
    'members': ('kernel', kernel('struct s v; p[0] = v' + '.n[0]' * N + '.x;', 'struct s { int x; struct s *n; };\n'), DEEP),
    'members-that-fit': ('vulkan', kernel('global struct s *v = (global struct s *)p; p[0] = v' + '->n' * 800 + '->x;',
                                          'struct s { int x; global struct s *n; };\n'), None),
    'swizzles': ('kernel', kernel('int4 v; v' + '.xyzw' * N + ';'), None),
    'statements': ('vulkan', kernel('p[0] = a;\n' * N), None),
    'variables': ('vulkan', kernel(each('int v$ = a + $;\n', N) + 'p[0] = v77;'), None),
    'private-arrays': ('vulkan', kernel(each('int v$[4]; v$[a] = $;\n', 1000) + 'p[0] = v77[a];'), None),
    'cases': ('vulkan', kernel('switch (a) {' + each('case $: p[$] = $; break;\n', N) + '}'), None),
    'falling-cases': ('vulkan', kernel('switch (a) {' + each('case $: p[0]++;\n', 20000) + '}'), None),
    'cases-in-a-row': ('kernel', kernel('switch (a) {' + each('case $: ', N) + ' p[0] = 1; }'), DEEP),
    'cases-in-a-row-that-fit': ('vulkan', kernel('switch (a) {' + each('case $: ', 2400) + ' p[0] = 1; }'), None),
    'loops-in-a-row': ('vulkan', kernel('for (int i = 0; i < a; i++) p[i] = i;\n' * 1000), None),
    'ifs-in-a-row': ('vulkan', kernel('if (a == p[0]) p[1] = a; else p[2]++;\n' * 3000), None),
    'gotos': ('vulkan', kernel(each('l$: if (p[$]) goto l$; p[0] = $;\n', 1000)), None),
    'gotos-out': ('vulkan', kernel('if (p[0]) goto out;\n' * N + 'p[1] = 1; out: p[0] = 1;'), None),
    'gotos-across': ('vulkan', kernel(''.join('l%d: if (p[%d]) goto l%d;\n' % (i, i, i * 7919 % 300) for i in range(300)) +
                                      'p[0] = 1;'), None),
    # as many paths as there are labels, for as many variables
    'gotos-with-variables': ('vulkan', kernel(each('int v$ = p[$];', 32) + ''.join(
        'l%d: v%d += v%d * a; if (v%d > a) goto l%d;\n' % (i, i * 7 % 32, i * 11 % 32, i * 13 % 32, i * 7919 % (i + 1))
        for i in range(250)) + each('p[$] = v$;', 32)), None),
    'functions': ('vulkan', kernel('p[0] = f%d(a);' % (N - 1), 'int f0(int x) { return x; }\n' +
                                   each('int f$(int x) { return f@(x) + 1; }\n', N, 1)), None),
    'functions-doubling': ('vulkan', kernel('p[0] = f29(a);', 'int f0(int x) { return x * 3; }\n' +
                                            each('int f$(int x) { return f@(x) + f@(x + 1); }\n', 30, 1)), None),
    'many-blocks': ('vulkan', kernel(each('int (^b$)(int) = ^(int x) { return x + $; }; p[$] = b$(a);\n', 6000)), None),
    'loops-that-run-once': ('vulkan', kernel('do { if (p[0]) break; p[1] = a; } while (0);\n' * N), None),
    'members-of-anonymous': ('vulkan', kernel('struct s x;' + each('x.f$ = a;', 5000) + 'p[0] = x.f77;',
                                              'struct s {' + each('struct { int f$; };', 5000) + '};\n'), None),
    'addresses': ('vulkan', kernel('p[0] = c[a][0];', 'constant char *constant c[] = {' + each('"s$",', N) + '};\n'), None),
    'kernels': ('kernel', each('kernel void k$(global int *p) { p[0] = $; }\n', 3000), None),
}


def run(pumice, folder, name):
    stage, source, message = CASES[name]
    path = os.path.join(folder, 'case.cl')
    with open(path, 'w') as file:
        file.write(source)
    try:
        done = subprocess.run([pumice, 'compile', '--stage=' + stage, '-cl-std=CL3.0', '-o', path + '.spv', path],
                              capture_output=True, timeout=150)
    except subprocess.TimeoutExpired:
        return 'takes too long'
    log = done.stderr.decode(errors='replace')
    if done.returncode not in (0, 1):
        return 'ends with %d: %s' % (done.returncode, log[-300:])
    if message is None:
        return None if done.returncode == 0 else 'is refused: ' + log[-300:]
    if done.returncode == 0:
        return 'is accepted, wanted: ' + message
    return None if message in log else 'says %s, wanted: %s' % (log[-300:], message)


def main():
    pumice, names = sys.argv[1], sys.argv[2:] or list(CASES)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            wrong = run(pumice, folder, name)
            if wrong:
                print(name, wrong)
                bad += 1
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
