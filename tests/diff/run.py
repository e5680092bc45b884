#!/usr/bin/env python3
"""Generates programs, translates them by clang too, and has differ.c run and compare them.

usage: run.py DIFFER DIRECTORY FIRST COUNT [--no-clang] [--keep] [--oracle=PLATFORM]

DIRECTORY gets the programs that differ. With --keep it keeps all, with the oracle's answers and clang's modules, and the next run with
it takes those as they are: only Pumice's part, which is the quick one, is done again. Exit status: 0 all agree, 1 some differ, 77 no
PoCL. A program at which differ dies or hangs is reported, and the rest goes on; one for which the driver's compiler takes too long gets
more time at the end."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from generate import program

CLANG = ['clang-15', '-target', 'spir64', '-ffp-contract=off', '-Xclang', '-cl-ext=+cl_khr_fp64,+cl_khr_fp16']
SUFFIXES = ['', '.prepared', '.O0.spv', '.O2.spv', '.expected']
LLVMPIPE = {'GALLIVM_PERF': 'nopt', 'LP_NATIVE_VECTOR_WIDTH': '128'}  # its compiler takes a tenth of the time so
PARTNERS = {'clang -O0': '.O0.spv', 'clang -O2': '.O2.spv', 'oracle': '.expected'}
PATIENCE = 120  # seconds for a program at which the driver's compiler took more than ten
TRANSLATE = ['llvm-spirv-15', '--spirv-max-version=1.2']


def quiet(command, timeout=60):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=timeout).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def version(path):
    with open(path) as file:
        first = file.readline()
    return '-cl-std=CL2.0' if any(trait in first for trait in ('generic pointers', 'collectives', 'modern')) else '-cl-std=CL1.2'


def translate(path, levels=('O0', 'O2')):
    """Leaves PATH.O0.spv and .O2.spv; none where clang or llvm-spirv (15 knows no odd widths) refuse. Many at -O2 are
    no valid SPIR-V, which Pumice mends (compiler/spv/repair.c)."""
    for level in levels:
        bitcode = '%s.%s.bc' % (path, level)
        if quiet(CLANG + ['-c', '-emit-llvm', '-w', version(path), '-' + level, path, '-o', bitcode]):
            il = '%s.%s.spv' % (path, level)
            if not quiet(TRANSLATE + [bitcode, '-o', il]) and os.path.exists(il):
                os.remove(il)
            os.remove(bitcode)


def answers(command, paths):
    """Yields (path, [what command printed on it]); goes on behind a path at which it dies."""
    while paths:
        process = subprocess.run(command + paths, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if process.returncode == 77:
            sys.exit(77)
        found = {}
        for line in process.stdout.splitlines():
            path, _, what = line.partition(': ')
            found.setdefault(path, []).append(what)
        done = [p for p in paths if p in found]
        for path in done:
            yield path, found[path]
        if process.returncode in (0, 1):
            return
        if process.returncode == 4 and done:  # the last one, with what happened
            paths = paths[paths.index(done[-1]) + 1:]
            continue
        died = next((p for p in paths if p not in found), paths[-1])
        yield died, ['differ ended with %d' % process.returncode]
        paths = paths[paths.index(died) + 1:]


def expect(differ, paths, platform='Portable'):
    """Leaves PATH.expected where PoCL 3.1 takes the program: it has no half, and dies of some gotos."""
    def suits(path):
        with open(path) as file:
            first = file.readline()
        return 'half' not in first
    return list(answers([differ, '--expect', platform], [p for p in paths if suits(p)]))


def compare(differ, paths, seconds=10):
    """Yields (path, [what differs], [why ways were left out])."""
    for path, what in answers([differ, '-t', str(seconds)], paths):
        yield path, [w for w in what if not w.startswith(('same', 'skipped'))], [w for w in what if w.startswith('skipped') and 'driver' in w]


def prepare(differ, directory, seeds, clang, oracle, keep):
    """Writes the programs and what clang and the oracle make of them, unless an earlier run with --keep did."""
    paths, new = [], []
    for seed in seeds:
        path = os.path.join(directory, '%d.cl' % seed)
        text = program(seed)
        paths.append(path)
        if keep and os.path.exists(path + '.prepared'):
            with open(path) as file:
                if file.read() == text:
                    continue
        remove(path)
        with open(path, 'w') as file:
            file.write(text)
        if clang:
            translate(path)
        new.append(path)
    expect(differ, new, oracle)
    for path in new:
        with open(path + '.prepared', 'w'):
            pass
    return paths


def remove(path):
    for suffix in SUFFIXES:
        if os.path.exists(path + suffix):
            os.remove(path + suffix)


class Count:
    """What became of the programs: how many were compared with what, how many of them differ, and those that are not settled."""

    def __init__(self, directory, keep):
        self.directory, self.keep = directory, keep
        self.partners = dict.fromkeys(PARTNERS, 0)
        self.differing, self.settled, self.slow = 0, 0, []

    def add(self, differ, paths, seconds):
        for path, what, left_out in compare(differ, paths, seconds):
            if what or left_out:
                print('%s: %s' % (os.path.basename(path), '; '.join(what + left_out)), flush=True)
            if what:
                self.differing += 1
            if left_out:
                self.slow.append(path)
            else:
                self.settled += 1
                for partner, suffix in PARTNERS.items():
                    self.partners[partner] += os.path.exists(path + suffix)
            for suffix in SUFFIXES:
                if what and not self.keep and os.path.exists(path + suffix):
                    shutil.copy(path + suffix, self.directory)
            if not self.keep and not left_out:
                remove(path)

    def again(self, differ):
        """Those for which the time did not do, with more of it."""
        paths, self.slow = self.slow, []
        self.add(differ, paths, PATIENCE)

    def __str__(self):
        return '%d of %d programs differ, and in %d the driver failed; compared with %s' % (
            self.differing, self.settled, len(self.slow), ', '.join('%s: %d' % pair for pair in self.partners.items()))


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith('--')]
    differ, directory, first, count = arguments[0], arguments[1], int(arguments[2]), int(arguments[3])
    clang = '--no-clang' not in sys.argv and shutil.which('clang-15') and shutil.which('llvm-spirv-15')
    keep = '--keep' in sys.argv
    oracle = next((a.split('=')[1] for a in sys.argv if a.startswith('--oracle=')), 'Portable')
    os.makedirs(directory, exist_ok=True)
    for name, value in LLVMPIPE.items():
        os.environ.setdefault(name, value)
    counted = Count(directory, keep)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ['POCL_CACHE_DIR'] = os.path.join(scratch, 'pocl')
        os.mkdir(os.environ['POCL_CACHE_DIR'])
        for start in range(first, first + count, 10):
            seeds = range(start, min(start + 10, first + count))
            counted.add(differ, prepare(differ, directory if keep else scratch, seeds, clang, oracle, keep), 10)
        counted.again(differ)
    print(counted)
    return counted.differing > 0


if __name__ == '__main__':
    sys.exit(main())
