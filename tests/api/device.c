/* OpenCL 3.0 API, 4.1 to 4.3: platform and device queries. */
#include "api_test.h"

static void test_platform(void)
{
    cl_uint count;
    CODE(CL_INVALID_VALUE, clGetPlatformInfo(platform, 0x1234, 0, NULL, NULL));
    size_t size;
    OK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, 0, NULL, &size));
    char version[256];
    CODE(CL_INVALID_VALUE, clGetPlatformInfo(platform, CL_PLATFORM_VERSION, size - 1, version, NULL));
    OK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(version), version, NULL));
    CHECK(strncmp(version, "OpenCL 3.1 ", 11) == 0);
    CODE(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL));
    /* bindings widen CL_DEVICE_TYPE_ALL with its sign */
    cl_uint all = 0;
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &all));
    OK(clGetDeviceIDs(platform, (cl_device_type)-1, 0, NULL, &count));
    CHECK(count == all);
    CODE(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, (cl_device_type)-2, 0, NULL, &count));
    CODE(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 0xfffffffeu, 0, NULL, &count));
    CODE(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 0, 0, NULL, &count));
    CODE(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 1u << 20, 0, NULL, &count));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &count));
    CHECK(count == 1);
    cl_name_version names[256];
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof(names), names, &size));
    CHECK(size % sizeof(names[0]) == 0 && size > 0);
}

/* Every query of OpenCL 3.0, table 5, with the size of its answer; 0: any. */
static const struct query {
    cl_device_info name;
    size_t size;
} queries[] = {
    {CL_DEVICE_TYPE, 8},
    {CL_DEVICE_VENDOR_ID, 4},
    {CL_DEVICE_MAX_COMPUTE_UNITS, 4},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, 3 * sizeof(size_t)},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 4},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 4},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 4},
    {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4},
    {CL_DEVICE_ADDRESS_BITS, 4},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8},
    {CL_DEVICE_IMAGE_SUPPORT, 4},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, 4},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 4},
    {CL_DEVICE_IL_VERSION, 0},
    {CL_DEVICE_ILS_WITH_VERSION, 0},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t)},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof(size_t)},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, sizeof(size_t)},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, sizeof(size_t)},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(size_t)},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof(size_t)},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof(size_t)},
    {CL_DEVICE_MAX_SAMPLERS, 4},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 4},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 4},
    {CL_DEVICE_MAX_PIPE_ARGS, 4},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 4},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, 4},
    {CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t)},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4},
    {CL_DEVICE_SINGLE_FP_CONFIG, 8},
    {CL_DEVICE_DOUBLE_FP_CONFIG, 8},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 4},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8},
    {CL_DEVICE_GLOBAL_MEM_SIZE, 8},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8},
    {CL_DEVICE_MAX_CONSTANT_ARGS, 4},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof(size_t)},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, sizeof(size_t)},
    {CL_DEVICE_LOCAL_MEM_TYPE, 4},
    {CL_DEVICE_LOCAL_MEM_SIZE, 8},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, 4},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, 4},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t)},
    {CL_DEVICE_ENDIAN_LITTLE, 4},
    {CL_DEVICE_AVAILABLE, 4},
    {CL_DEVICE_COMPILER_AVAILABLE, 4},
    {CL_DEVICE_LINKER_AVAILABLE, 4},
    {CL_DEVICE_EXECUTION_CAPABILITIES, 8},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, 8},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 8},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 4},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 4},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, 4},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, 4},
    {CL_DEVICE_BUILT_IN_KERNELS, 0},
    {CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, 0},
    {CL_DEVICE_PLATFORM, sizeof(void *)},
    {CL_DEVICE_NAME, 0},
    {CL_DEVICE_VENDOR, 0},
    {CL_DRIVER_VERSION, 0},
    {CL_DEVICE_PROFILE, 0},
    {CL_DEVICE_VERSION, 0},
    {CL_DEVICE_NUMERIC_VERSION, 4},
    {CL_DEVICE_OPENCL_C_VERSION, 0},
    {CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0},
    {CL_DEVICE_OPENCL_C_FEATURES, 0},
    {CL_DEVICE_EXTENSIONS, 0},
    {CL_DEVICE_EXTENSIONS_WITH_VERSION, 0},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof(size_t)},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 4},
    {CL_DEVICE_PARENT_DEVICE, sizeof(void *)},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4},
    {CL_DEVICE_PARTITION_PROPERTIES, 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 8},
    {CL_DEVICE_PARTITION_TYPE, 0},
    {CL_DEVICE_REFERENCE_COUNT, 4},
    {CL_DEVICE_SVM_CAPABILITIES, 8},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 4},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 4},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 4},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, 4},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, 4},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 8},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, 8},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, 4},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, 4},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, 4},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 8},
    {CL_DEVICE_PIPE_SUPPORT, 4},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t)},
    {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, 0},
};

static void test_queries(void)
{
    for (size_t i = 0; i < COUNT(queries); i++) {
        size_t size = 12345, again;
        cl_int error = clGetDeviceInfo(device, queries[i].name, 0, NULL, &size);
        if (error != CL_SUCCESS || (queries[i].size && size != queries[i].size)) {
            printf("query 0x%x: %d, %zu bytes instead of %zu\n", queries[i].name, error, size, queries[i].size);
            test_failures++;
            continue;
        }
        char *value = malloc(size + 1);
        OK(clGetDeviceInfo(device, queries[i].name, size, value, &again));
        CHECK(again == size);
        if (size > 0 && queries[i].name != CL_DEVICE_EXTENSIONS)
            CODE(CL_INVALID_VALUE, clGetDeviceInfo(device, queries[i].name, size - 1, value, NULL));
        free(value);
    }
    CODE(CL_INVALID_VALUE, clGetDeviceInfo(device, 0x9999, 0, NULL, NULL));
}

static void test_consistency(void)
{
    char extensions[4096] = "", text[256];
    cl_name_version list[128];
    size_t size;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof(list), list, &size));
    size_t words = extensions[0] ? 1 : 0;
    for (char *p = extensions; *p; p++)
        words += *p == ' ';
    CHECK(words == size / sizeof(list[0]));
    for (size_t i = 0; i < size / sizeof(list[0]); i++)
        CHECK(strstr(extensions, list[i].name) != NULL);

    /* OpenCL 3.1 API, 4.2: 3.1 with all that it asks for, else 3.0 */
    static const char *const asked[] = {
        "cl_khr_device_uuid",       "cl_khr_extended_bit_ops",          "cl_khr_integer_dot_product",
        "cl_khr_spirv_queries",     "cl_khr_subgroup_rotate",           "cl_khr_subgroup_extended_types",
        "cl_khr_subgroup_shuffle ", "cl_khr_subgroup_shuffle_relative", "cl_khr_suggested_local_work_size"};
    bool is_31 = true;
    for (size_t i = 0; i < COUNT(asked); i++)
        is_31 = is_31 && strstr(extensions, asked[i]);
    cl_uint sub_groups = 0;
    cl_version numeric = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(sub_groups), &sub_groups, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof(text), text, NULL));
    is_31 = is_31 && sub_groups && strstr(text, "SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4");
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof(list), list, &size));
    CHECK((list[size / sizeof(list[0]) - 1].version == CL_MAKE_VERSION(3, 1, 0)) == is_31);
    OK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof(text), text, NULL));
    CHECK(strncmp(text, is_31 ? "OpenCL 3.1 " : "OpenCL 3.0 ", 11) == 0);
    OK(clGetDeviceInfo(device, CL_DEVICE_NUMERIC_VERSION, sizeof(numeric), &numeric, NULL));
    CHECK(numeric == (cl_version)(is_31 ? CL_MAKE_VERSION(3, 1, 0) : CL_MAKE_VERSION(3, 0, 0)));
    OK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_VERSION, sizeof(text), text, NULL));
    CHECK(strncmp(text, "OpenCL C 1.2 ", 13) == 0);

    cl_ulong global, allocation;
    OK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, 8, &global, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, &allocation, NULL));
    cl_ulong quarter = global / 4 < (1ull << 30) ? global / 4 : 1ull << 30;
    CHECK(allocation >= quarter && allocation <= global);
    cl_ulong host, on_device, later;
    OK(clGetDeviceAndHostTimer(device, &on_device, &host));
    OK(clGetHostTimer(device, &later));
    CHECK(later >= host && later - host < 1000000000ull);
}

static void test_sub_devices(void)
{
    cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint count;
    CODE(CL_INVALID_VALUE, clCreateSubDevices(device, NULL, 0, NULL, &count));
    CODE(CL_INVALID_VALUE, clCreateSubDevices(device, equally, 0, NULL, &count));
    OK(clRetainDevice(device));
    OK(clReleaseDevice(device));
}

/* Answers of vendors' queries are the ones that the other queries and the kernels give. */
static void test_vendor_queries(void)
{
    size_t sizes[32], size = 0, required = 77;
    cl_uint sub_groups = 0;
    cl_int error;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(sub_groups), &sub_groups, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof(sizes), sizes, &size));
    CHECK((size > 0) == (sub_groups > 0));
    for (size_t i = 0; i < size / sizeof(sizes[0]); i++) {
        char source[256];
        snprintf(source, sizeof(source),
                 "kernel __attribute__((intel_reqd_sub_group_size(%zu))) void f(global uint *out) {\n"
                 "    out[0] = get_max_sub_group_size();\n"
                 "}\n",
                 sizes[i]);
        cl_uint used = 0;
        size_t one = 1;
        cl_program program = build(source, "-cl-std=CL3.0");
        cl_kernel kernel = clCreateKernel(program, "f", &error);
        cl_mem mem = buffer_of(0, 4, NULL);
        OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(used), &used, 0, NULL, NULL));
        CHECK(used == sizes[i]);
        OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, NULL, sizeof(required),
                                   &required, NULL));
        CHECK(required == sizes[i]);
        size_t groups = SIZE_MAX / sizes[i] + 2, shape[3] = {7, 7, 7}; /* of which the work-items wrap to few */
        OK(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(groups), &groups,
                                   sizeof(shape), shape, NULL));
        CHECK(shape[0] == 0 && shape[1] == 0 && shape[2] == 0);
        cl_ulong spilled = 77;
        OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_SPILL_MEM_SIZE_INTEL, sizeof(spilled), &spilled, NULL));
        CHECK(spilled == 0);
        OK(clReleaseMemObject(mem));
        OK(clReleaseKernel(kernel));
        OK(clReleaseProgram(program));
    }
    char version[32]; /* as much as programs have for it */
    OK(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof(version), version, NULL));
    cl_uint vendor = 0, width = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof(vendor), &vendor, NULL));
    CODE(vendor == 0x10de ? CL_SUCCESS : CL_INVALID_VALUE,
         clGetDeviceInfo(device, CL_DEVICE_WARP_SIZE_NV, sizeof(width), &width, NULL));
    CODE(vendor == 0x1002 ? CL_SUCCESS : CL_INVALID_VALUE,
         clGetDeviceInfo(device, CL_DEVICE_WAVEFRONT_WIDTH_AMD, sizeof(width), &width, NULL));
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length) {
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return true;
    }
    return false;
}

/* cl_khr_subgroups, its macro and the query of progress go together. Where they are offered, sub-groups that wait for
 * each other in both orders end. */
static void test_progress(void)
{
    static const char *source = "kernel void f(global int *out) {\n"
                                "#ifdef cl_khr_subgroups\n"
                                "    local atomic_int turn;\n"
                                "    int all = get_num_sub_groups(), me = get_sub_group_id();\n"
                                "    if (get_local_id(0) == 0) atomic_store_explicit(&turn, 0, memory_order_relaxed,\n"
                                "                                                    memory_scope_work_group);\n"
                                "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                "    for (int i = 0; i < 2 && get_sub_group_local_id() == 0; i++) {\n"
                                "        int mine = i ? 2 * all - 1 - me : me;\n"
                                "        while (atomic_load_explicit(&turn, memory_order_relaxed,\n"
                                "                                    memory_scope_work_group) != mine);\n"
                                "        atomic_store_explicit(&turn, mine + 1, memory_order_relaxed,\n"
                                "                              memory_scope_work_group);\n"
                                "    }\n"
                                "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                "    out[get_local_id(0)] = turn == 2 * all;\n"
                                "#else\n"
                                "    out[get_local_id(0)] = -1;\n"
                                "#endif\n"
                                "}\n";
    enum { ITEMS = 256 };
    char extensions[8192];
    cl_bool progress = 77;
    int out[ITEMS] = {0}, wrong = 0;
    size_t size = 0;
    cl_int error;
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size), &size, NULL));
    size = size < ITEMS ? size : ITEMS;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sizeof(progress), &progress, NULL));
    CHECK(has_word(extensions, "cl_khr_subgroups") == (progress == CL_TRUE));
    cl_program program = build(source, "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    cl_mem mem = buffer_of(0, sizeof(out), NULL);
    OK(clSetKernelArg(kernel, 0, sizeof(mem), &mem));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (size_t i = 0; i < size; i++)
        wrong += out[i] != (progress ? 1 : -1);
    CHECK(wrong == 0);
    OK(clReleaseMemObject(mem));
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

/* cl_khr_subgroup_named_barrier is there where sub-groups make progress, and so is the IL's capability. */
static void test_named_barriers(void)
{
    enum { SPIRV_CAPABILITIES = 0x12BB, NAMED_BARRIER = 59, MOST = 256 };
    char extensions[8192];
    cl_bool progress = 77;
    cl_uint count = 77, capabilities[MOST], named = 0;
    size_t size = 0;
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, sizeof(progress), &progress, NULL));
    OK(clGetDeviceInfo(device, CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, sizeof(count), &count, NULL));
    OK(clGetDeviceInfo(device, SPIRV_CAPABILITIES, sizeof(capabilities), capabilities, &size));
    for (size_t i = 0; i < size / sizeof(capabilities[0]); i++)
        named += capabilities[i] == NAMED_BARRIER;
    bool offered = has_word(extensions, "cl_khr_subgroup_named_barrier");
    CHECK(offered == (progress && has_word(extensions, "cl_khr_il_program")));
    CHECK(offered ? count >= 8 : count == 0);
    CHECK(named == offered);
}

/* cl_khr_cooperative_matrix, as the draft of March 2026 has its queries. */
static void test_matrices(void)
{
    enum { DEFAULT_VARIANTS = 0x1078, VARIANTS, ALIGNMENT, STRIDE_MULTIPLE, MOST = 512 };
    typedef cl_int CL_API_CALL matrix_info(cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);
    struct variant {
        cl_uint m, n, k, types[4];
        cl_bool saturating;
    } list[MOST], sized[MOST];
    char extensions[8192];
    size_t size = 0, count = 0, sub_group = 0;
    matrix_info *info;
    *(void **)&info = clGetExtensionFunctionAddressForPlatform(platform, "clGetDeviceCooperativeMatrixInfoKHR");
    CHECK(info != NULL);
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions), extensions, NULL));
    CODE(CL_INVALID_DEVICE, info(NULL, DEFAULT_VARIANTS, 0, NULL, 0, NULL, &size));
    cl_uint number = 0, sizes[] = {3, 0};
    if (!has_word(extensions, "cl_khr_cooperative_matrix")) {
        CODE(CL_INVALID_OPERATION, info(device, DEFAULT_VARIANTS, 0, NULL, 0, NULL, &size));
        CODE(CL_INVALID_VALUE, clGetDeviceInfo(device, ALIGNMENT, sizeof(number), &number, NULL));
        return;
    }
    OK(clGetDeviceInfo(device, ALIGNMENT, sizeof(number), &number, NULL));
    CHECK(number >= 1);
    OK(clGetDeviceInfo(device, STRIDE_MULTIPLE, sizeof(number), &number, NULL));
    CHECK(number >= 1);
    OK(info(device, DEFAULT_VARIANTS, 0, NULL, 0, NULL, &size));
    CHECK(size > 0 && size <= sizeof(list) && size % sizeof(list[0]) == 0);
    OK(info(device, DEFAULT_VARIANTS, 0, NULL, size, list, NULL));
    CODE(CL_INVALID_VALUE, info(device, DEFAULT_VARIANTS, 0, NULL, size - 1, list, NULL));
    for (count = 0; count < size / sizeof(list[0]); count++) {
        const struct variant *v = &list[count];
        CHECK(v->m && v->n && v->k && v->saturating <= 1);
        for (size_t i = 0; i < 4; i++)
            CHECK(v->types[i] <= 10);
    }
    CODE(CL_INVALID_VALUE, info(device, VARIANTS, 0, NULL, 0, NULL, &size));
    CODE(CL_INVALID_VALUE, info(device, VARIANTS, 8, &sizes, 0, NULL, &size));
    CODE(CL_INVALID_VALUE, info(device, ALIGNMENT, 0, NULL, 0, NULL, &size));
    OK(info(device, VARIANTS, sizeof(sizes[0]), &sizes[0], 0, NULL, &size));
    CHECK(size == 0); /* there are no sub-groups of 3 */
    OK(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, 0, NULL, &sub_group));
    CHECK(sub_group > 0);
    size_t known[16];
    OK(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sub_group, known, NULL));
    sizes[0] = (cl_uint)known[sub_group / sizeof(known[0]) - 1];
    OK(info(device, VARIANTS, sizeof(sizes[0]), &sizes[0], sizeof(sized), sized, &size));
    CHECK(size > 0);
}

/* Programs with an array of fixed size get the names that fit; a program that asked for the size and gives less gets
 * the specification's error. */
static void test_long_lists(void)
{
    static const size_t capacities[] = {1024, 1111, 2048, 4096};
    char whole[8192], part[4096];
    size_t size, got;
    for (int i = 0; i < 2; i++) {
        OK(i ? clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(whole), whole, &size)
             : clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof(whole), whole, &size));
        CHECK(size == strlen(whole) + 1);
        for (size_t k = 0; k < COUNT(capacities); k++) {
            memset(part, 'x', sizeof(part));
            OK(i ? clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, capacities[k], part, &got)
                 : clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, capacities[k], part, &got));
            CHECK(got == strlen(part) + 1 && got <= capacities[k] && strncmp(part, whole, got - 1) == 0);
            CHECK(whole[got - 1] == (got == size ? '\0' : ' '));
            CHECK(strstr(part, "cl_khr_byte_addressable_store") == part);
        }
        CODE(CL_INVALID_VALUE, i ? clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 1023, part, &got)
                                 : clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, 1023, part, &got));
    }
}

int main(void)
{
    open_device(0);
    test_platform();
    test_queries();
    test_consistency();
    test_progress();
    test_named_barriers();
    test_matrices();
    test_long_lists();
    test_sub_devices();
    test_vendor_queries();
    return close_device();
}
