#!/usr/bin/env python3
"""check.py CONFORMANCE: tries conformance.py on a suite of a few rows that plays Khronos', on the first OpenCL device.

One row passes, one passes in reduced form, one crashes before it writes results, one says that it passed and ran no
test, one is killed, one was never built; another suite's row takes long, and the run is killed in it."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PASSES = '''#!/bin/sh
printf '{"cmd": "x", "args": "", "results": {"one": "pass", "two": "skip"}}' > "$CL_CONFORMANCE_RESULTS_FILENAME"
echo 'PASSED test.'
'''
NO_TEST = PASSES.replace('{"one": "pass", "two": "skip"}', '{}')
LONG = '#!/bin/sh\necho $$ > ../../began\nexec sleep 300\n'
FORM = '# a comment:\nCompany:\nOpenCL Version: Major.Minor\nCompute Device Name:\nList of skipped tests in accordance with conformance process:\n'


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)
    os.chmod(path, mode)


def make_suite(folder):
    suite = os.path.join(folder, 'build', 'test_conformance')
    write(os.path.join(folder, 'build', 'CMakeCache.txt'), f'CMAKE_HOME_DIRECTORY:INTERNAL={folder}\n')
    write(os.path.join(suite, 'opencl_conformance_tests_full.csv'),
          '# rows\nGood,good/test\nShort,short/test\nCrash,crash/test\nEmpty,empty/test\nKilled,killed/test\nAbsent,absent/test\n'
          'CL_DEVICE_TYPE_CUSTOM, Odd,odd/test\n')
    write(os.path.join(suite, 'good', 'test'), PASSES, 0o755)
    write(os.path.join(suite, 'short', 'test'), PASSES + 'echo "*** WARNING: Testing in Wimpy mode!"\n', 0o755)
    write(os.path.join(suite, 'crash', 'test'), '#!/bin/sh\nkill -SEGV $$\n', 0o755)
    write(os.path.join(suite, 'empty', 'test'), NO_TEST, 0o755)
    write(os.path.join(suite, 'killed', 'test'), '#!/bin/sh\nkill -TERM $$\n', 0o755)
    return suite


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def lives(process):
    """Is this process there, and no zombie that waits to be noticed?"""
    try:
        with open(f'/proc/{process}/stat') as file:
            return file.read().rpartition(')')[2].split()[0] not in 'ZX'
    except OSError:
        return False


def try_ends(folder):
    """A run that is ended in its second row, by each way: the row's program ends too, a second run beside it is refused,
    and the next one goes on with that row."""
    suite, ledger = os.path.join(folder, 'build', 'test_conformance'), os.path.join(folder, 'ledger')
    began = os.path.join(folder, 'build', 'began')
    write(os.path.join(folder, 'build', 'CMakeCache.txt'), f'CMAKE_HOME_DIRECTORY:INTERNAL={folder}\n')
    write(os.path.join(suite, 'opencl_conformance_tests_full.csv'), 'Good,good/test\nLong,long/test\n')
    write(os.path.join(suite, 'good', 'test'), PASSES, 0o755)
    write(os.path.join(suite, 'long', 'test'), LONG, 0o755)
    command = [sys.executable, sys.argv[1], 'run', suite, ledger]
    for number, code in ((signal.SIGKILL, -9), (signal.SIGTERM, 143)):
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: os.path.exists(began) and os.path.getsize(began))
        with open(began) as file:
            program = int(file.read())
        assert lives(program)
        second = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert second.returncode == 1 and 'another run' in second.stderr, second
        run.send_signal(number)
        said, errors = run.communicate(timeout=60)
        assert run.returncode == code and not errors, (run.returncode, errors)
        assert ('Good: passed' in said) == (number == signal.SIGKILL), said  # the second time it is in the ledger
        wait_for(lambda: not lives(program))
        os.remove(began)
    write(os.path.join(suite, 'long', 'test'), PASSES, 0o755)
    last = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    assert 'Long: passed' in last and 'Good' not in last, last


def main():
    with tempfile.TemporaryDirectory() as folder:
        try_all(folder)
    if sys.platform == 'linux':
        with tempfile.TemporaryDirectory() as folder:
            try_ends(folder)


def try_all(folder):
    suite, ledger, out = make_suite(folder), os.path.join(folder, 'ledger'), os.path.join(folder, 'out')
    template, skips = os.path.join(folder, 'form.txt'), os.path.join(folder, 'skips')
    write(template, FORM)
    write(skips, 'Absent: the device lacks it\n')

    def call(*args, **more):
        return subprocess.run([sys.executable, sys.argv[1], *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              **more)

    def package():
        done = call('package', suite, ledger, '--template', template, '--out', out, '--skips', skips)
        return done.returncode, sorted(done.stdout.splitlines())

    if 'there is no' in call('run', suite, ledger, '--rows', 'nothing has this name').stderr:
        sys.exit(77)
    first = call('run', suite, ledger, '--rows', 'Good').stdout
    assert 'Good: passed, 1 of 2, 1 skipped' in first, first
    rest = call('run', suite, ledger).stdout
    assert 'Good' not in rest and 'Short: passed' in rest and 'Crash: failed' in rest and 'Empty: ran no test' in rest and 'Absent: not built' in rest, rest
    assert 'Killed: stopped' in rest, rest
    # What was killed is run again.
    write(os.path.join(suite, 'killed', 'test'), PASSES, 0o755)
    later = call('run', suite, ledger).stdout
    assert 'Killed: passed' in later and 'Empty' not in later, later
    # A machine that goes down leaves half a line: that row is run again, too, and the others are not.
    path = os.path.join(ledger, 'ledger.jsonl')
    with open(path) as file:
        lines = file.read()
    write(path, lines[:-20])
    again = call('run', suite, ledger).stdout
    assert 'Killed: passed' in again and 'Crash' not in again, again
    # What a suite without its sources is, a file beside it says.
    described = json.loads(call('describe', suite).stdout)
    assert described['patches'] == [], described
    elsewhere = os.path.join(folder, 'elsewhere')
    write(os.path.join(folder, 'build', 'suite.json'), json.dumps(dict(described, commit='c0ffee', tag='v1')))
    call('run', suite, elsewhere, '--rows', 'Good')
    with open(os.path.join(elsewhere, 'ledger.jsonl')) as file:
        assert json.loads(file.read())['suite']['commit'] == 'c0ffee'
    os.remove(os.path.join(folder, 'build', 'suite.json'))
    status = call('status', suite, ledger).stdout
    for text in ('reduced', 'not asked of this type', 'not built'):
        assert text in status, status
    assert package() == (1, ['missing: Crash: failed', 'missing: Empty: ran no test', 'missing: Short: reduced']), package()
    with open(os.path.join(out, 'submission_details.txt')) as file:
        form = file.read()
    name = json.loads(lines.splitlines()[0])['device']['Compute Device Name']
    for text in ('# a comment:\n', 'Company:\n', f'Compute Device Name: {name}\n', 'OpenCL Version: 3.', 'Absent: the device lacks it'):
        assert text in form, form
    write(os.path.join(ledger, 'logs', json.loads(lines.splitlines()[0])['log']), 'changed\n')
    assert 'missing: Good: its log was changed after the run' in package()[1], package()
    wimpy = call('run', suite, ledger, env=dict(os.environ, CL_WIMPY_MODE='1'))
    assert wimpy.returncode == 1 and 'not the full form' in wimpy.stderr, wimpy.stderr


main()
