#!/usr/bin/env python3
"""Writes the C tables of SPIR-V's grammar from Khronos' JSON files.

usage: gen_grammar.py INCLUDE_DIR PRIVATE CLASSES EXTENSIONS OUTPUT

INCLUDE_DIR holds spirv.core.grammar.json (or has it under spirv/unified1). The output is included by grammar.c, which gives
the shapes of the tables. PRIVATE is private.def, the rows of our own extended set, CLASSES is classes.def, and EXTENSIONS
is extensions.def, which names all capabilities. What else is newer than the installed files but needed is declared in the
EXTRA_* tables below.
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
    # SPV_KHR_fma
    {'opname': 'OpFmaKHR', 'opcode': 4427, 'class': 'Arithmetic', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}, {'kind': 'IdRef'}, {'kind': 'IdRef'}]},
    # SPV_KHR_poison_freeze
    {'opname': 'OpPoisonKHR', 'opcode': 5158, 'class': 'Miscellaneous', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}]},
    {'opname': 'OpFreezeKHR', 'opcode': 5159, 'class': 'Miscellaneous', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
    # SPV_KHR_relaxed_extended_instruction
    {'opname': 'OpExtInstWithForwardRefsKHR', 'opcode': 4433, 'class': 'Extension', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}, {'kind': 'LiteralInteger'},
        {'kind': 'IdRef', 'quantifier': '*'}]},
    # SPV_EXT_arithmetic_fence, SPV_INTEL_arithmetic_fence
    {'opname': 'OpArithmeticFenceEXT', 'opcode': 6145, 'class': 'Miscellaneous', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
    # SPV_INTEL_long_composites
    {'opname': 'OpCompositeConstructContinuedINTEL', 'opcode': 6096, 'class': 'Composite', 'operands': [
        {'kind': 'IdRef', 'quantifier': '*'}]},
    # SPV_INTEL_subgroup_buffer_prefetch
    {'opname': 'OpSubgroupBlockPrefetchINTEL', 'opcode': 6221, 'class': 'Group', 'operands': [
        {'kind': 'IdRef'}, {'kind': 'IdRef'}, {'kind': 'MemoryAccess', 'quantifier': '?'}]},
    # SPV_EXT_ocp_microscaling_types
    {'opname': 'OpBitcastExtractEXT', 'opcode': 4195, 'class': 'Conversion', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}, {'kind': 'IdRef'}]},
    # SPV_INTEL_bfloat16_conversion
    {'opname': 'OpConvertFToBF16INTEL', 'opcode': 6116, 'class': 'Conversion', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
    {'opname': 'OpConvertBF16ToFINTEL', 'opcode': 6117, 'class': 'Conversion', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
    # SPV_INTEL_tensor_float32_conversion
    {'opname': 'OpRoundFToTF32INTEL', 'opcode': 6426, 'class': 'Conversion', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
    # SPV_INTEL_subgroup_matrix_multiply_accumulate
    {'opname': 'OpSubgroupMatrixMultiplyAccumulateINTEL', 'opcode': 6237, 'class': 'Group', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}, {'kind': 'IdRef'}, {'kind': 'IdRef'},
        {'kind': 'IdRef'}, {'kind': 'MatrixMultiplyAccumulateOperands', 'quantifier': '?'}]},
    # SPV_KHR_cooperative_matrix
    {'opname': 'OpTypeCooperativeMatrixKHR', 'opcode': 4456, 'class': 'Type-Declaration', 'operands': [
        {'kind': 'IdResult'}, {'kind': 'IdRef'}, {'kind': 'IdScope'}, {'kind': 'IdRef'}, {'kind': 'IdRef'},
        {'kind': 'IdRef'}]},
    {'opname': 'OpCooperativeMatrixLoadKHR', 'opcode': 4457, 'class': 'Memory', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}, {'kind': 'IdRef'},
        {'kind': 'IdRef', 'quantifier': '?'}, {'kind': 'MemoryAccess', 'quantifier': '?'}]},
    {'opname': 'OpCooperativeMatrixStoreKHR', 'opcode': 4458, 'class': 'Memory', 'operands': [
        {'kind': 'IdRef'}, {'kind': 'IdRef'}, {'kind': 'IdRef'}, {'kind': 'IdRef', 'quantifier': '?'},
        {'kind': 'MemoryAccess', 'quantifier': '?'}]},
    {'opname': 'OpCooperativeMatrixMulAddKHR', 'opcode': 4459, 'class': 'Arithmetic', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}, {'kind': 'IdRef'}, {'kind': 'IdRef'},
        {'kind': 'CooperativeMatrixOperands', 'quantifier': '?'}]},
    {'opname': 'OpCooperativeMatrixLengthKHR', 'opcode': 4460, 'class': 'Miscellaneous', 'operands': [
        {'kind': 'IdResultType'}, {'kind': 'IdResult'}, {'kind': 'IdRef'}]},
]

# kinds of operands that are sets of bits: name -> bits
EXTRA_KINDS = {
    'CooperativeMatrixOperands': [
        ('NoneKHR', 0), ('MatrixASignedComponentsKHR', 1), ('MatrixBSignedComponentsKHR', 2),
        ('MatrixCSignedComponentsKHR', 4), ('MatrixResultSignedComponentsKHR', 8), ('SaturatingAccumulationKHR', 16),
    ],
    'MatrixMultiplyAccumulateOperands': [
        ('None', 0), ('MatrixASignedComponentsINTEL', 0x1), ('MatrixBSignedComponentsINTEL', 0x2),
        ('MatrixCBFloat16INTEL', 0x4), ('MatrixResultBFloat16INTEL', 0x8), ('MatrixAPackedInt8INTEL', 0x10),
        ('MatrixBPackedInt8INTEL', 0x20), ('MatrixAPackedInt4INTEL', 0x40), ('MatrixBPackedInt4INTEL', 0x80),
        ('MatrixATF32INTEL', 0x100), ('MatrixBTF32INTEL', 0x200), ('MatrixAPackedFloat16INTEL', 0x400),
        ('MatrixBPackedFloat16INTEL', 0x800), ('MatrixAPackedBFloat16INTEL', 0x1000),
        ('MatrixBPackedBFloat16INTEL', 0x2000),
    ],
}

# kind -> (name, value, parameter kinds)
EXTRA_ENUMERANTS = {
    'ExecutionMode': [
        ('MaximallyReconvergesKHR', 6023, []),
        ('FPFastMathDefault', 6028, ['IdRef', 'IdRef']),
        ('RequireFullQuadsKHR', 5089, []),
        ('QuadDerivativesKHR', 5088, []),
        ('StreamingInterfaceINTEL', 6154, ['LiteralInteger']),
        ('RegisterMapInterfaceINTEL', 6160, ['LiteralInteger']),
        ('NamedSubgroupSizeINTEL', 6446, ['LiteralInteger']),
        ('MaximumRegistersINTEL', 6461, ['LiteralInteger']),
        ('MaximumRegistersIdINTEL', 6462, ['IdRef']),
        ('NamedMaximumRegistersINTEL', 6463, ['LiteralInteger']),
    ],
    'FPFastMathMode': [
        ('AllowContract', 0x10000, []),
        ('AllowReassoc', 0x20000, []),
        ('AllowTransform', 0x40000, []),
    ],
    'LoopControl': [
        ('LoopCountINTEL', 0x1000000, ['LiteralInteger']),
        ('MaxReinvocationDelayINTEL', 0x2000000, ['LiteralInteger']),
    ],
    'Decoration': [
        ('SaturatedToLargestFloat8NormalConversionEXT', 4216, []),
        ('StridesizeINTEL', 5883, ['LiteralInteger']),
        ('WordsizeINTEL', 5884, ['LiteralInteger']),
        ('TrueDualPortINTEL', 5885, []),
        ('HostAccessINTEL', 6188, ['LiteralInteger', 'LiteralString']),
        ('HostAccessOldINTEL', 6147, ['LiteralInteger', 'LiteralString']),
        ('InitModeOldINTEL', 6148, ['LiteralInteger']),
        ('ImplementInCSROldINTEL', 6149, ['LiteralInteger']),
        ('StallFreeINTEL', 6151, []),
        ('FPMaxErrorDecorationINTEL', 6170, ['LiteralFloat']),
        ('LatencyControlLabelINTEL', 6172, ['LiteralInteger']),
        ('LatencyControlConstraintINTEL', 6173, ['LiteralInteger', 'LiteralInteger', 'LiteralInteger']),
        ('ConduitKernelArgumentINTEL', 6175, []),
        ('RegisterMapKernelArgumentINTEL', 6176, []),
        ('MMHostInterfaceAddressWidthINTEL', 6177, ['LiteralInteger']),
        ('MMHostInterfaceDataWidthINTEL', 6178, ['LiteralInteger']),
        ('MMHostInterfaceLatencyINTEL', 6179, ['LiteralInteger']),
        ('MMHostInterfaceReadWriteModeINTEL', 6180, ['LiteralInteger']),
        ('MMHostInterfaceMaxBurstINTEL', 6181, ['LiteralInteger']),
        ('MMHostInterfaceWaitRequestINTEL', 6182, ['LiteralInteger']),
        ('StableKernelArgumentINTEL', 6183, []),
        ('InitModeINTEL', 6190, ['LiteralInteger']),
        ('ImplementInRegisterMapINTEL', 6191, ['LiteralInteger']),
        ('ArgumentAttributeINTEL', 6409, ['LiteralInteger', 'LiteralString']),
        ('CacheControlLoadINTEL', 6442, ['LiteralInteger', 'LiteralInteger']),
        ('CacheControlStoreINTEL', 6443, ['LiteralInteger', 'LiteralInteger']),
    ],
    'FunctionParameterAttribute': [('RuntimeAlignedINTEL', 5940, [])],
}

FAST_OPS = 512  # SPV_FAST_OPS

# What SPIR-V's grammar calls classes, whose instructions have the fact; classes.def names the others.
GRAMMAR_CLASSES = {'PURE': {'Arithmetic', 'Relational_and_Logical', 'Bit', 'Conversion', 'Composite'},
                   'PLAIN': {'Arithmetic', 'Relational_and_Logical', 'Bit'}}
# Ids first and only literals behind them: how many. For loads and stores that holds without the rarer memory operands.
LEADING_IDS = {'OpCompositeExtract': '1', 'OpSelectionMerge': '1', 'OpCompositeInsert': '2', 'OpVectorShuffle': '2',
               'OpLoopMerge': '2', 'OpBranchConditional': '3', 'OpLoad': 'SPV_IDS_AND_ACCESS | 1',
               'OpStore': 'SPV_IDS_AND_ACCESS | 2', 'OpTypeInt': '0', 'OpTypeFloat': '0', 'OpTypeVector': '1',
               'OpConstant': '0', 'OpName': '1', 'OpMemberName': '1', 'OpDecorate': '1', 'OpMemberDecorate': '1',
               'OpCapability': '0', 'OpExtension': '0', 'OpExtInstImport': '0', 'OpMemoryModel': '0',
               'OpExecutionMode': '1', 'OpString': '0', 'OpLine': '1', 'OpLifetimeStart': '1', 'OpLifetimeStop': '1'}
PRIVATE_FLAGS = {'PURE': 'SPV_OP_PURE', 'READS': 'SPV_OP_READS_IMAGE', 'STAYS': '0'}
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


class Classes:
    """classes.def: what each instruction is, and what is true of it."""

    def __init__(self, path, known):
        self.known = known  # name -> opcode
        with open(path, encoding='utf-8') as f:
            rows = re.findall(r'^(CLASS|RELATION|FACT)\((\w+),((?:\s*"[^"]*")+)\)$', f.read(), re.M)
        self.facts, self.classes, self.relations = {}, {}, {}
        for row, name, text in rows:
            opcodes = {self.opcode(op) for op in ''.join(re.findall(r'"([^"]*)"', text)).split()}
            if row == 'FACT':
                self.facts[name] = opcodes
                continue
            of = self.classes if row == 'CLASS' else self.relations
            for opcode in opcodes:
                if opcode in of:
                    sys.exit(f'classes.def: opcode {opcode} is {of[opcode]} and {name}')
                of[opcode] = name

    def opcode(self, name):
        for spelled in (name, name + 'KHR'):
            if 'Op' + spelled in self.known:
                return self.known['Op' + spelled]
        sys.exit('classes.def: no instruction Op' + name)

    def has(self, opcode, fact):
        return opcode in self.facts.get(fact, ())

    def inverse(self, opcode):
        """The comparison that holds exactly when this one does not; 0: there is none."""
        relation = self.relations.get(opcode)
        if not relation:
            return 0
        not_it = {'EQUAL': 'UNEQUAL', 'LESS': 'GREATER_EQUAL', 'GREATER': 'LESS_EQUAL'}
        not_it.update({b: a for a, b in not_it.items()})
        of_floats = self.classes[opcode] == 'FLOAT_COMPARISON'
        for other, name in self.relations.items():
            if (name == not_it[relation] and self.classes[other] == self.classes[opcode] and
                    all(self.has(other, fact) == self.has(opcode, fact) for fact in ('SIGNED', 'UNSIGNED')) and
                    self.has(other, 'UNORDERED') == (self.has(opcode, 'UNORDERED') != of_floats)):
                return other
        sys.exit(f'classes.def: opcode {opcode} has no inverse')


def op_flags(inst, operands, classes):
    name, opcode, flags = inst['opname'], inst['opcode'], []
    kinds = [o['kind'] for o in inst.get('operands', [])]
    if 'IdResultType' in kinds:
        flags.append('SPV_OP_HAS_TYPE')
    if 'IdResult' in kinds:
        flags.append('SPV_OP_HAS_RESULT')
    if name.startswith('OpType') and name != 'OpTypeForwardPointer':
        flags.append('SPV_OP_TYPE')
    if name.startswith(('OpConstant', 'OpSpecConstant')) or name == 'OpUndef':
        flags.append('SPV_OP_CONSTANT')
    for fact, opcodes in classes.facts.items():
        by_grammar = inst.get('class') in GRAMMAR_CLASSES.get(fact, ())
        if opcode in opcodes or (by_grammar and (fact, name) != ('PLAIN', 'OpSelect')):
            flags.append('SPV_OP_' + fact)
    if all(o['kind'] in ID_KINDS or o['kind'] == 'PairIdRefIdRef' for o in operands):
        flags.append('SPV_OP_ALL_IDS')
    if all('quantifier' not in o and not o['kind'].startswith('Pair') for o in operands):
        flags.append('SPV_OP_FIXED')
    if opcode in classes.relations:
        flags.append(f'SPV_RELATION_{classes.relations[opcode]} << SPV_OP_RELATION_SHIFT')
    if opcode in classes.classes:
        flags.append(f'(uint32_t)SPV_CLASS_{classes.classes[opcode]} << SPV_OP_CLASS_SHIFT')
    return ' | '.join(flags) or '0'


def private_set(path, tables):
    """The rows of private.def, numbered in their order."""
    with open(path, encoding='utf-8') as f:
        rows = re.findall(r'^PRIVATE\(\w+, (\w+), (\w+), "([^"]*)"\)$', f.read(), re.M)
    return [(number, name, PRIVATE_FLAGS[effect], *tables.run([{'kind': 'IdRef'}] * len(operands.split())))
            for number, (name, effect, operands) in enumerate(rows)]


def capability_rows(path):
    with open(path, encoding='utf-8') as f:
        rows = re.findall(r'^[A-Z_]+\((\d+), (\w+),', f.read(), re.M)
    return [(name, int(value), []) for value, name in rows]


def main():
    include, private, classes, extensions, output = sys.argv[1:]
    folders = [include, os.path.join(include, 'spirv', 'unified1'), os.path.join(include, 'unified1')]
    folder = next((f for f in folders if os.path.exists(os.path.join(f, 'spirv.core.grammar.json'))), None)
    if not folder:
        sys.exit('gen_grammar.py: no spirv.core.grammar.json under ' + include)

    def load(name):
        with open(os.path.join(folder, name), encoding='utf-8') as f:
            return json.load(f)

    EXTRA_ENUMERANTS['Capability'] = capability_rows(extensions)
    core = load('spirv.core.grammar.json')
    # SPV_KHR_bfloat16: some versions of the file lack the operand, others have it with none of its values, or a few. encodings[] in
    # encoded_floats.c says which there are.
    core['operand_kinds'] = [kind for kind in core['operand_kinds'] if kind['kind'] != 'FPEncoding']
    known_kinds = {kind['kind'] for kind in core['operand_kinds']}
    core['operand_kinds'] += [{'kind': kind, 'category': 'BitEnum',
                               'enumerants': [{'enumerant': name, 'value': value} for name, value in bits]}
                              for kind, bits in EXTRA_KINDS.items() if kind not in known_kinds]
    tables = Tables(core)
    tables.add_enumerants()

    instructions = core['instructions'] + EXTRA_INSTRUCTIONS
    for inst in instructions:
        if inst['opname'] == 'OpTypeFloat':
            inst['operands'][2:] = [{'kind': 'LiteralInteger', 'quantifier': '?'}]
        if inst['opname'] == 'OpFPGARegINTEL' and len(inst['operands']) == 4:  # which has one operand; older files say two
            del inst['operands'][2]
    classes = Classes(classes, {inst['opname']: inst['opcode'] for inst in instructions})
    ops, aliases = {}, []
    for inst in instructions:
        for alias in inst.get('aliases', []):
            aliases.append((alias, inst['opcode']))
        if inst['opcode'] in ops:
            if ops[inst['opcode']][0] != inst['opname']:
                aliases.append((inst['opname'], inst['opcode']))
            continue
        operands = [o for o in inst.get('operands', []) if o['kind'] not in ('IdResultType', 'IdResult')]
        ops[inst['opcode']] = (inst['opname'], op_flags(inst, operands, classes), *tables.run(operands),
                               classes.inverse(inst['opcode']), (inst.get('capabilities') or ['Max'])[0])

    ext_sets = []
    for set_name, file in (('opencl', 'extinst.opencl.std.100.grammar.json'),
                           ('glsl', 'extinst.glsl.std.450.grammar.json')):
        rows = []
        for inst in load(file)['instructions']:
            name = inst['opname']
            pure = name not in EXT_IMPURE and not name.startswith(('vload', 'vstore'))
            rows.append((inst['opcode'], name, 'SPV_OP_PURE' if pure else '0', *tables.run(inst.get('operands', []))))
        ext_sets.append((set_name, sorted(rows)))
    ext_sets.append(('private', private_set(private, tables)))

    numbers = sorted(ops)
    first, count = tables.ranges[tables.index('Capability')]
    capabilities = {name: value for name, value, *_ in tables.enumerants[first:first + count]}
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
            name, flags, first, count, inverse, capability = ops[opcode]
            value = capabilities.get(capability, 'SpvCapabilityMax')
            w(f'    {{"{name}", {flags}, {opcode}, {first}, {count}, {inverse}, {value}}},\n')
        w('};\n\n/* opcode -> 1 + index into ops */\nstatic const uint16_t op_index[] = {\n')
        for i, opcode in enumerate(numbers):
            w(f'    [{opcode}] = {i + 1},\n')
        w('};\n\nstatic const struct spv_grammar_alias op_aliases[] = {\n')
        for name, opcode in aliases:
            w(f'    {{"{name}", {opcode}}},\n')
        w('    {NULL, 0},\n};\n')
        w('\nconst uint32_t spv_fast_flags[SPV_FAST_OPS] = {\n')
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
                w(f'    {{"{name}", {flags}, {opcode}, {first}, {count}, 0, SpvCapabilityMax}},\n')
            w('};\n')


if __name__ == '__main__':
    main()
