#!/usr/bin/env python3
"""versions.py: does every file that states Pumice's version state the one of meson.build?

The changelogs are looked at for their newest entry. A recipe without a row here is an error, so that a new one cannot
be forgotten at a release."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Of each file the text before its version, as a regular expression; the first place counts.
PLACES = {
    'CHANGELOG.md': r'^## ',
    'debian/changelog': r'^pumice \(',
    'docs/pumice.1': r'^\.TH PUMICE 1 \S+ "Pumice ',
    'packaging/alpine/APKBUILD': r'^pkgver=',
    'packaging/arch/PKGBUILD': r'^pkgver=',
    'packaging/conda/meta.yaml': r'^  version: "',
    'packaging/fedora/pumice.spec': r'^Version: +',
    'packaging/nix/default.nix': r'^  version = "',
    'packaging/npm/package.json': r'^  "version": "',
}
NO_VERSION = {'packaging/check/', 'packaging/flatpak/', 'packaging/oci/', 'packaging/wheel/'}



def version_in(name, before):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        found = re.search(before + r'(\d+\.\d+\.\d+)', file.read(), re.MULTILINE)
    return found[1] if found else None


def recipes():
    folder = os.path.join(ROOT, 'packaging')
    for name in sorted(os.listdir(folder)):
        if os.path.isdir(os.path.join(folder, name)) and name != '__pycache__':
            yield 'packaging/' + name + '/'


def main():
    wanted = version_in('meson.build', r"^  version: '")
    faults = []
    for name, before in PLACES.items():
        version = version_in(name, before)
        if version != wanted:
            faults.append(f'{name} states {version}, and meson.build {wanted}')
    for folder in recipes():
        if folder not in NO_VERSION and not any(name.startswith(folder) for name in PLACES):
            faults.append(f'{folder} has no row in versions.py')
    if faults:
        sys.exit('\n'.join(faults))


if __name__ == '__main__':
    main()
