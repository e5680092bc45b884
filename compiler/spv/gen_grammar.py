#!/usr/bin/env python3
"""Writes the C tables of SPIR-V's grammar from Khronos' JSON files.

usage: gen_grammar.py INCLUDE_DIR PRIVATE OUTPUT

INCLUDE_DIR holds spirv.core.grammar.json (or has it under spirv/unified1). The output is included by grammar.c, which gives
the shapes of the tables. PRIVATE is private.def, the rows of our own extended set. What is newer than the installed files but needed is declared in the EXTRA_* tables below.
"""

import json
import os
import re
import sys

EXTRA_INSTRUCTIONS = [
    # SPV_KHR_subgroup_rotate
    {'opname': 'OpGroupNonUniformRotateKHR', 'opcode': 4431, 'class': 'Group', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdScope'}, {'kind': 'IdRef'}, {'kind': 'IdRef'},
        {'kind': 'IdRef', 'quantifier': '?'}]},
    # SPV_EXT_replicated_composites
    {'opname': 'OpConstantCompositeReplicateEXT', 'opcode': 4461, 'class': 'Constant-Creation', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
    {'opname': 'OpSpecConstantCompositeReplicateEXT', 'opcode': 4462, 'class': 'Constant-Creation', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
    {'opname': 'OpCompositeConstructReplicateEXT', 'opcode': 4463, 'class': 'Composite', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
    # SPV_KHR_untyped_pointers
    {'opname': 'OpTypeUntypedPointerKHR', 'opcode': 4417, 'class': 'Type-Declaration', 'operands': [
        {'kind': 'IdResult'}, {'kind': 'StorageClass'}]},
    {'opname': 'OpUntypedVariableKHR', 'opcode': 4418, 'class': 'Memory', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'StorageClass'}, {'kind': 'IdRef', 'quantifier': '?'},
        {'kind': 'IdRef', 'quantifier': '?'}]},
    *({'opname': name, 'opcode': opcode, 'class': 'Memory', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}, {'kind': 'IdRef'},
        {'kind': 'IdRef', 'quantifier': '*'}]}
      for name, opcode in (('OpUntypedAccessChainKHR', 4419), ('OpUntypedInBoundsAccessChainKHR', 4420),
                           ('OpUntypedPtrAccessChainKHR', 4423), ('OpUntypedInBoundsPtrAccessChainKHR', 4424))),
    {'opname': 'OpUntypedArrayLengthKHR', 'opcode': 4425, 'class': 'Memory', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}, {'kind': 'IdRef'},
        {'kind': 'LiteralInteger'}]},
    {'opname': 'OpUntypedPrefetchKHR', 'opcode': 4426, 'class': 'Memory', 'operands': [
        {'kind': 'IdRef'}, {'kind': 'IdRef'}, {'kind': 'IdRef', 'quantifier': '?'},
        {'kind': 'IdRef', 'quantifier': '?'}, {'kind': 'IdRef', 'quantifier': '?'}]},
    {'opname': 'OpUntypedGroupAsyncCopyKHR', 'opcode': 4434, 'class': 'Group', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdScope'}, {'kind': 'IdRef'}, {'kind': 'IdRef'},
        {'kind': 'IdRef'}, {'kind': 'IdRef'}, {'kind': 'IdRef'}, {'kind': 'IdRef'},
        {'kind': 'MemoryAccess', 'quantifier': '?'}, {'kind': 'MemoryAccess', 'quantifier': '?'}]},
    # SPV_INTEL_bfloat16_conversion
    {'opname': 'OpConvertFToBF16INTEL', 'opcode': 6116, 'class': 'Conversion', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
    {'opname': 'OpConvertBF16ToFINTEL', 'opcode': 6117, 'class': 'Conversion', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
]

# kind -> (name, value, parameter kinds)
EXTRA_ENUMERANTS = {
    'Capability': [
        ('GroupNonUniformRotateKHR', 6026, []),
        ('FloatControls2', 6029, []),
        ('UntypedPointersKHR', 4473, []),
        ('ReplicatedCompositesEXT', 6024, []),
        ('QuadControlKHR', 5087, []),
        ('BFloat16ConversionINTEL', 6115, []),
        ('CacheControlsINTEL', 6441, []),
    ],
    'ExecutionMode': [
        ('MaximallyReconvergesKHR', 6023, []),
        ('FPFastMathDefault', 6028, ['IdRef', 'IdRef']),
        ('RequireFullQuadsKHR', 5089, []),
        ('QuadDerivativesKHR', 5088, []),
        ('MaximumRegistersINTEL', 6461, ['LiteralInteger']),
    ],
    'FPFastMathMode': [
        ('AllowContract', 0x10000, []),
        ('AllowReassoc', 0x20000, []),
        ('AllowTransform', 0x40000, []),
    ],
    'Decoration': [
        ('CacheControlLoadINTEL', 6442, ['LiteralInteger', 'LiteralInteger']),
        ('CacheControlStoreINTEL', 6443, ['LiteralInteger', 'LiteralInteger']),
    ],
    'FunctionParameterAttribute': [('RuntimeAlignedINTEL', 5940, [])],
}

FAST_OPS = 512  # SPV_FAST_OPS

TERMINATORS = {'OpBranch', 'OpBranchConditional', 'OpSwitch', 'OpKill', 'OpReturn', 'OpReturnValue', 'OpUnreachable',
               'OpTerminateInvocation', 'OpIgnoreIntersectionKHR', 'OpTerminateRayKHR', 'OpEmitMeshTasksEXT'}
DECORATIONS = {'OpDecorate', 'OpMemberDecorate', 'OpDecorateId', 'OpDecorateString', 'OpMemberDecorateString'}
PURE_CLASSES = {'Arithmetic', 'Relational_and_Logical', 'Bit', 'Conversion', 'Composite'}
PURE = {'OpUndef', 'OpSizeOf', 'OpAccessChain', 'OpInBoundsAccessChain', 'OpPtrAccessChain', 'OpInBoundsPtrAccessChain',
        'OpArrayLength', 'OpGenericPtrMemSemantics', 'OpPtrEqual', 'OpPtrNotEqual', 'OpPtrDiff', 'OpSampledImage',
        'OpImage', 'OpImageTexelPointer', 'OpImageQueryFormat', 'OpImageQueryOrder', 'OpImageQuerySizeLod',
        'OpImageQuerySize', 'OpImageQueryLevels', 'OpImageQuerySamples', 'OpExpectKHR',
        'OpSDot', 'OpUDot', 'OpSUDot', 'OpSDotAccSat', 'OpUDotAccSat', 'OpSUDotAccSat',
        'OpSDotKHR', 'OpUDotKHR', 'OpSUDotKHR', 'OpSDotAccSatKHR', 'OpUDotAccSatKHR', 'OpSUDotAccSatKHR',
        'OpUCountLeadingZerosINTEL', 'OpUCountTrailingZerosINTEL', 'OpAbsISubINTEL', 'OpAbsUSubINTEL',
        'OpIAddSatINTEL', 'OpUAddSatINTEL', 'OpIAverageINTEL', 'OpUAverageINTEL', 'OpIAverageRoundedINTEL',
        'OpUAverageRoundedINTEL', 'OpISubSatINTEL', 'OpUSubSatINTEL', 'OpIMul32x16INTEL', 'OpUMul32x16INTEL'}
PLAIN_CLASSES = {'Arithmetic', 'Relational_and_Logical', 'Bit'}
PLAIN = {'OpConvertFToU', 'OpConvertFToS', 'OpConvertSToF', 'OpConvertUToF', 'OpUConvert', 'OpSConvert', 'OpFConvert',
         'OpQuantizeToF16', 'OpCompositeExtract', 'OpVectorShuffle', 'OpLoopMerge', 'OpSelectionMerge', 'OpBranch',
         'OpBranchConditional', 'OpSwitch'}
COMMUTATIVE = {'OpIAdd', 'OpIMul', 'OpFAdd', 'OpFMul', 'OpBitwiseAnd', 'OpBitwiseOr', 'OpBitwiseXor', 'OpLogicalAnd',
               'OpLogicalOr', 'OpLogicalEqual', 'OpLogicalNotEqual', 'OpIEqual', 'OpINotEqual', 'OpFOrdEqual',
               'OpFUnordEqual', 'OpFOrdNotEqual', 'OpFUnordNotEqual'}
# Ids first and only literals behind them: how many. For loads and stores that holds without the rarer memory operands.
LEADING_IDS = {'OpCompositeExtract': '1', 'OpSelectionMerge': '1', 'OpCompositeInsert': '2', 'OpVectorShuffle': '2',
               'OpLoopMerge': '2', 'OpBranchConditional': '3', 'OpLoad': 'SPV_IDS_AND_ACCESS | 1',
               'OpStore': 'SPV_IDS_AND_ACCESS | 2', 'OpTypeInt': '0', 'OpTypeFloat': '0', 'OpTypeVector': '1',
               'OpConstant': '0', 'OpName': '1', 'OpMemberName': '1', 'OpDecorate': '1', 'OpMemberDecorate': '1',
               'OpCapability': '0', 'OpExtension': '0', 'OpExtInstImport': '0', 'OpMemoryModel': '0',
               'OpExecutionMode': '1', 'OpString': '0', 'OpLine': '1', 'OpLifetimeStart': '1', 'OpLifetimeStop': '1'}
# Reads of images whose result may be dropped.
READS = {'OpImageRead', 'OpImageFetch', 'OpImageSampleExplicitLod'}
PRIVATE_FLAGS = {'PURE': 'SPV_OP_IS_PURE', 'READS': 'SPV_OP_READS_IMAGE', 'STAYS': '0'}
ID_KINDS = {'IdRef', 'IdScope', 'IdMemorySemantics'}

# Extended instructions of OpenCL.std that touch memory or print.
EXT_IMPURE = {'fract', 'frexp', 'lgamma_r', 'modf', 'remquo', 'sincos', 'prefetch', 'printf',
              'Modf', 'Frexp', 'InterpolateAtCentroid', 'InterpolateAtSample', 'InterpolateAtOffset'}


def number(value):
    return int(value, 0) if isinstance(value, str) else value


class Tables:
    def __init__(self, core):
        self.kinds = ['None', 'IdRef', 'LiteralInteger', 'LiteralString', 'LiteralContextDependentNumber',
                      'LiteralExtInstInteger', 'LiteralSpecConstantOpInteger', 'SwitchLiteral']
        self.categories = ['NONE', 'ID', 'LITERAL', 'STRING', 'NUMBER', 'EXT_INST', 'SPEC_OP', 'SWITCH_LITERAL']
        self.alias = {'IdScope': 'IdRef', 'IdMemorySemantics': 'IdRef', 'LiteralFloat': 'LiteralInteger'}
        self.enum_kinds = [k for k in core['operand_kinds'] if k['category'] in ('ValueEnum', 'BitEnum')]
        for kind in self.enum_kinds:
            self.kinds.append(kind['kind'])
            self.categories.append('VALUE_ENUM' if kind['category'] == 'ValueEnum' else 'BIT_ENUM')
        self.pairs = {k['kind']: k['bases'] for k in core['operand_kinds'] if k['category'] == 'Composite'}
        self.operands = []  # (kind, second kind of a pair, quantifier)
        self.known_runs = {}
        self.enumerants = []  # (name, value, first operand, count)
        self.ranges = [(0, 0)] * (len(self.kinds) - len(self.enum_kinds))

    def index(self, kind):
        return self.kinds.index(self.alias.get(kind, kind))

    def run(self, operands):
        """The first index of a run of operands; equal runs are shared."""
        rows = []
        for operand in operands:
            kind, second = operand['kind'], 'None'
            if kind == 'PairLiteralIntegerIdRef':
                kind, second = 'SwitchLiteral', 'IdRef'
            elif kind in self.pairs:
                kind, second = self.pairs[kind]
            quantifier = {'': 'SPV_ONE', '?': 'SPV_OPTIONAL', '*': 'SPV_ANY_NUMBER'}[operand.get('quantifier', '')]
            rows.append((self.index(kind), self.index(second), quantifier))
        key = tuple(rows)
        if key not in self.known_runs:
            self.known_runs[key] = len(self.operands)
            self.operands.extend(rows)
        return self.known_runs[key], len(rows)

    def add_enumerants(self):
        for kind in self.enum_kinds:
            rows = {}
            for e in kind['enumerants']:
                rows.setdefault(e['enumerant'], (number(e['value']), e.get('parameters', [])))
            for name, value, parameters in EXTRA_ENUMERANTS.get(kind['kind'], []):
                rows.setdefault(name, (value, [{'kind': p} for p in parameters]))
            # the enumerants of one value stand together, the older name first, so that lookup by value can bisect
            ordered = sorted(rows.items(), key=lambda row: row[1][0])
            self.ranges.append((len(self.enumerants), len(ordered)))
            for name, (value, parameters) in ordered:
                first, count = self.run(parameters)
                self.enumerants.append((name, value, first, count))


def op_flags(inst, operands):
    name, flags = inst['opname'], []
    kinds = [o['kind'] for o in inst.get('operands', [])]
    if 'IdResultType' in kinds:
        flags.append('SPV_OP_HAS_TYPE')
    if 'IdResult' in kinds:
        flags.append('SPV_OP_HAS_RESULT')
    if name.startswith('OpType') and name != 'OpTypeForwardPointer':
        flags.append('SPV_OP_IS_TYPE')
    if name.startswith(('OpConstant', 'OpSpecConstant')) or name == 'OpUndef':
        flags.append('SPV_OP_IS_CONSTANT')
    if name in TERMINATORS:
        flags.append('SPV_OP_IS_TERMINATOR')
    if name in DECORATIONS:
        flags.append('SPV_OP_IS_DECORATION')
    if inst.get('class') in PURE_CLASSES or name in PURE:
        flags.append('SPV_OP_IS_PURE')
    if name in READS:
        flags.append('SPV_OP_READS_IMAGE')
    if (inst.get('class') in PLAIN_CLASSES and name != 'OpSelect') or name in PLAIN:
        flags.append('SPV_OP_IS_PLAIN')
    if name in COMMUTATIVE:
        flags.append('SPV_OP_IS_COMMUTATIVE')
    if all(o['kind'] in ID_KINDS or o['kind'] == 'PairIdRefIdRef' for o in operands):
        flags.append('SPV_OP_ALL_IDS')
    if all('quantifier' not in o and not o['kind'].startswith('Pair') for o in operands):
        flags.append('SPV_OP_FIXED')
    return ' | '.join(flags) or '0'


def private_set(path, tables):
    """The rows of private.def, numbered in their order."""
    with open(path, encoding='utf-8') as f:
        rows = re.findall(r'^PRIVATE\(\w+, (\w+), (\w+), "([^"]*)"\)$', f.read(), re.M)
    return [(number, name, PRIVATE_FLAGS[effect], *tables.run([{'kind': 'IdRef'}] * len(operands.split())))
            for number, (name, effect, operands) in enumerate(rows)]


def main():
    include, private, output = sys.argv[1:]
    folders = [include, os.path.join(include, 'spirv', 'unified1'), os.path.join(include, 'unified1')]
    folder = next((f for f in folders if os.path.exists(os.path.join(f, 'spirv.core.grammar.json'))), None)
    if not folder:
        sys.exit('gen_grammar.py: no spirv.core.grammar.json under ' + include)

    def load(name):
        with open(os.path.join(folder, name), encoding='utf-8') as f:
            return json.load(f)

    core = load('spirv.core.grammar.json')
    tables = Tables(core)
    tables.add_enumerants()

    ops, aliases = {}, []
    for inst in core['instructions'] + EXTRA_INSTRUCTIONS:
        for alias in inst.get('aliases', []):
            aliases.append((alias, inst['opcode']))
        if inst['opcode'] in ops:
            if ops[inst['opcode']][0] != inst['opname']:
                aliases.append((inst['opname'], inst['opcode']))
            continue
        operands = [o for o in inst.get('operands', []) if o['kind'] not in ('IdResultType', 'IdResult')]
        ops[inst['opcode']] = (inst['opname'], op_flags(inst, operands), *tables.run(operands))

    ext_sets = []
    for set_name, file in (('opencl', 'extinst.opencl.std.100.grammar.json'),
                           ('glsl', 'extinst.glsl.std.450.grammar.json')):
        rows = []
        for inst in load(file)['instructions']:
            name = inst['opname']
            pure = name not in EXT_IMPURE and not name.startswith(('vload', 'vstore'))
            rows.append((inst['opcode'], name, 'SPV_OP_IS_PURE' if pure else '0', *tables.run(inst.get('operands', []))))
        ext_sets.append((set_name, sorted(rows)))
    ext_sets.append(('private', private_set(private, tables)))

    numbers = sorted(ops)
    with open(output, 'w', encoding='utf-8') as out:
        w = out.write
        w('/* Generated by gen_grammar.py from the SPIR-V grammar files; do not edit. */\n\n')
        w('static const struct spv_grammar_operand operands[] = {\n')
        for kind, second, quantifier in tables.operands:
            w(f'    {{{kind}, {second}, {quantifier}}},\n')
        w('};\n\nstatic const struct spv_grammar_enumerant enumerants[] = {\n')
        for name, value, first, count in tables.enumerants:
            w(f'    {{"{name}", {value:#x}u, {first}, {count}}},\n')
        w('};\n\nstatic const struct spv_grammar_kind kinds[] = {\n')
        for name, category, (first, count) in zip(tables.kinds, tables.categories, tables.ranges):
            w(f'    {{"{name}", SPV_CATEGORY_{category}, {first}, {count}}},\n')
        w('};\n\nstatic const struct spv_grammar_op ops[] = {\n')
        for opcode in numbers:
            name, flags, first, count = ops[opcode]
            w(f'    {{"{name}", {opcode}, {flags}, {first}, {count}}},\n')
        w('};\n\n/* opcode -> 1 + index into ops */\nstatic const uint16_t op_index[] = {\n')
        for i, opcode in enumerate(numbers):
            w(f'    [{opcode}] = {i + 1},\n')
        w('};\n\nstatic const struct spv_grammar_alias op_aliases[] = {\n')
        for name, opcode in aliases:
            w(f'    {{"{name}", {opcode}}},\n')
        w('    {NULL, 0},\n};\n')
        w('\nconst uint16_t spv_fast_flags[SPV_FAST_OPS] = {\n')
        for opcode in numbers:
            if opcode < FAST_OPS:
                w(f'    [{opcode}] = {ops[opcode][1]},\n')
        w('};\n\nconst uint8_t spv_fast_ids[SPV_FAST_OPS] = {\n')
        for opcode in range(FAST_OPS):
            name, flags = ops[opcode][:2] if opcode in ops else ('', '')
            if 'SPV_OP_ALL_IDS' in flags:
                ids = 'SPV_IDS_ALL'
            else:
                ids = LEADING_IDS.get(name, 'SPV_IDS_BY_GRAMMAR')
            w(f'    [{opcode}] = {ids},\n')
        w('};\n')
        for set_name, rows in ext_sets:
            w(f'\nstatic const struct spv_grammar_op ext_{set_name}[] = {{\n')
            for opcode, name, flags, first, count in rows:
                w(f'    {{"{name}", {opcode}, {flags}, {first}, {count}}},\n')
            w('};\n')


if __name__ == '__main__':
    main()
