#!/usr/bin/env python3
"""Writes a case with a constant array of 70,000 elements in a struct, which two instructions hold. usage: long_composite.py OUTPUT"""
import sys

COUNT = 70000
PLACES = [0, 64999, 65000, COUNT - 1]


def value(i):
    return (i * 7 + 1) % 251


def main():
    lines = ['; SPV_INTEL_long_composites: an array that is too long for one instruction, in a struct.',
             '; expect: ' + ' '.join(str(value(i)) for i in PLACES) + ' 77',
             'OpCapability Addresses', 'OpCapability Linkage', 'OpCapability Kernel', 'OpCapability Int64', 'OpCapability Int8',
             'OpCapability LongCompositesINTEL', 'OpExtension "SPV_INTEL_long_composites"',
             'OpMemoryModel Physical64 OpenCL', 'OpEntryPoint Kernel %main "long_composite"', 'OpDecorate %table Constant',
             '%void = OpTypeVoid', '%uint = OpTypeInt 32 0', '%uchar = OpTypeInt 8 0',
             '%ptr = OpTypePointer CrossWorkgroup %uint', '%fn_type = OpTypeFunction %void %ptr',
             f'%count = OpConstant %uint {COUNT}', '%zero = OpConstant %uint 0', '%one = OpConstant %uint 1',
             '%last = OpConstant %uint 77', '%last_place = OpConstant %uint 4']
    lines += [f'%c{i} = OpConstant %uchar {i}' for i in range(251)]
    lines += [f'%place{i} = OpConstant %uint {place}' for i, place in enumerate(PLACES)]
    lines += [f'%number{i} = OpConstant %uint {i}' for i in range(len(PLACES))]
    lines += ['%array = OpTypeArray %uchar %count', '%struct = OpTypeStruct %array %uint',
              '%element_ptr = OpTypePointer UniformConstant %uchar', '%member_ptr = OpTypePointer UniformConstant %uint',
              '%struct_ptr = OpTypePointer UniformConstant %struct']
    names = [f'%c{value(i)}' for i in range(COUNT)]
    lines += ['%long = OpConstantComposite %array ' + ' '.join(names[:60000]),
              'OpConstantCompositeContinuedINTEL ' + ' '.join(names[60000:]),
              '%value = OpConstantComposite %struct %long %last', '%table = OpVariable %struct_ptr UniformConstant %value',
              '%main = OpFunction %void None %fn_type', '%out = OpFunctionParameter %ptr', '%entry = OpLabel']
    for i in range(len(PLACES)):
        lines += [f'%from{i} = OpInBoundsAccessChain %element_ptr %table %zero %place{i}',
                  f'%byte{i} = OpLoad %uchar %from{i} Aligned 1', f'%word{i} = OpUConvert %uint %byte{i}',
                  f'%to{i} = OpInBoundsPtrAccessChain %ptr %out %number{i}', f'OpStore %to{i} %word{i} Aligned 4']
    lines += ['%from = OpInBoundsAccessChain %member_ptr %table %one', '%behind = OpLoad %uint %from Aligned 4',
              '%to = OpInBoundsPtrAccessChain %ptr %out %last_place', 'OpStore %to %behind Aligned 4', 'OpReturn', 'OpFunctionEnd']
    with open(sys.argv[1], 'w', encoding='utf-8') as out:
        out.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
