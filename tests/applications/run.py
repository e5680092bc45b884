#!/usr/bin/python3
"""Runs real programs on an OpenCL driver and compares their results: run.py [--icd FILE] [--second FILE] [program[:case]...]

Without names, all programs of this folder that are installed. docs/applications.md has the results, and says which packages
of Debian are needed. It is not part of the test suite: it takes minutes, and programs that are not Pumice's."""
import argparse
import importlib
import os
import sys
import tempfile

import checks
import frame

# A module each, then those of checks.py.
PROGRAMS = ['darktable', 'ffmpeg', 'gegl', 'opencv', 'ufo'] + sorted(checks.PROGRAMS)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    build = os.path.join(here, '../../build/pumice.icd')
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--icd', default=os.path.abspath(build), help='the driver under test (default: %(default)s)')
    parser.add_argument('--second', default='/etc/OpenCL/vendors/pocl.icd', help='another driver to compare with; "" for none')
    parser.add_argument('--keep', help='a folder in which the results stay')
    parser.add_argument('names', nargs='*', help='of: ' + ' '.join(PROGRAMS))
    args = parser.parse_args()
    second = args.second if os.path.exists(args.second) else None
    frame.drivers = frame.Drivers(args.icd, second)
    with tempfile.TemporaryDirectory() as scratch:
        wrong = 0
        for name in args.names or PROGRAMS:
            name, _, case = name.partition(':')
            program = checks.PROGRAMS.get(name) or importlib.import_module(name)
            result = frame.run_program(program, os.path.join(args.keep or scratch, name), case)
            wrong += result[1] if result else 0
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
