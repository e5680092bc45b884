#!/usr/bin/env python3
"""The reader of modules knows encodings of floats whichever version SPIR-V's headers have: some lack the operand of OpTypeFloat, others
have it with none of its values.

usage: grammar.py GEN_GRAMMAR INCLUDE PRIVATE CLASSES EXTENSIONS"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

generator, include, *definitions = sys.argv[1:]
source = next(path for path in (pathlib.Path(include), pathlib.Path(include) / 'spirv' / 'unified1', pathlib.Path(include) / 'unified1')
              if (path / 'spirv.core.grammar.json').exists())
outputs = {}
for name, values in (('no operand', None), ('no values', []), ('one value', [{'enumerant': 'BFloat16KHR', 'value': 0}])):
    with tempfile.TemporaryDirectory() as folder:
        for file in source.glob('*.grammar.json'):
            shutil.copy(file, folder)
        path = pathlib.Path(folder) / 'spirv.core.grammar.json'
        core = json.loads(path.read_text())
        core['operand_kinds'] = [kind for kind in core['operand_kinds'] if kind['kind'] != 'FPEncoding']
        operands = next(inst for inst in core['instructions'] if inst['opname'] == 'OpTypeFloat')['operands']
        del operands[2:]
        if values is not None:
            operands.append({'kind': 'FPEncoding', 'quantifier': '?'})
            core['operand_kinds'].append({'category': 'ValueEnum', 'kind': 'FPEncoding', 'enumerants': values})
        path.write_text(json.dumps(core))
        output = pathlib.Path(folder) / 'output'
        subprocess.run([sys.executable, generator, folder, *definitions, str(output)], check=True)
        outputs[name] = output.read_text()
different = [name for name, text in outputs.items() if text != outputs['no operand']]
if different:
    print('another grammar than without the operand: ' + ', '.join(different))
sys.exit(bool(different))
