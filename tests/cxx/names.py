#!/usr/bin/env python3
"""The headers of OpenCL C++ get along with the macros of a program: each compiles where every name of one and two letters is a macro, in the
source and by -D, and no parameter, template parameter or local variable has a name that a program may use (C++14, 17.6.4.3.2).

usage: names.py PUMICE HEADERS CLANG"""
import pathlib
import re
import string
import subprocess
import sys
import tempfile

# Keywords, and the one short name that every use of the library has.
NO_MACROS = {'do', 'if', 'or', 'cl'}
OPTIONS = ['-cl-fp16-enable', '-cl-fp64-enable', '-Dcl_khr_subgroup_named_barrier', '-Dcl_khr_gl_msaa_sharing', '-Dcl_khr_gl_depth_images',
           '-Dcl_khr_mipmap_image', '-Dcl_khr_mipmap_image_writes']
LOCAL = re.compile(r"(ParmVarDecl|VarDecl|TemplateTypeParmDecl|NonTypeTemplateParmDecl|TemplateTemplateParmDecl) 0x[0-9a-f]+ (.*)")
NAMES = {
    'ParmVarDecl': re.compile(r"(?:col|line):[\d:]+ (?:used |referenced |invalid )*(?!(?:used|referenced) ')(\w+) '"),
    'TemplateTypeParmDecl': re.compile(r"(?:class|typename) depth \d+ index \d+(?: \.\.\.)? (\w+)$"),
    'NonTypeTemplateParmDecl': re.compile(r"' depth \d+ index \d+(?: \.\.\.)? (\w+)$"),
    'TemplateTemplateParmDecl': re.compile(r" depth \d+ index \d+(?: \.\.\.)? (\w+)$"),
}
NAMES['VarDecl'] = NAMES['ParmVarDecl']


def short_names():
    letters = string.ascii_letters
    names = list(letters) + [a + b for a in letters for b in letters + string.digits + '_']
    return [name for name in names if name not in NO_MACROS]


def compile_with(pumice, source, options, folder, what):
    path = folder / 'source.clcpp'
    path.write_text(source)
    done = subprocess.run([pumice, 'c++', str(path), '-o', str(folder / 'out.spv'), *options, *OPTIONS], capture_output=True, text=True)
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)
    if done.returncode:
        print(f'{what} does not compile:\n{done.stderr[:2000]}')
    return done.returncode == 0


def compiles(pumice, headers, folder):
    """Of macros that expand to what no place takes, each use is an error."""
    macros = short_names()
    defined = ''.join(f'#define {name} @\n' for name in macros)
    good = True
    for header in headers:
        good &= compile_with(pumice, f'{defined}#include <{header}>\n', [], folder, f'<{header}> after macros with short names')
    everything = ''.join(f'#include <{header}>\n' for header in headers)
    good &= compile_with(pumice, everything, [f'-D{name}=@' for name in macros], folder, 'what -D defines')
    kernel = 'kernel void k(cl::global_ptr<int[]> out) { out[0] = N + get_default(x); }\n'
    good &= compile_with(pumice, everything + kernel, ['-DN=4', '-D', 'x', '-Dget_default(y)=y'], folder, 'the documentation\'s -DN=4')
    after = 'static_assert(x == 3 && a == 4, "macros of the program are what they were");\n'
    return good & compile_with(pumice, everything + after, ['-Dx=3', '-Da=5', '-Ua', '-Da=4'], folder, 'what uses macros after the headers')


def local_names(clang, headers, include, folder):
    """The names that clang gives to parameters and local variables of the library; members stand in a class, by their depth in the tree."""
    path = folder / 'all.clcpp'
    path.write_text(''.join(f'#include <{header}>\n' for header in headers))
    done = subprocess.run(
        [clang, '-x', 'clcpp', '-target', 'spir64-unknown-unknown', '-cl-std=clc++2021', '-cl-no-stdinc', '-isystem', str(include), '-include', 'pumice_begin',
         '-Xclang', '-finclude-default-header', '-Xclang', '-cl-ext=+all', '-fsyntax-only', '-Xclang', '-ast-dump', '-Xclang',
         '-ast-dump-filter=cl::', '-fno-color-diagnostics', '-DSIMPLE_SWIZZLES', *[word for word in OPTIONS if word.startswith('-D')], str(path)],
        capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr[:2000])
    body = 0  # how deep the innermost function lies whose variables are met
    for line in done.stdout.splitlines():
        depth = len(line) - len(line.lstrip(' |`-'))
        if body and depth <= body:
            body = 0
        if not body and 'CompoundStmt 0x' in line:
            body = depth
        found = LOCAL.search(line)
        if found and (found[1] != 'VarDecl' or body):
            name = NAMES[found[1]].search(found[2].strip())
            if name:
                yield name[1]


def main():
    pumice, include, clang = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    headers = sorted(path.name for path in include.iterdir() if path.name.startswith('opencl_'))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        good = compiles(pumice, headers, folder)
        found = list(local_names(clang, headers, include, folder))
    unreserved = sorted({name for name in found if not name.startswith('__')})
    if unreserved:
        print('not reserved:', *unreserved)
    print(f'{len(headers)} headers, {len(found)} names of parameters and variables')
    sys.exit(0 if good and not unreserved and len(found) > 1000 else 1)


main()
