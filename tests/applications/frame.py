"""What the programs of this folder share: how a case is run on each driver, and how results are compared.

A case runs the same work several times: by the program's own code on the CPU, by OpenCL on the driver under test, and, as a
second opinion, by OpenCL on another driver (PoCL). Two results are compared as arrays of numbers; a bound is a pair of the
largest and the mean difference, in the unit of the result (1/255 of full scale for pictures of 8 bits). A program that
checks itself has one run only, and a pattern that its output must match."""
import os
import re
import shutil
import subprocess
import sys
import time

import numpy

TIME_LIMIT = 600
CPU, TESTED, SECOND = 'cpu', 'tested', 'second'


class Failure(Exception):
    pass


class Case:
    """One piece of work. run(where, out) does it and leaves the result in the file `out`, which load(out) reads."""

    def __init__(self, name, run, load, cpu=None, second=(0.0, 0.0)):
        self.name, self.run, self.load = name, run, load
        self.cpu = cpu          # bound of the difference to the CPU's result; None: there is no such result
        self.second = second    # bound of the difference to the second driver's result; None: do not ask it


class Check:
    """A program that checks itself: its output must match `wanted`, and must not match `unwanted`."""

    def __init__(self, name, command, wanted, unwanted=None, environment=None):
        self.name, self.command, self.wanted, self.unwanted = name, command, wanted, unwanted
        self.environment = environment or {}


class Drivers:
    """Where a run takes place, as environment variables of the ICD loader."""

    def __init__(self, tested, second):
        self.path = {TESTED: tested, SECOND: second}

    def environment(self, where):
        environment = dict(os.environ)
        # The loader takes an empty list of vendors as "the default", so a run on the CPU names a file that is not there.
        environment['OCL_ICD_VENDORS'] = self.path.get(where) or '/nonexistent/none.icd'
        return environment


drivers = None


def command(where, words, more=None, limit=TIME_LIMIT, good=(0,), folder=None):
    """Runs a command in the environment of `where`; gives its output, both streams together."""
    environment = drivers.environment(where)
    environment.update(more or {})
    try:
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit,
                              stdin=subprocess.DEVNULL, cwd=folder)
    except subprocess.TimeoutExpired:
        raise Failure('no end after %d s' % limit)
    text = done.stdout.decode(errors='replace')
    if done.returncode not in good:
        raise Failure('%s: exit status %d: %s' % (words[0], done.returncode, text.strip()[-300:]))
    return text


def debian_version(package):
    done = subprocess.run(['dpkg-query', '-W', '-f', '${Version}', package], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode() or 'not installed'


def missing(programs):
    return [program for program in programs if not shutil.which(program)]


# ---- results ----

def raw(dtype):
    return lambda path: numpy.fromfile(path, dtype=dtype).astype(numpy.float64)


def picture(path):
    """A picture of any format that Pillow or OpenCV reads, in units of 1/255."""
    import cv2
    data = cv2.imread(path, cv2.IMREAD_UNCHANGED)
    if data is None:
        raise Failure('%s is no picture' % path)
    scale = {'uint8': 1.0, 'uint16': 1 / 257.0}.get(str(data.dtype), 255.0)
    return data.astype(numpy.float64) * scale


def array(path):
    return numpy.load(path).astype(numpy.float64)


def difference(got, want):
    if got.shape != want.shape:
        raise Failure('a result of shape %s in place of %s' % (got.shape, want.shape))
    if (numpy.isnan(got) != numpy.isnan(want)).any():
        raise Failure('%d NaNs in place of %d' % (numpy.isnan(got).sum(), numpy.isnan(want).sum()))
    away = numpy.abs(numpy.nan_to_num(got) - numpy.nan_to_num(want))
    return float(away.max(initial=0.0)), float(away.mean()) if away.size else 0.0


# ---- running ----

class Row:
    def __init__(self, name):
        self.name, self.fault, self.differences, self.seconds = name, None, {}, {}


def run_case(case, folder):
    row = Row(case.name)
    wheres = [TESTED] + ([CPU] if case.cpu is not None else []) + ([SECOND] if case.second and drivers.path[SECOND] else [])
    results = {}
    for where in wheres:
        out = os.path.join(folder, '%s.%s' % (re.sub(r'[^A-Za-z0-9]+', '_', case.name), where))
        start = time.monotonic()
        try:
            path = case.run(where, out) or out
            row.seconds[where] = time.monotonic() - start
            results[where] = case.load(path)
        except (Failure, OSError) as error:
            if where == TESTED:
                row.fault = str(error)
                return row
            row.differences[where] = None   # the other side cannot do it: nothing to compare with
    for where, bound in ((CPU, case.cpu), (SECOND, case.second)):
        if where not in results:
            continue
        try:
            worst, mean = row.differences[where] = difference(results[TESTED], results[where])
            if worst > bound[0] or mean > bound[1]:
                row.fault = '%s away from the %s result (mean %s)' % (number(worst), where, number(mean))
        except Failure as error:
            row.fault = str(error)
    return row


def judge(check, text):
    """What is wrong with a check's output, or None."""
    if not re.search(check.wanted, text):
        return 'no "%s" in: %s' % (check.wanted, text.strip()[-200:])
    if check.unwanted and re.search(check.unwanted, text):
        return re.search(check.unwanted, text).group(0)
    return None


def run_check(check, folder):
    """The second driver's run says how long that takes; where it fails itself there is no such time."""
    row = Row(check.name)
    for where in [TESTED] + ([SECOND] if drivers.path[SECOND] else []):
        start = time.monotonic()
        try:
            fault = judge(check, command(where, check.command, check.environment, good=range(-255, 256), folder=folder))
        except Failure as error:
            fault = str(error)
        if where == TESTED:
            row.fault = fault
        elif fault:
            row.differences[where] = None
            continue
        row.seconds[where] = time.monotonic() - start
    return row


def number(value):
    return '%.3g' % value


def show(row):
    columns = ['%-34s' % row.name, 'ok   ' if not row.fault else 'FAULT']
    for where in (CPU, SECOND):
        if where in row.differences:
            pair = row.differences[where]
            columns.append('%s: %s' % (where, 'none' if pair is None else '%s mean %s' % tuple(map(number, pair))))
    columns.append(' '.join('%s %.2f s' % pair for pair in row.seconds.items()))
    print('  '.join(columns) + ('\n    ' + row.fault if row.fault else ''), flush=True)


def run_program(module, folder, wanted):
    """Runs a program's cases whose names hold `wanted`; gives (cases, faults), or None where it is not installed."""
    lacking = missing(module.NEEDS)
    if lacking:
        print('%s: skipped: no %s (Debian: %s)' % (module.NAME, ', '.join(lacking), ' '.join(module.PACKAGES)), flush=True)
        return None
    print('%s %s' % (module.NAME, debian_version(module.PACKAGES[0])), flush=True)
    os.makedirs(folder, exist_ok=True)
    rows = []
    for case in module.cases(folder):
        if wanted in case.name:
            rows.append((run_check if isinstance(case, Check) else run_case)(case, folder))
            show(rows[-1])
    faults = sum(1 for row in rows if row.fault)
    print('%s: %d of %d right\n' % (module.NAME, len(rows) - faults, len(rows)), flush=True)
    return len(rows), faults
