#!/usr/bin/env python3
"""sbom.py BUILD [-o FILE]: lists what a build of Pumice is made of, with licences, as SPDX 2.3 in JSON.

Names and versions are those that meson found when it set the build up (`meson introspect`). Meson does not know
licences, and not which part goes into the driver: the table below says both. A dependency that it does not have is an
error, so that a new one cannot be left out. Times come from SOURCE_DATE_EPOCH or the commit, so that equal builds give
equal files."""
import argparse
import datetime
import hashlib
import json
import os
import subprocess
import sys

# Of each of meson's dependencies: its licence, and how Pumice uses it. Relations as SPDX 2.3, clause 11, has them.
HEADERS, STATIC, TESTS = 'BUILD_DEPENDENCY_OF', 'STATIC_LINK', 'TEST_DEPENDENCY_OF'
KNOWN = {
    'SPIRV-Headers': ('MIT', HEADERS),
    'vulkan': ('Apache-2.0', HEADERS),
    'vulkan-headers': ('Apache-2.0', HEADERS),
    'volk': ('MIT', HEADERS),
    'OpenCL-Headers': ('Apache-2.0', HEADERS),
    'SPIRV-Tools': ('Apache-2.0', STATIC),
    'OpenCL': ('NOASSERTION', TESTS),
    'libpng': ('libpng-2.0', TESTS),
    'mpfr': ('LGPL-3.0-or-later', TESTS),
    'mpi': ('BSD-3-Clause', TESTS),  # Open MPI; meson has the name of its package, too
    'ompi-c': ('BSD-3-Clause', TESTS),
    'egl': ('MIT', TESTS),
    'gl': ('MIT', TESTS),
    'libva': ('MIT', TESTS),  # its header; the library is looked for when a context names a display
    'wayland-client': ('MIT', TESTS),
    'wayland-egl': ('MIT', TESTS),
    'x11': ('MIT', TESTS),
}
SYSTEM = {'threads'}  # the C library's
# Whoever links SPIRV-Tools links the C++ library statically, too (compiler/program/meson.build), which meson does not list.
CXX_LIBRARY = ('libstdc++', 'GPL-3.0-or-later WITH GCC-exception-3.1')


def introspect(build, what):
    return json.loads(subprocess.check_output(['meson', 'introspect', build, '--' + what]))


def package(name, version, licence):
    return {'SPDXID': 'SPDXRef-' + ''.join(c if c.isalnum() else '-' for c in name), 'name': name, 'versionInfo': version,
            'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False, 'licenseConcluded': licence,
            'licenseDeclared': licence, 'copyrightText': 'NOASSERTION'}


def creation_time():
    seconds = os.environ.get('SOURCE_DATE_EPOCH')
    if not seconds:
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        seconds = subprocess.check_output(['git', '-C', root, 'log', '-1', '--format=%ct'])
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


def describe(build):
    project = introspect(build, 'projectinfo')
    own = package('pumice', project['version'], 'Apache-2.0')
    packages = [own]
    relations = [{'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES', 'relatedSpdxElement': own['SPDXID']}]

    def add(name, version, licence, relation):
        packages.append(package(name, version, licence))
        ends = [packages[-1]['SPDXID'], own['SPDXID']]
        if relation == STATIC:
            ends.reverse()
        relations.append({'spdxElementId': ends[0], 'relationshipType': relation, 'relatedSpdxElement': ends[1]})

    unknown = []
    for found in sorted(introspect(build, 'dependencies'), key=lambda found: found['name']):
        name = found['name']
        if name in KNOWN:
            add(name, found['version'], *KNOWN[name])
        elif name not in SYSTEM:
            unknown.append(name)
        if name == 'SPIRV-Tools':
            add(CXX_LIBRARY[0], 'NOASSERTION', CXX_LIBRARY[1], STATIC)
    if unknown:
        sys.exit('sbom.py: say licence and use of ' + ', '.join(unknown))
    content = json.dumps([packages, relations], sort_keys=True).encode()
    return {'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT',
            'name': 'pumice-' + project['version'],
            'documentNamespace': 'urn:pumice:sbom:' + hashlib.sha256(content).hexdigest(),
            'creationInfo': {'created': creation_time(), 'creators': ['Tool: packaging/sbom.py']},
            'packages': packages, 'relationships': relations}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('-o', dest='file', help='instead of standard output')
    options = parser.parse_args()
    text = json.dumps(describe(options.build), indent=2) + '\n'
    if options.file:
        with open(options.file, 'w') as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == '__main__':
    main()
