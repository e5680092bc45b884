#!/usr/bin/env python3
"""Reports of PUMICE_CHECK: text, JSON, exit codes, suppressions, processes and threads. usage: check_report.py CHECK_FOUND"""
import json
import os
import subprocess
import sys
import tempfile

failures = 0


def check(what, condition, *shown):
    global failures
    if not condition:
        failures += 1
        print(f'failed: {what}', *shown, sep='\n')


class Run:
    def __init__(self, program, folder, case, **settings):
        env = {name: value for name, value in os.environ.items() if not name.startswith('PUMICE_')}
        env.update({f'PUMICE_{name}': value for name, value in {'CHECK': 'all', **settings}.items()})
        done = subprocess.run([program, case], env=env, capture_output=True, timeout=60)
        self.code, self.out, self.text = done.returncode, done.stdout.decode(), done.stderr.decode(errors='replace')
        path = settings.get('CHECK_JSON', '')
        self.json = json.load(open(path, encoding='utf-8')) if path.startswith(folder) and path.endswith('.json') else []


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        def run(case, **settings):
            return Run(program, folder, case, **settings)

        def path(name, content=None):
            if content is not None:
                with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
                    file.write(content)
            return f'{folder}/{name}'

        done = run('kernel', CHECK_JSON=path('1.json'))
        check('exit code', done.code == 66, done.code)
        check('output is not lost', done.out == 'some output')
        check('text', done.text.startswith(
            'sum.cl:7:14: out-of-bounds: read of 4 bytes, 8 bytes behind the end\n\ttotal += in["é"];\n\t            ^\n'
            "  in kernel 'sum', work-item (255, 1, 0), group (3, 1, 0), in the group (63, 0, 0)\n"
            '  at 0x7f00: buffer 0x1 of 1024 bytes\nsum.cl:2:1: note: other access\n__kernel void sum(void)\n^\n  and 2 more here\n'), done.text)
        check('repeated', 'sum.cl:7:14: out-of-bounds: and 2 more\n' in done.text, done.text)
        check('summary', ': 6 faults at 2 places\n  out-of-bounds        2 places, 6 times\n' in done.text, done.text)
        check('json', [(r['times'], r['line'], r['kernel'], r['kind'], r['group']) for r in done.json] ==
              [(5, 7, 'sum', 'out-of-bounds', 'bounds'), (1, 9, 'other', 'out-of-bounds', 'bounds')], done.json)
        check('json of one', done.json[0]['text'] == '\ttotal += in["é"];' and done.json[0]['global_id'] == [255, 1, 0] and
              done.json[0]['address'] == '0x7f00' and done.json[0]['other']['line'] == 2, done.json)
        run('leaks', CHECK_JSON=path('1.json'))
        check('a second process appends', len(json.load(open(path('1.json'), encoding='utf-8'))) == 5)

        done = run('nothing', CHECK_JSON=path('2.json'))
        check('nothing', done.code == 5 and 'no faults found\n' in done.text and done.json == [], done.code, done.text)
        done = run('nothing', CHECK='')
        check('off', done.code == 5 and done.text == '', done.code, done.text)
        done = run('leaks')
        check('leaks', 'clCreateBuffer: leak: never released\n  buffer 0x1\n' in done.text and '3 places, 3 times' in done.text, done.text)
        done = run('leaks', CHECK_LIMIT='1', CHECK_JSON=path('3.json'))
        check('limit', done.text.count('never released') == 1 and '(2 not shown' in done.text and len(done.json) == 3, done.text)
        done = run('leaks', CHECK_EXIT='0')
        check('own code', done.code == 0, done.code)
        done = run('leaks', CHECK_EXIT='7')
        check('other code', done.code == 7, done.code)
        done = run('leaks', CHECK_BREAK='1')
        check('break', done.code == 66 and done.text.count('never released') == 1 and done.out == 'some output', done.code, done.text)
        done = run('threads', CHECK_JSON=path('4.json'))
        check('threads', '4000 faults at 50 places' in done.text and sum(r['times'] for r in done.json) == 4000, done.text)
        done = run('killed', CHECK_JSON=path('5.json'))
        check('killed', done.code == -6 and len(done.json) == 1 and done.text.startswith('sum.cl:7'), done.code, done.text)
        done = run('fork', CHECK_JSON=path('6.json'))
        check('fork', done.code == 66 and 'child: 3\n' in done.text and len(done.json) == 1 and done.text.count('1 fault ') == 1, done.text)
        done = run('fork finds', CHECK_JSON=path('7.json'))
        check('fork finds', done.code == 66 and 'child: 66\n' in done.text and len({r['process'] for r in done.json}) == 2, done.text)
        done = run('strange', CHECK_JSON=path('8.json'))
        check('strange', done.json[0]['kernel'] == '\ufffd\x1b[2J' and '\x1b' not in done.text, done.text)

        done = run('kernel', CHECK_SUPPRESS=path('s1', '# all of it\nout-of-*   sum  # known\n'), CHECK_JSON=path('9.json'))
        check('suppressed', ': 1 fault at 1 place, 5 suppressed\n' in done.text and len(done.json) == 1, done.text)
        done = run('kernel', CHECK_SUPPRESS=path('s2', '* * s?m.cl\n'))
        check('all suppressed', done.code == 0 and 'no faults found, 6 suppressed' in done.text, done.code, done.text)
        done = run('kernel', CHECK_SUPPRESS=path('s3', 'bound\nleak a b c\n'))
        check('no such kind', "no kind is named 'bound': docs/check.md lists them" in done.text, done.text)
        check('bad suppressions', '/s3:1: ' in done.text and '/s3:2: ' in done.text and done.code == 66, done.text)
        done = run('kernel', CHECK_SUPPRESS=path('missing'))
        check('no such file', 'PUMICE_CHECK_SUPPRESS' in done.text and done.code == 66, done.text)
        done = run('leaks', CHECK_SUPPRESS=path('s4', 'leak clCreateBuffer\n'))
        check('a function', done.code == 0, done.code, done.text)

        done = run('kernel', CHECK_JSON='/nowhere/x')
        check('json cannot be', 'PUMICE_CHECK_JSON: /nowhere/x' in done.text and done.code == 66, done.text)
        done = run('kernel', CHECK_JSON=path('mine', 'precious'))
        check('a file of somebody', open(path('mine'), encoding='utf-8').read() == 'precious' and 'stays as it is' in done.text, done.text)
        done = run('kernel', CHECK='bound,races')
        check('unknown word', "there is no 'bound'" in done.text, done.text)
        done = run('wants', CHECK_KERNELS='x*, sum*')
        check('kernels', done.out.endswith(':10\n'), done.out)
        done = run('ran', CHECK_KERNELS='sum, x*,s?an,nosuch')
        check('kernels that ran', done.text.endswith("no faults found\n  no kernel that ran is named 'sum' (PUMICE_CHECK_KERNELS)\n"
              "  no kernel that ran is named 'x*' (PUMICE_CHECK_KERNELS)\n  no kernel that ran is named 'nosuch' (PUMICE_CHECK_KERNELS)\n"), done.text)
        for settings in ({'CHECK_KERNELS': 's*'}, {'CHECK_KERNELS': 'sum*,scan'}, {}):
            done = run('ran', **settings)
            check('each pattern has a kernel', done.text.endswith('no faults found\n'), settings, done.text)
        done = run('ran not', CHECK_KERNELS='sum')
        check('no kernel ran', done.text.endswith('no faults found\n'), done.text)
    return failures != 0


sys.exit(main())
