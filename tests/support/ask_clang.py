"""Clang, as the tests ask it about sources."""
import os
import shutil
import subprocess
import sys
import tempfile


def find(name):
    """Its path. Where there is none the test ends as skipped."""
    path = shutil.which(name)
    if not path:
        print(name, 'is missing')
        sys.exit(77)
    return path


def run(clang, arguments, files):
    """Runs it for spir64 in a folder that has just these files, by their names; text that is no UTF-8 stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8', errors='surrogateescape') as file:
                file.write(content)
        return subprocess.run([clang, '-x', 'cl', '-target', 'spir64', *arguments], cwd=folder, capture_output=True, encoding='utf-8',
                              errors='surrogateescape', check=False)
