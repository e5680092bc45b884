"""What random programs with a model share: programs are test files, `pumice run` compares what they leave with what the model says.

usage: SCRIPT FIRST COUNT > tests.cl       one test for each seed, for `pumice run` on any driver
       SCRIPT --run PUMICE FIRST COUNT     writes and runs them, some at a time, and names the seeds that fail; the environment says how
                                           (OCL_ICD_VENDORS, PUMICE_PLAY, PUMICE_DISABLE, PUMICE_LIMITS)
       SCRIPT --options=OPTIONS ...        with these build options"""
import os
import subprocess
import sys
import tempfile


def run(name, program, pumice, first, count):
    """The names of the programs from seed first on that fail."""
    failed = []
    for variable, value in (('GALLIVM_PERF', 'nopt'), ('LP_NATIVE_VECTOR_WIDTH', '128')):  # llvmpipe's compiler takes a tenth of the time so
        os.environ.setdefault(variable, value)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + '.cl')
        for start in range(first, first + count, 10):
            seeds = list(range(start, min(start + 10, first + count)))
            with open(path, 'w') as file:
                file.write('\n'.join(map(program, seeds)))
            process = subprocess.run([pumice, 'run', path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
            wrong = [line.split()[-1] for line in process.stdout.splitlines() if line.startswith('FAIL')]
            if process.returncode in (0, 1):
                failed += wrong
                if wrong:
                    print(' '.join(wrong), flush=True)
                continue
            print('pumice ended with %d in seeds %s' % (process.returncode, seeds), flush=True)
            if len(seeds) == 1:
                failed.append('%s_%d' % (name, seeds[0]))
                continue
            for seed in seeds:
                failed += run(name, program, pumice, seed, 1)
    return failed


def main(name, program):
    """program makes the text of a seed with build options."""
    arguments = [a for a in sys.argv[1:] if not a.startswith('--')]
    options = next((a.split('=', 1)[1] for a in sys.argv if a.startswith('--options=')), '')
    if '--run' not in sys.argv:
        first, count = map(int, arguments)
        print('\n'.join(program(seed, options) for seed in range(first, first + count)))
        return 0
    pumice, first, count = arguments[0], int(arguments[1]), int(arguments[2])
    failed = run(name, lambda seed: program(seed, options), pumice, first, count)
    print('%d of %d programs differ%s' % (len(failed), count, ': ' + ' '.join(failed) if failed else ''))
    return bool(failed)
