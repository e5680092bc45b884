/* Two kernels for test_vk.c as SPIR-V words, made with spirv-as --target-env vulkan1.3 from the assembly beside them. SpecId 0 is
 * the work-group size in x. */
#ifndef TESTS_UNIT_VK_KERNELS_H
#define TESTS_UNIT_VK_KERNELS_H

#include <stdint.h>

/* ; dst[i] = src[i] + value for i < count; count in elements
 *                OpCapability Shader
 *                OpCapability Int64
 *                OpCapability PhysicalStorageBufferAddresses
 *                OpExtension "SPV_KHR_physical_storage_buffer"
 *                OpMemoryModel PhysicalStorageBuffer64 GLSL450
 *                OpEntryPoint GLCompute %main "main" %gid %push
 *                OpExecutionModeId %main LocalSizeId %lx %one %one
 *                OpDecorate %gid BuiltIn GlobalInvocationId
 *                OpDecorate %lx SpecId 0
 *                OpDecorate %Push Block
 *                OpMemberDecorate %Push 0 Offset 0
 *                OpMemberDecorate %Push 1 Offset 8
 *                OpMemberDecorate %Push 2 Offset 16
 *                OpMemberDecorate %Push 3 Offset 20
 *        %void = OpTypeVoid
 *          %fn = OpTypeFunction %void
 *        %bool = OpTypeBool
 *        %uint = OpTypeInt 32 0
 *       %ulong = OpTypeInt 64 0
 *        %vec3 = OpTypeVector %uint 3
 *     %inptr = OpTypePointer Input %vec3
 *          %lx = OpSpecConstant %uint 64
 *         %one = OpConstant %uint 1
 *        %zero = OpConstant %uint 0
 *         %two = OpConstant %uint 2
 *       %three = OpConstant %uint 3
 *        %four = OpConstant %ulong 4
 *        %Push = OpTypeStruct %ulong %ulong %uint %uint
 *     %pushptr = OpTypePointer PushConstant %Push
 *       %pushl = OpTypePointer PushConstant %ulong
 *       %pushi = OpTypePointer PushConstant %uint
 *      %psbptr = OpTypePointer PhysicalStorageBuffer %uint
 *         %gid = OpVariable %inptr Input
 *        %push = OpVariable %pushptr PushConstant
 *        %main = OpFunction %void None %fn
 *       %entry = OpLabel
 *          %g3 = OpLoad %vec3 %gid
 *           %i = OpCompositeExtract %uint %g3 0
 *          %pc = OpAccessChain %pushi %push %two
 *       %count = OpLoad %uint %pc
 *        %less = OpULessThan %bool %i %count
 *                OpSelectionMerge %done None
 *                OpBranchConditional %less %work %done
 *        %work = OpLabel
 *          %ps = OpAccessChain %pushl %push %zero
 *         %src = OpLoad %ulong %ps
 *          %pd = OpAccessChain %pushl %push %one
 *         %dst = OpLoad %ulong %pd
 *          %pv = OpAccessChain %pushi %push %three
 *       %value = OpLoad %uint %pv
 *          %il = OpUConvert %ulong %i
 *         %off = OpIMul %ulong %il %four
 *          %as = OpIAdd %ulong %src %off
 *          %ad = OpIAdd %ulong %dst %off
 *          %sp = OpConvertUToPtr %psbptr %as
 *          %dp = OpConvertUToPtr %psbptr %ad
 *           %v = OpLoad %uint %sp Aligned 4
 *         %sum = OpIAdd %uint %v %value
 *                OpStore %dp %sum Aligned 4
 *                OpBranch %done
 *        %done = OpLabel
 *                OpReturn
 *                OpFunctionEnd
 */
static const uint32_t kernel_add[] = {
    0x07230203, 0x00010600, 0x00070000, 0x0000002c, 0x00000000, 0x00020011, 0x00000001, 0x00020011, 0x0000000b,
    0x00020011, 0x000014e3, 0x0009000a, 0x5f565053, 0x5f52484b, 0x73796870, 0x6c616369, 0x6f74735f, 0x65676172,
    0x6675625f, 0x00726566, 0x0003000e, 0x000014e4, 0x00000001, 0x0007000f, 0x00000005, 0x00000001, 0x6e69616d,
    0x00000000, 0x00000002, 0x00000003, 0x0006014b, 0x00000001, 0x00000026, 0x00000004, 0x00000005, 0x00000005,
    0x00040047, 0x00000002, 0x0000000b, 0x0000001c, 0x00040047, 0x00000004, 0x00000001, 0x00000000, 0x00030047,
    0x00000006, 0x00000002, 0x00050048, 0x00000006, 0x00000000, 0x00000023, 0x00000000, 0x00050048, 0x00000006,
    0x00000001, 0x00000023, 0x00000008, 0x00050048, 0x00000006, 0x00000002, 0x00000023, 0x00000010, 0x00050048,
    0x00000006, 0x00000003, 0x00000023, 0x00000014, 0x00020013, 0x00000007, 0x00030021, 0x00000008, 0x00000007,
    0x00020014, 0x00000009, 0x00040015, 0x0000000a, 0x00000020, 0x00000000, 0x00040015, 0x0000000b, 0x00000040,
    0x00000000, 0x00040017, 0x0000000c, 0x0000000a, 0x00000003, 0x00040020, 0x0000000d, 0x00000001, 0x0000000c,
    0x00040032, 0x0000000a, 0x00000004, 0x00000040, 0x0004002b, 0x0000000a, 0x00000005, 0x00000001, 0x0004002b,
    0x0000000a, 0x0000000e, 0x00000000, 0x0004002b, 0x0000000a, 0x0000000f, 0x00000002, 0x0004002b, 0x0000000a,
    0x00000010, 0x00000003, 0x0005002b, 0x0000000b, 0x00000011, 0x00000004, 0x00000000, 0x0006001e, 0x00000006,
    0x0000000b, 0x0000000b, 0x0000000a, 0x0000000a, 0x00040020, 0x00000012, 0x00000009, 0x00000006, 0x00040020,
    0x00000013, 0x00000009, 0x0000000b, 0x00040020, 0x00000014, 0x00000009, 0x0000000a, 0x00040020, 0x00000015,
    0x000014e5, 0x0000000a, 0x0004003b, 0x0000000d, 0x00000002, 0x00000001, 0x0004003b, 0x00000012, 0x00000003,
    0x00000009, 0x00050036, 0x00000007, 0x00000001, 0x00000000, 0x00000008, 0x000200f8, 0x00000016, 0x0004003d,
    0x0000000c, 0x00000017, 0x00000002, 0x00050051, 0x0000000a, 0x00000018, 0x00000017, 0x00000000, 0x00050041,
    0x00000014, 0x00000019, 0x00000003, 0x0000000f, 0x0004003d, 0x0000000a, 0x0000001a, 0x00000019, 0x000500b0,
    0x00000009, 0x0000001b, 0x00000018, 0x0000001a, 0x000300f7, 0x0000001c, 0x00000000, 0x000400fa, 0x0000001b,
    0x0000001d, 0x0000001c, 0x000200f8, 0x0000001d, 0x00050041, 0x00000013, 0x0000001e, 0x00000003, 0x0000000e,
    0x0004003d, 0x0000000b, 0x0000001f, 0x0000001e, 0x00050041, 0x00000013, 0x00000020, 0x00000003, 0x00000005,
    0x0004003d, 0x0000000b, 0x00000021, 0x00000020, 0x00050041, 0x00000014, 0x00000022, 0x00000003, 0x00000010,
    0x0004003d, 0x0000000a, 0x00000023, 0x00000022, 0x00040071, 0x0000000b, 0x00000024, 0x00000018, 0x00050084,
    0x0000000b, 0x00000025, 0x00000024, 0x00000011, 0x00050080, 0x0000000b, 0x00000026, 0x0000001f, 0x00000025,
    0x00050080, 0x0000000b, 0x00000027, 0x00000021, 0x00000025, 0x00040078, 0x00000015, 0x00000028, 0x00000026,
    0x00040078, 0x00000015, 0x00000029, 0x00000027, 0x0006003d, 0x0000000a, 0x0000002a, 0x00000028, 0x00000002,
    0x00000004, 0x00050080, 0x0000000a, 0x0000002b, 0x0000002a, 0x00000023, 0x0005003e, 0x00000029, 0x0000002b,
    0x00000002, 0x00000004, 0x000200f9, 0x0000001c, 0x000200f8, 0x0000001c, 0x000100fd, 0x00010038,
};

/* ; the same, with the block in memory: {u64 src, u64 dst, u32 count, u32 value, u32 base[3]}; i counts from base[0] * local size
 *                OpCapability Shader
 *                OpCapability Int64
 *                OpCapability PhysicalStorageBufferAddresses
 *                OpExtension "SPV_KHR_physical_storage_buffer"
 *                OpMemoryModel PhysicalStorageBuffer64 GLSL450
 *                OpEntryPoint GLCompute %main "main" %gid %push
 *                OpExecutionModeId %main LocalSizeId %lx %one %one
 *                OpDecorate %gid BuiltIn GlobalInvocationId
 *                OpDecorate %lx SpecId 0
 *                OpDecorate %Push Block
 *                OpMemberDecorate %Push 0 Offset 0
 *        %void = OpTypeVoid
 *          %fn = OpTypeFunction %void
 *        %bool = OpTypeBool
 *        %uint = OpTypeInt 32 0
 *       %ulong = OpTypeInt 64 0
 *        %vec3 = OpTypeVector %uint 3
 *     %inptr = OpTypePointer Input %vec3
 *          %lx = OpSpecConstant %uint 64
 *         %one = OpConstant %uint 1
 *        %zero = OpConstant %uint 0
 *        %four = OpConstant %ulong 4
 *       %eight = OpConstant %ulong 8
 *     %sixteen = OpConstant %ulong 16
 *      %twenty = OpConstant %ulong 20
 *    %twenty4 = OpConstant %ulong 24
 *        %Push = OpTypeStruct %ulong
 *     %pushptr = OpTypePointer PushConstant %Push
 *       %pushl = OpTypePointer PushConstant %ulong
 *      %psbptr = OpTypePointer PhysicalStorageBuffer %uint
 *      %psblong = OpTypePointer PhysicalStorageBuffer %ulong
 *         %gid = OpVariable %inptr Input
 *        %push = OpVariable %pushptr PushConstant
 *        %main = OpFunction %void None %fn
 *       %entry = OpLabel
 *          %g3 = OpLoad %vec3 %gid
 *          %g0 = OpCompositeExtract %uint %g3 0
 *          %pb = OpAccessChain %pushl %push %zero
 *       %block = OpLoad %ulong %pb
 *          %ab = OpIAdd %ulong %block %twenty4
 *          %bp = OpConvertUToPtr %psbptr %ab
 *        %base = OpLoad %uint %bp Aligned 4
 *       %first = OpIMul %uint %base %lx
 *           %i = OpIAdd %uint %g0 %first
 *          %ac = OpIAdd %ulong %block %sixteen
 *          %cp = OpConvertUToPtr %psbptr %ac
 *       %count = OpLoad %uint %cp Aligned 4
 *        %less = OpULessThan %bool %i %count
 *                OpSelectionMerge %done None
 *                OpBranchConditional %less %work %done
 *        %work = OpLabel
 *         %psp = OpConvertUToPtr %psblong %block
 *         %src = OpLoad %ulong %psp Aligned 8
 *         %a8 = OpIAdd %ulong %block %eight
 *         %pdp = OpConvertUToPtr %psblong %a8
 *         %dst = OpLoad %ulong %pdp Aligned 8
 *         %av = OpIAdd %ulong %block %twenty
 *         %vp = OpConvertUToPtr %psbptr %av
 *       %value = OpLoad %uint %vp Aligned 4
 *          %il = OpUConvert %ulong %i
 *         %off = OpIMul %ulong %il %four
 *          %as = OpIAdd %ulong %src %off
 *          %ad = OpIAdd %ulong %dst %off
 *          %sp = OpConvertUToPtr %psbptr %as
 *          %dp = OpConvertUToPtr %psbptr %ad
 *           %v = OpLoad %uint %sp Aligned 4
 *         %sum = OpIAdd %uint %v %value
 *                OpStore %dp %sum Aligned 4
 *                OpBranch %done
 *        %done = OpLabel
 *                OpReturn
 *                OpFunctionEnd
 */
static const uint32_t kernel_spill[] = {
    0x07230203, 0x00010600, 0x00070000, 0x00000038, 0x00000000, 0x00020011, 0x00000001, 0x00020011, 0x0000000b,
    0x00020011, 0x000014e3, 0x0009000a, 0x5f565053, 0x5f52484b, 0x73796870, 0x6c616369, 0x6f74735f, 0x65676172,
    0x6675625f, 0x00726566, 0x0003000e, 0x000014e4, 0x00000001, 0x0007000f, 0x00000005, 0x00000001, 0x6e69616d,
    0x00000000, 0x00000002, 0x00000003, 0x0006014b, 0x00000001, 0x00000026, 0x00000004, 0x00000005, 0x00000005,
    0x00040047, 0x00000002, 0x0000000b, 0x0000001c, 0x00040047, 0x00000004, 0x00000001, 0x00000000, 0x00030047,
    0x00000006, 0x00000002, 0x00050048, 0x00000006, 0x00000000, 0x00000023, 0x00000000, 0x00020013, 0x00000007,
    0x00030021, 0x00000008, 0x00000007, 0x00020014, 0x00000009, 0x00040015, 0x0000000a, 0x00000020, 0x00000000,
    0x00040015, 0x0000000b, 0x00000040, 0x00000000, 0x00040017, 0x0000000c, 0x0000000a, 0x00000003, 0x00040020,
    0x0000000d, 0x00000001, 0x0000000c, 0x00040032, 0x0000000a, 0x00000004, 0x00000040, 0x0004002b, 0x0000000a,
    0x00000005, 0x00000001, 0x0004002b, 0x0000000a, 0x0000000e, 0x00000000, 0x0005002b, 0x0000000b, 0x0000000f,
    0x00000004, 0x00000000, 0x0005002b, 0x0000000b, 0x00000010, 0x00000008, 0x00000000, 0x0005002b, 0x0000000b,
    0x00000011, 0x00000010, 0x00000000, 0x0005002b, 0x0000000b, 0x00000012, 0x00000014, 0x00000000, 0x0005002b,
    0x0000000b, 0x00000013, 0x00000018, 0x00000000, 0x0003001e, 0x00000006, 0x0000000b, 0x00040020, 0x00000014,
    0x00000009, 0x00000006, 0x00040020, 0x00000015, 0x00000009, 0x0000000b, 0x00040020, 0x00000016, 0x000014e5,
    0x0000000a, 0x00040020, 0x00000017, 0x000014e5, 0x0000000b, 0x0004003b, 0x0000000d, 0x00000002, 0x00000001,
    0x0004003b, 0x00000014, 0x00000003, 0x00000009, 0x00050036, 0x00000007, 0x00000001, 0x00000000, 0x00000008,
    0x000200f8, 0x00000018, 0x0004003d, 0x0000000c, 0x00000019, 0x00000002, 0x00050051, 0x0000000a, 0x0000001a,
    0x00000019, 0x00000000, 0x00050041, 0x00000015, 0x0000001b, 0x00000003, 0x0000000e, 0x0004003d, 0x0000000b,
    0x0000001c, 0x0000001b, 0x00050080, 0x0000000b, 0x0000001d, 0x0000001c, 0x00000013, 0x00040078, 0x00000016,
    0x0000001e, 0x0000001d, 0x0006003d, 0x0000000a, 0x0000001f, 0x0000001e, 0x00000002, 0x00000004, 0x00050084,
    0x0000000a, 0x00000020, 0x0000001f, 0x00000004, 0x00050080, 0x0000000a, 0x00000021, 0x0000001a, 0x00000020,
    0x00050080, 0x0000000b, 0x00000022, 0x0000001c, 0x00000011, 0x00040078, 0x00000016, 0x00000023, 0x00000022,
    0x0006003d, 0x0000000a, 0x00000024, 0x00000023, 0x00000002, 0x00000004, 0x000500b0, 0x00000009, 0x00000025,
    0x00000021, 0x00000024, 0x000300f7, 0x00000026, 0x00000000, 0x000400fa, 0x00000025, 0x00000027, 0x00000026,
    0x000200f8, 0x00000027, 0x00040078, 0x00000017, 0x00000028, 0x0000001c, 0x0006003d, 0x0000000b, 0x00000029,
    0x00000028, 0x00000002, 0x00000008, 0x00050080, 0x0000000b, 0x0000002a, 0x0000001c, 0x00000010, 0x00040078,
    0x00000017, 0x0000002b, 0x0000002a, 0x0006003d, 0x0000000b, 0x0000002c, 0x0000002b, 0x00000002, 0x00000008,
    0x00050080, 0x0000000b, 0x0000002d, 0x0000001c, 0x00000012, 0x00040078, 0x00000016, 0x0000002e, 0x0000002d,
    0x0006003d, 0x0000000a, 0x0000002f, 0x0000002e, 0x00000002, 0x00000004, 0x00040071, 0x0000000b, 0x00000030,
    0x00000021, 0x00050084, 0x0000000b, 0x00000031, 0x00000030, 0x0000000f, 0x00050080, 0x0000000b, 0x00000032,
    0x00000029, 0x00000031, 0x00050080, 0x0000000b, 0x00000033, 0x0000002c, 0x00000031, 0x00040078, 0x00000016,
    0x00000034, 0x00000032, 0x00040078, 0x00000016, 0x00000035, 0x00000033, 0x0006003d, 0x0000000a, 0x00000036,
    0x00000034, 0x00000002, 0x00000004, 0x00050080, 0x0000000a, 0x00000037, 0x00000036, 0x0000002f, 0x0005003e,
    0x00000035, 0x00000037, 0x00000002, 0x00000004, 0x000200f9, 0x00000026, 0x000200f8, 0x00000026, 0x000100fd,
    0x00010038,
};

#endif
