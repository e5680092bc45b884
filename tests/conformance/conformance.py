#!/usr/bin/env python3
"""Runs the list of Khronos' conformance suite row by row, in full form, and keeps a ledger of what was run.

    conformance.py run SUITE LEDGER [--limit SECONDS] [--again] [--rows TEXT...]
        runs the rows that the ledger does not have yet; with --rows those whose names hold one of the texts. SUITE is the built
        suite's folder test_conformance. A row counts as done once its program has ended by itself, whatever came out; one that a signal
        from outside has ended (SIGTERM, SIGKILL and the like) is no result.
    conformance.py status SUITE LEDGER... [--markdown]
        says what every row of the list came to.
    conformance.py package SUITE LEDGER... --template FILE --out FOLDER [--skips FILE] [--draft]
        writes submission_details.txt, the logs, the skip list and what is missing. It fails where anything is missing;
        with --draft it writes all the same.
    conformance.py describe SUITE
        prints what its sources are: commit, tag and patches. Where a built suite goes to a machine without them, this goes
        along as suite.json, beside the folder test_conformance.

A ledger is a folder: ledger.jsonl, one line for each run, and logs/. Lines are only ever appended, each when its row has
ended, so whatever interrupts a run costs the row that was under way and no other. The suite's program ends with this one,
however that ends (on Linux), and a second run on the same ledger is refused. Several machines keep a ledger each;
status and package take any number of them. Only runs of one suite and one driver on one device belong together: a line
holds these three, and what differs from the newest line is not counted.

The skip file has a line for each row that is left out: its name, a colon, the reason. The device is the first of the
platform that OCL_ICD_VENDORS or CL_PLATFORM_INDEX and CL_DEVICE_INDEX choose, as for the suite's own programs."""
import argparse
import ctypes
import ctypes.util
import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time

LIST = 'opencl_conformance_tests_full.csv'
REDUCED = re.compile(rb'wimpy mode', re.I)
# What ends a program from outside: a person, a machine that goes down, one that is out of memory.
OUTSIDE = {-signal.SIGHUP, -signal.SIGINT, -signal.SIGKILL, -signal.SIGTERM}


def read_list(suite):
    """The rows of the list as (name, device type or None, command)."""
    rows = []
    with open(os.path.join(suite, LIST)) as file:
        for line in file:
            line = line.strip()
            if not line or line.startswith('#'):
                continue
            fields = [field.strip() for field in line.split(',')]
            rows.append((fields[-2], fields[0] if len(fields) == 3 else None, fields[-1]))
    return rows


# ---- the device ----

PLATFORM_PROFILE, PLATFORM_VERSION, PLATFORM_NAME = 0x0900, 0x0901, 0x0902
DEVICE_TYPE, DEVICE_NAME, DRIVER_VERSION, DEVICE_VERSION, DEVICE_C_VERSION = 0x1000, 0x102B, 0x102D, 0x102F, 0x103D
TYPES = {1 << 1: 'CL_DEVICE_TYPE_CPU', 1 << 2: 'CL_DEVICE_TYPE_GPU', 1 << 3: 'CL_DEVICE_TYPE_ACCELERATOR',
         1 << 4: 'CL_DEVICE_TYPE_CUSTOM'}


def load_opencl():
    """The loader that the suite's programs take, LD_LIBRARY_PATH's first; find_library() would not look there."""
    for name in ('libOpenCL.so.1', ctypes.util.find_library('OpenCL')):
        try:
            return ctypes.CDLL(name) if name else sys.exit('conformance.py: there is no OpenCL loader')
        except OSError:
            continue
    sys.exit('conformance.py: the OpenCL loader cannot be opened')


def objects(call, *before):
    """The handles that a call like clGetPlatformIDs lists."""
    count = ctypes.c_uint(0)
    if call(*before, 0, None, ctypes.byref(count)) != 0:
        return []
    handles = (ctypes.c_void_p * count.value)()
    call(*before, count.value, handles, None)
    return list(handles)


def ask(call, handle, name):
    size = ctypes.c_size_t(0)
    call(ctypes.c_void_p(handle), name, ctypes.c_size_t(0), None, ctypes.byref(size))
    data = ctypes.create_string_buffer(size.value + 1)
    if call(ctypes.c_void_p(handle), name, size, data, None) != 0:
        sys.exit(f'conformance.py: the device does not answer query {name:#x}')
    return data.raw[:size.value]


def describe_device():
    """What the form asks of platform and device; keys are the form's own words."""
    cl = load_opencl()
    platforms = objects(cl.clGetPlatformIDs)
    chosen = int(os.environ.get('CL_PLATFORM_INDEX', 0))
    if chosen >= len(platforms):
        sys.exit('conformance.py: there is no such platform')
    # CL_DEVICE_TYPE_DEFAULT is what the suite's programs ask for where nothing else is said.
    wanted = next((bit for bit, name in TYPES.items() if name == os.environ.get('CL_DEVICE_TYPE')), 1)
    devices = objects(cl.clGetDeviceIDs, ctypes.c_void_p(platforms[chosen]), ctypes.c_ulong(wanted))
    index = int(os.environ.get('CL_DEVICE_INDEX', 0))
    if index >= len(devices):
        sys.exit('conformance.py: there is no such device')

    def text(data):
        return data.rstrip(b'\0').decode()

    def of_device(name):
        return ask(cl.clGetDeviceInfo, devices[index], name)

    kind = int.from_bytes(of_device(DEVICE_TYPE), 'little')
    return {
        'Compute Device Type': next((name for bit, name in TYPES.items() if kind & bit), hex(kind)),
        'Compute Device Name': text(of_device(DEVICE_NAME)),
        'Compute Device Version': text(of_device(DEVICE_VERSION)),
        'Compute Device Driver Version': text(of_device(DRIVER_VERSION)),
        'Compute Device OpenCL C Version': text(of_device(DEVICE_C_VERSION)),
        'Platform Profile': text(ask(cl.clGetPlatformInfo, platforms[chosen], PLATFORM_PROFILE)),
        'Platform Version': text(ask(cl.clGetPlatformInfo, platforms[chosen], PLATFORM_VERSION)),
    }


# ---- the suite ----

def git(folder, *args):
    done = subprocess.run(['git', '-C', folder, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else ''


def source_folder(suite):
    """The suite's sources, as the build tree's cache names them."""
    with open(os.path.join(suite, '..', 'CMakeCache.txt')) as cache:
        return re.search(r'^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$', cache.read(), re.M).group(1)


def describe_suite(suite):
    """The commit, and the commits behind the newest tag, which a submission names as patches."""
    described = os.path.join(suite, '..', 'suite.json')
    if os.path.exists(described):
        with open(described) as file:
            return json.load(file)
    source = source_folder(suite)
    tag = git(source, 'describe', '--tags', '--abbrev=0')
    changed = [line for line in git(source, 'status', '--porcelain', '--untracked-files=no').splitlines() if line]
    behind = git(source, 'log', '--reverse', '--format=%h', '--abbrev=7', f'{tag}..HEAD').split() if tag else []
    return {'commit': git(source, 'rev-parse', 'HEAD'), 'tag': tag, 'patches': behind, 'changed': changed}


# ---- the ledger ----

def read_ledgers(folders):
    lines = []
    for folder in folders:
        path = os.path.join(folder, 'ledger.jsonl')
        if not os.path.exists(path):
            continue
        with open(path) as file:
            for line in file:
                try:
                    lines.append(dict(json.loads(line), folder=folder))
                except ValueError:  # the machine went down while this line was written
                    print(f'{path}: a line that was cut off is not counted', file=sys.stderr)
    return sorted(lines, key=lambda line: line['began'])


def identity(line):
    device = line['device']
    return (line['suite']['commit'], device['Platform Version'], device['Compute Device Name'],
            device['Compute Device Driver Version'])


def latest(lines):
    """The newest whole run of each row, of the newest suite, driver and device."""
    done = {}
    for line in lines:
        if identity(line) == identity(lines[-1]) and line['ended']:
            done[line['command']] = line
    return done


def judge(results_path, code):
    """What a row came to, and its tests' results as the suite writes them: pass, fail or skip for each name. A program
    that crashes writes none, and has failed. One that ends well and ran no test has neither passed nor failed."""
    try:
        with open(results_path) as file:
            tests = json.load(file)['results']
    except (OSError, ValueError, KeyError):
        return 'failed', {}
    if code == 0 and not tests:
        return 'ran no test', {}
    if code != 0 or any(result not in ('pass', 'skip') for result in tests.values()):
        return 'failed', tests
    return ('passed' if 'pass' in tests.values() else 'skipped'), tests


def count_tests(line):
    results = list(line['tests'].values())
    skipped = results.count('skip')
    return f'{results.count("pass")} of {len(results)}' + (f', {skipped} skipped' if skipped else '')


def end_with_parent():
    """For a child before its program begins: it is killed when this process ends, so that what was resumed never runs
    beside what was left behind."""
    PR_SET_PDEATHSIG = 1  # prctl(2)
    prctl = getattr(ctypes.CDLL(None), 'prctl', None)
    if prctl:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def run_row(suite, ledger, name, command, limit):
    program, *args = command.split()
    path = os.path.join(suite, program)
    log_name = re.sub(r'[^A-Za-z0-9]+', '_', f'{name} {time.strftime("%Y%m%d_%H%M%S")}') + '.log'
    log_path = os.path.join(ledger, 'logs', log_name)
    os.makedirs(os.path.dirname(log_path), exist_ok=True)
    results_path = os.path.abspath(log_path)[:-len('.log')] + '.json'
    environment = dict(os.environ, CL_CONFORMANCE_RESULTS_FILENAME=results_path)
    began, ended = time.time(), True
    with open(log_path, 'wb') as log:
        child = subprocess.Popen([path, *args], cwd=os.path.dirname(path), env=environment, stdin=subprocess.DEVNULL,
                                 stdout=log, stderr=log, preexec_fn=end_with_parent)
        try:
            child.wait(limit)
        except subprocess.TimeoutExpired:
            ended = False
        finally:
            child.kill()  # nothing where it has ended
            child.wait()
    ended = ended and child.returncode not in OUTSIDE
    with open(log_path, 'rb') as log:
        data = log.read()
    result, tests = judge(results_path, child.returncode)
    return {'row': name, 'command': command, 'result': result if ended else 'stopped', 'tests': tests,
            'code': child.returncode, 'ended': ended, 'full': not REDUCED.search(data), 'began': round(began, 1),
            'seconds': round(time.time() - began, 1), 'host': platform.node(),
            'cpu': platform.machine(), 'os': f'{platform.system()} {platform.release()}', 'log': log_name,
            'sha256': hashlib.sha256(data).hexdigest()}


def command_describe(options):
    print(json.dumps(describe_suite(options.suite)))


def command_run(options):
    if 'CL_WIMPY_MODE' in os.environ:
        sys.exit('conformance.py: CL_WIMPY_MODE is set: that is not the full form')
    device, suite = describe_device(), describe_suite(options.suite)
    print(f'{device["Platform Version"]}: {device["Compute Device Name"]}', flush=True)
    os.makedirs(options.ledger, exist_ok=True)
    with open(os.path.join(options.ledger, 'ledger.jsonl'), 'a+') as ledger:
        try:
            fcntl.flock(ledger, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit('conformance.py: another run uses this ledger')
        ledger.seek(0)
        if not ('\n' + ledger.read()).endswith('\n'):
            ledger.write('\n')  # a line that was cut off stays by itself
            ledger.flush()
        start = {'suite': suite, 'device': device}
        mine = [line for line in read_ledgers([options.ledger]) if identity(line) == identity(start)]
        done = {} if options.again else latest(mine)
        for name, kind, command in read_list(options.suite):
            if command in done or options.texts and not any(text.lower() in name.lower() for text in options.texts):
                continue
            if kind and kind != device['Compute Device Type']:
                continue
            if not os.path.exists(os.path.join(options.suite, command.split()[0])):
                print(f'{name}: not built')
                continue
            line = dict(run_row(options.suite, options.ledger, name, command, options.limit), **start)
            ledger.write(json.dumps(line) + '\n')
            ledger.flush()
            os.fsync(ledger.fileno())
            print(f'{name}: {line["result"]}, {count_tests(line)}, {line["seconds"]} s', flush=True)


# ---- what there is ----

def read_all(ledgers):
    lines = read_ledgers(ledgers)
    if not lines:
        sys.exit('conformance.py: the ledgers are empty')
    return lines


def survey(suite, lines, skips):
    """Of each row: name, what it came to, its line or None."""
    done, device = latest(lines), lines[-1]['device']
    for name, kind, command in read_list(suite):
        line = done.get(command)
        if kind and kind != device['Compute Device Type']:
            yield name, 'not asked of this type of device', None
        elif line and not line['full']:
            yield name, 'reduced', line
        elif line:
            yield name, line['result'], line
        elif name in skips:
            yield name, 'left out', None
        elif not os.path.exists(os.path.join(suite, command.split()[0])):
            yield name, 'not built', None
        else:
            yield name, 'not run', None


def command_status(options):
    row = '| {} | {} | {} | {} |' if options.markdown else '{:45} {:12} {:24} {:>9}'
    print(row.format('row', 'result', 'tests', 'seconds'))
    if options.markdown:
        print('| --- | --- | --- | --- |')
    for name, result, line in survey(options.suite, read_all(options.ledgers), {}):
        print(row.format(name, result, count_tests(line) if line else '', line['seconds'] if line else ''))


def read_skips(path):
    skips = {}
    with open(path) as file:
        for line in file:
            name, colon, reason = line.strip().partition(':')
            if colon and reason.strip() and not name.startswith('#'):
                skips[name.strip()] = reason.strip()
    return skips


def fill_form(template, line, skips):
    """The template with what the ledger knows; what a person must say stays empty."""
    suite, device = line['suite'], line['device']
    known = dict(device)
    known['OpenCL Version'] = re.search(r'\d+\.\d+', device['Compute Device Version']).group(0)
    known['Tests version'] = suite['tag']
    known['Patches'] = ' '.join(suite['patches'])
    known['OS Name and Version Number'] = line['os']
    known['CPU Type'] = line['cpu']
    known['List of skipped tests in accordance with conformance process'] = ''.join(
        f'\n{name}: {reason}' for name, reason in sorted(skips.items()))
    form = []
    for text in template.splitlines():
        key = text.partition(':')[0]
        form.append(f'{key}: {known[key]}' if not text.startswith('#') and ':' in text and key in known else text)
    return '\n'.join(form) + '\n'


def command_package(options):
    skips = read_skips(options.skips) if options.skips else {}
    lines = read_all(options.ledgers)
    rows = list(survey(options.suite, lines, skips))
    missing = [f'{name}: {result}' for name, result, _ in rows
               if result not in ('passed', 'skipped', 'left out', 'not asked of this type of device')]
    newest = lines[-1]
    if newest['suite']['changed']:
        missing.append('the suite: files differ from its commit: ' + ', '.join(newest['suite']['changed']))
    os.makedirs(os.path.join(options.out, 'logs'), exist_ok=True)
    for name, _, line in rows:
        if not line:
            continue
        source = os.path.join(line['folder'], 'logs', line['log'])
        with open(source, 'rb') as log:
            if hashlib.sha256(log.read()).hexdigest() != line['sha256']:
                missing.append(f'{name}: its log was changed after the run')
        shutil.copy(source, os.path.join(options.out, 'logs'))
    with open(options.template) as file:
        form = fill_form(file.read(), newest, skips)
    for file_name, text in (('submission_details.txt', form), ('missing.txt', ''.join(line + '\n' for line in missing)),
                            ('skips.txt', ''.join(f'{name}: {reason}\n' for name, reason in sorted(skips.items())))):
        with open(os.path.join(options.out, file_name), 'w') as file:
            file.write(text)
    for line in missing:
        print(f'missing: {line}')
    return 1 if missing and not options.draft else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    run = commands.add_parser('run')
    run.add_argument('suite', type=os.path.abspath)
    run.add_argument('ledger')
    run.add_argument('--rows', nargs='+', dest='texts', help='texts that the names of rows hold')
    run.add_argument('--limit', type=float, help='seconds after which a row is stopped, and is no result')
    run.add_argument('--again', action='store_true', help='also what the ledger has')
    status = commands.add_parser('status')
    package = commands.add_parser('package')
    commands.add_parser('describe').add_argument('suite', type=os.path.abspath)
    for command in (status, package):
        command.add_argument('suite', type=os.path.abspath)
        command.add_argument('ledgers', nargs='+')
    status.add_argument('--markdown', action='store_true')
    package.add_argument('--template', required=True)
    package.add_argument('--out', required=True)
    package.add_argument('--skips')
    package.add_argument('--draft', action='store_true')
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup's
            signal.signal(number, lambda number, frame: sys.exit(128 + number))
    return {'run': command_run, 'status': command_status, 'package': command_package,
            'describe': command_describe}[options.command](options)


if __name__ == '__main__':
    sys.exit(main())
