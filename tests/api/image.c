/* OpenCL 3.0 API, 5.3.1, 5.3.2, 5.3.7 and 5.7: images and samplers as objects: every error of their creation, what
 * queries answer, which formats there are. */
#include "image_test.h"

#define TYPE_1D     CL_MEM_OBJECT_IMAGE1D
#define TYPE_2D     CL_MEM_OBJECT_IMAGE2D
#define TYPE_3D     CL_MEM_OBJECT_IMAGE3D
#define TYPE_BUFFER CL_MEM_OBJECT_IMAGE1D_BUFFER
#define LINES       CL_MEM_OBJECT_IMAGE1D_ARRAY
#define PLANES      CL_MEM_OBJECT_IMAGE2D_ARRAY

static char host[65536];

/* What is wrong with it, in a row. */
static const struct bad {
    cl_int expected;
    cl_mem_flags flags;
    cl_image_format format;
    cl_image_desc desc; /* .mem_object: 1 stands for a buffer of 4096 bytes, 2 for a 2D image of 8x8 RGBA unorm8 */
    bool host;
} bads[] = {
#define GOOD_2D .image_type = TYPE_2D, .image_width = 8, .image_height = 8
#define RGBA8                                                                                                          \
    {                                                                                                                  \
        CL_RGBA, CL_UNORM_INT8                                                                                         \
    }
#define OF(n) .mem_object = (cl_mem)(intptr_t)(n)
    {CL_INVALID_VALUE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, RGBA8, {GOOD_2D}, false},
    {CL_INVALID_VALUE, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, RGBA8, {GOOD_2D}, false},
    {CL_INVALID_VALUE, 1ull << 40, RGBA8, {GOOD_2D}, false},
    {CL_INVALID_VALUE, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, RGBA8, {GOOD_2D}, true},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {0x7777, CL_UNORM_INT8}, {GOOD_2D}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_RGBA, 0x7777}, {GOOD_2D}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_RGB, CL_FLOAT}, {GOOD_2D}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_RGBA, CL_UNORM_SHORT_565}, {GOOD_2D}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_INTENSITY, CL_SIGNED_INT8}, {GOOD_2D}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_LUMINANCE, CL_UNSIGNED_INT32}, {GOOD_2D}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_BGRA, CL_FLOAT}, {GOOD_2D}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_sRGBA, CL_UNORM_INT16}, {GOOD_2D}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_DEPTH, CL_UNORM_INT8}, {GOOD_2D}, false},
    {CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, {.image_type = CL_MEM_OBJECT_BUFFER, .image_width = 8}, false},
    {CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, {GOOD_2D, .num_samples = 4}, false},
    {CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, {GOOD_2D, .image_row_pitch = 32}, false},
    {CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, RGBA8, {GOOD_2D, .image_row_pitch = 31}, true},
    {CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, RGBA8, {GOOD_2D, .image_row_pitch = 34}, true},
    {CL_INVALID_IMAGE_DESCRIPTOR,
     CL_MEM_COPY_HOST_PTR,
     RGBA8,
     {.image_type = TYPE_3D, .image_width = 8, .image_height = 8, .image_depth = 2, .image_slice_pitch = 255},
     true},
    {CL_INVALID_IMAGE_DESCRIPTOR,
     CL_MEM_COPY_HOST_PTR,
     RGBA8,
     {.image_type = PLANES, .image_width = 8, .image_height = 8, .image_array_size = 2, .image_slice_pitch = 260},
     true},
    {CL_INVALID_IMAGE_DESCRIPTOR,
     CL_MEM_COPY_HOST_PTR,
     RGBA8,
     {.image_type = LINES, .image_width = 8, .image_array_size = 2, .image_slice_pitch = 28},
     true},
    {CL_INVALID_IMAGE_DESCRIPTOR, 0, RGBA8, {.image_type = TYPE_BUFFER, .image_width = 8}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {.image_type = TYPE_1D, .image_width = 1025, OF(1)}, false},
    {CL_INVALID_IMAGE_SIZE,
     0,
     RGBA8,
     {.image_type = TYPE_3D, .image_width = 8, .image_height = 8, .image_depth = 17, OF(1)},
     false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, RGBA8, {.image_type = TYPE_1D, .image_width = 8, OF(2)}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {.image_type = TYPE_1D}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {.image_type = TYPE_2D, .image_width = 8}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {.image_type = TYPE_3D, .image_width = 8, .image_height = 8}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {.image_type = TYPE_1D, .image_width = 1u << 30}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {.image_type = TYPE_2D, .image_width = 8, .image_height = 1u << 30}, false},
    {CL_INVALID_IMAGE_SIZE,
     0,
     RGBA8,
     {.image_type = TYPE_3D, .image_width = 8, .image_height = 8, .image_depth = 1u << 30},
     false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {.image_type = LINES, .image_width = 8, .image_array_size = 1u << 30}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {.image_type = TYPE_BUFFER, .image_width = 1025, OF(1)}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {.image_type = TYPE_2D, .image_width = 32, .image_height = 33, OF(1)}, false},
    {CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, RGBA8, {GOOD_2D}, false},
    {CL_INVALID_HOST_PTR, CL_MEM_USE_HOST_PTR, RGBA8, {GOOD_2D}, false},
    {CL_INVALID_HOST_PTR, 0, RGBA8, {GOOD_2D}, true},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, RGBA8, {GOOD_2D, .image_row_pitch = 30, OF(1)}, false},
/* pitches that wrap around 64 bits when they are multiplied */
#define GOOD_3D .image_type = TYPE_3D, .image_width = 8, .image_height = 2, .image_depth = 16
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {GOOD_2D, .image_row_pitch = (size_t)1 << 61, OF(1)}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {GOOD_2D, .image_row_pitch = ((size_t)1 << 61) + 64, OF(1)}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {GOOD_3D, .image_slice_pitch = (size_t)1 << 60, OF(1)}, false},
    {CL_INVALID_IMAGE_SIZE, 0, RGBA8, {GOOD_3D, .image_row_pitch = (size_t)1 << 63, OF(1)}, false},
    {CL_INVALID_IMAGE_SIZE,
     0,
     RGBA8,
     {.image_type = PLANES,
      .image_width = 8,
      .image_height = 2,
      .image_array_size = 512,
      .image_slice_pitch = (size_t)1 << 55,
      OF(1)},
     false},
    {CL_INVALID_IMAGE_SIZE,
     0,
     RGBA8,
     {.image_type = LINES, .image_width = 8, .image_array_size = 256, .image_slice_pitch = (size_t)1 << 56, OF(1)},
     false},
    {CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_COPY_HOST_PTR, RGBA8, {GOOD_2D, .image_row_pitch = (size_t)1 << 61}, true},
    {CL_INVALID_IMAGE_DESCRIPTOR, CL_MEM_USE_HOST_PTR, RGBA8, {GOOD_3D, .image_slice_pitch = (size_t)1 << 60}, true},
    {CL_INVALID_VALUE, CL_MEM_WRITE_ONLY, RGBA8, {GOOD_2D, OF(3)}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_sBGRA, CL_UNORM_INT8}, {GOOD_2D, OF(2)}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, 0, {CL_RGBA, CL_UNSIGNED_INT8}, {GOOD_2D, OF(2)}, false},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
     0,
     {CL_sRGBA, CL_UNORM_INT8},
     {.image_type = TYPE_2D, .image_width = 8, .image_height = 4, OF(2)},
     false},
    {CL_IMAGE_FORMAT_NOT_SUPPORTED,
     CL_MEM_READ_ONLY,
     {CL_DEPTH, CL_FLOAT},
     {.image_type = TYPE_3D, .image_width = 8, .image_height = 8, .image_depth = 2},
     false},
};

static void test_creation_errors(void)
{
    cl_image_desc desc = {GOOD_2D};
    cl_mem of[4] = {NULL, buffer_of(0, 4096, NULL), image_of(CL_MEM_READ_ONLY, &rgba8, &desc, NULL),
                    buffer_of(CL_MEM_READ_ONLY, 4096, NULL)};
    cl_mem_properties properties[] = {0x7777, 1, 0};
    NO_OBJECT(CL_INVALID_CONTEXT, clCreateImage(NULL, 0, &rgba8, &desc, NULL, &error));
    NO_OBJECT(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, NULL, &desc, NULL, &error));
    NO_OBJECT(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &rgba8, NULL, NULL, &error));
    NO_OBJECT(CL_INVALID_PROPERTY, clCreateImageWithProperties(context, properties, 0, &rgba8, &desc, NULL, &error));
    NO_OBJECT(CL_INVALID_IMAGE_SIZE, clCreateImage2D(context, 0, &rgba8, 0, 8, 0, NULL, &error));
    NO_OBJECT(CL_INVALID_IMAGE_SIZE, clCreateImage3D(context, 0, &rgba8, 8, 8, 0, 0, 0, NULL, &error));
    NO_OBJECT(CL_INVALID_IMAGE_SIZE, clCreateImage3D(context, 0, &rgba8, 8, 8, 1, 0, 0, NULL, &error));
    /* these have no descriptor that could be wrong */
    NO_OBJECT(CL_INVALID_IMAGE_SIZE, clCreateImage2D(context, 0, &rgba8, 8, 8, 64, NULL, &error));
    NO_OBJECT(CL_INVALID_IMAGE_SIZE, clCreateImage3D(context, 0, &rgba8, 8, 8, 2, 0, 512, NULL, &error));
    for (size_t i = 0; i < COUNT(bads); i++) {
        cl_int error = 12345;
        desc = bads[i].desc;
        desc.mem_object = of[(intptr_t)desc.mem_object & 3];
        cl_mem mem = clCreateImage(context, bads[i].flags, &bads[i].format, &desc, bads[i].host ? host : NULL, &error);
        if (mem || error != bads[i].expected) {
            printf("row %zu: %d instead of %d\n", i, error, bads[i].expected);
            test_failures++;
        }
    }
    for (int i = 1; i < 4; i++)
        OK(clReleaseMemObject(of[i]));
}

/* ---- queries ---- */

static size_t size_info(cl_mem image, cl_image_info name)
{
    size_t size = 12345;
    OK(clGetImageInfo(image, name, sizeof(size), &size, NULL));
    return size;
}

static void check_info(const cl_image_desc *desc, bool pitched)
{
    cl_mem image = image_of(pitched ? CL_MEM_USE_HOST_PTR : 0, &rgba8, desc, pitched ? host : NULL);
    cl_mem_object_type type;
    cl_image_format format;
    cl_mem buffer;
    cl_uint count = 1;
    size_t row = desc->image_row_pitch ? desc->image_row_pitch : desc->image_width * 4;
    size_t slice = desc->image_slice_pitch                                     ? desc->image_slice_pitch
                   : desc->image_type == LINES                                 ? row
                   : desc->image_type >= TYPE_3D && desc->image_type <= PLANES ? row * desc->image_height
                                                                               : 0;
    OK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof(type), &type, NULL));
    CHECK(type == desc->image_type);
    OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(format), &format, NULL));
    CHECK(!memcmp(&format, &rgba8, sizeof(format)));
    CHECK(size_info(image, CL_IMAGE_ELEMENT_SIZE) == 4 && size_info(image, CL_IMAGE_WIDTH) == desc->image_width);
    CHECK(size_info(image, CL_IMAGE_HEIGHT) == desc->image_height);
    CHECK(size_info(image, CL_IMAGE_DEPTH) == desc->image_depth);
    CHECK(size_info(image, CL_IMAGE_ARRAY_SIZE) == desc->image_array_size);
    CHECK(size_info(image, CL_IMAGE_ROW_PITCH) == row && size_info(image, CL_IMAGE_SLICE_PITCH) == slice);
    OK(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(buffer), &buffer, NULL));
    CHECK(buffer == desc->mem_object);
    OK(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof(count), &count, NULL));
    CHECK(count == 0);
    CODE(CL_INVALID_VALUE, clGetImageInfo(image, 0x7777, sizeof(count), &count, NULL));
    CODE(CL_INVALID_VALUE, clGetImageInfo(image, CL_IMAGE_WIDTH, 1, &count, NULL));
    CODE(CL_INVALID_MEM_OBJECT, clGetImageInfo(NULL, CL_IMAGE_WIDTH, sizeof(count), &count, NULL));
    NO_OBJECT(CL_INVALID_MEM_OBJECT,
              clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 4}, &error));
    OK(clReleaseMemObject(image));
}

static void test_info(void)
{
    static const cl_mem_object_type types[] = {TYPE_1D, TYPE_2D, TYPE_3D, LINES, PLANES};
    cl_mem buffer = buffer_of(0, 4096, NULL);
    for (size_t i = 0; i < COUNT(types); i++) {
        cl_image_desc desc = desc_of(types[i], 7, 5, 3);
        check_info(&desc, false);
        desc.image_row_pitch = 32;
        check_info(&desc, true);
        if (types[i] != TYPE_1D && types[i] != TYPE_2D) {
            desc.image_slice_pitch = types[i] == LINES ? 64 : 32 * 7;
            check_info(&desc, true);
        }
    }
    cl_image_desc line = {.image_type = TYPE_BUFFER, .image_width = 9, .mem_object = buffer};
    check_info(&line, false);
    cl_image_desc plane = {GOOD_2D, .image_row_pitch = 64, .mem_object = buffer};
    check_info(&plane, false);
    OK(clReleaseMemObject(buffer));
}

/* ---- formats ---- */

static bool listed(const cl_image_format *list, cl_uint count, cl_channel_order order, cl_channel_type type)
{
    for (cl_uint i = 0; i < count; i++) {
        if (list[i].image_channel_order == order && list[i].image_channel_data_type == type)
            return true;
    }
    return false;
}

/* 5.3.2.1: the least that the full profile has. */
static const cl_image_format required[] = {
    {CL_R, CL_UNORM_INT8},       {CL_R, CL_UNORM_INT16},       {CL_R, CL_SNORM_INT8},
    {CL_R, CL_SNORM_INT16},      {CL_R, CL_SIGNED_INT8},       {CL_R, CL_SIGNED_INT16},
    {CL_R, CL_SIGNED_INT32},     {CL_R, CL_UNSIGNED_INT8},     {CL_R, CL_UNSIGNED_INT16},
    {CL_R, CL_UNSIGNED_INT32},   {CL_R, CL_HALF_FLOAT},        {CL_R, CL_FLOAT},
    {CL_RG, CL_UNORM_INT8},      {CL_RG, CL_SIGNED_INT16},     {CL_RG, CL_FLOAT},
    {CL_RG, CL_HALF_FLOAT},      {CL_RGBA, CL_UNORM_INT8},     {CL_RGBA, CL_UNORM_INT16},
    {CL_RGBA, CL_SIGNED_INT8},   {CL_RGBA, CL_SIGNED_INT16},   {CL_RGBA, CL_SIGNED_INT32},
    {CL_RGBA, CL_UNSIGNED_INT8}, {CL_RGBA, CL_UNSIGNED_INT16}, {CL_RGBA, CL_UNSIGNED_INT32},
    {CL_RGBA, CL_HALF_FLOAT},    {CL_RGBA, CL_FLOAT},          {CL_BGRA, CL_UNORM_INT8},
};

/* SwiftShader has no texel buffers of 16-bit normalised numbers for reading, and ours serve both. */
static bool is_excused(const cl_image_format *format, cl_mem_object_type type)
{
    char name[256] = "";
    OK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name), name, NULL));
    return type == TYPE_BUFFER && strstr(name, "SwiftShader") &&
           (format->image_channel_data_type == CL_UNORM_INT16 || format->image_channel_data_type == CL_SNORM_INT16);
}

static void check_formats(cl_mem_flags flags, cl_mem_object_type type)
{
    cl_image_format list[512];
    cl_uint count = 0, again = 0;
    OK(clGetSupportedImageFormats(context, flags, type, COUNT(list), list, &count));
    for (size_t i = 0; i < COUNT(required); i++) {
        const cl_image_format *format = &required[i];
        if (listed(list, count, format->image_channel_order, format->image_channel_data_type) ||
            is_excused(format, type))
            continue;
        printf("type 0x%x, flags %d: no order 0x%x of 0x%x\n", type, (int)flags, format->image_channel_order,
               format->image_channel_data_type);
        test_failures++;
    }
    OK(clGetSupportedImageFormats(context, flags, type, 0, NULL, &again));
    CHECK(again == count && count < COUNT(list));
    cl_mem buffer = buffer_of(flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE), 4096, NULL);
    for (cl_uint i = 0; i < count; i++) { /* each can be made, also of a buffer, but for images of planes */
        bool planar = list[i].image_channel_order == CL_NV12_INTEL;
        CHECK(!planar || flags & CL_MEM_HOST_NO_ACCESS);
        cl_image_desc desc = desc_of(type, 4, planar ? 4 : 3, 2);
        if (type != TYPE_BUFFER)
            OK(clReleaseMemObject(image_of(flags, &list[i], &desc, NULL)));
        desc.mem_object = buffer;
        if (!planar)
            OK(clReleaseMemObject(image_of(flags, &list[i], &desc, NULL)));
    }
    OK(clReleaseMemObject(buffer));
}

static void test_formats(void)
{
    static const cl_mem_flags flags[] = {
        CL_MEM_READ_WRITE,
        CL_MEM_READ_ONLY,
        CL_MEM_WRITE_ONLY,
        0,
        CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_KERNEL_READ_AND_WRITE,
    };
    for (cl_mem_object_type type = TYPE_2D; type <= TYPE_BUFFER; type++) {
        for (size_t i = 0; i < COUNT(flags); i++) {
            if (flags[i] != CL_MEM_KERNEL_READ_AND_WRITE || has_read_write())
                check_formats(flags[i], type);
        }
    }
    cl_image_format one;
    CODE(CL_INVALID_CONTEXT, clGetSupportedImageFormats(NULL, 0, TYPE_2D, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 1ull << 40, TYPE_2D, 0, NULL, NULL));
    CODE(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 0, TYPE_2D, 0, &one, NULL));
}

/* ---- limits ---- */

static void test_limits(void)
{
    static const struct {
        cl_device_info name;
        size_t least;
        bool is_size;
    } limits[] = {
        {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128, false},      {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64, false},
        {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64, false}, {CL_DEVICE_MAX_SAMPLERS, 16, false},
        {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1, false},      {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1, false},
        {CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384, true},       {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384, true},
        {CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048, true},        {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048, true},
        {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048, true},        {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536, true},
        {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048, true},
    };
    /* Some drivers have smaller images than OpenCL asks for (vk/device/mask.c). They are told as they are. */
    bool played = getenv("PUMICE_PLAY") || getenv("PUMICE_LIMITS");
    for (size_t i = 0; i < COUNT(limits); i++) {
        size_t size = 0;
        cl_uint count = 0;
        if (limits[i].is_size)
            OK(clGetDeviceInfo(device, limits[i].name, sizeof(size), &size, NULL));
        else
            OK(clGetDeviceInfo(device, limits[i].name, sizeof(count), &count, NULL));
        if (limits[i].name == CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS && !has_read_write())
            continue; /* OpenCL 3.0: an option, __opencl_c_read_write_images */
        if (size + count < limits[i].least && !played) {
            printf("query 0x%x: %zu, not %zu\n", limits[i].name, size + count, limits[i].least);
            test_failures++;
        }
    }
}

/* cl_ext_image_requirements_info: what is answered suffices for an image of a buffer. */
static void test_requirements(void)
{
    typedef cl_int(CL_API_CALL * query_fn)(cl_context, const cl_mem_properties *, cl_mem_flags, const cl_image_format *,
                                           const cl_image_desc *, cl_uint, size_t, void *, size_t *);
    query_fn query = (query_fn)clGetExtensionFunctionAddressForPlatform(platform, "clGetImageRequirementsInfoEXT");
    cl_image_desc box = desc_of(TYPE_3D, 5, 4, 3);
    size_t row = 0, slice = 0, base = 0, size = 0, deepest = 0;
    cl_uint depth = 0;
    NEED(query);
    OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(deepest), &deepest, NULL));
    OK(query(context, NULL, 0, &rgba8, &box, 0x1290, sizeof(row), &row, NULL));
    OK(query(context, NULL, 0, &rgba8, &box, 0x1291, sizeof(slice), &slice, NULL));
    OK(query(context, NULL, 0, &rgba8, &box, 0x1292, sizeof(base), &base, NULL));
    OK(query(context, NULL, 0, NULL, &box, 0x12B5, sizeof(depth), &depth, NULL));
    CHECK(row && slice && base && depth == deepest);
    box.image_row_pitch = 20 + row;
    box.image_slice_pitch = box.image_row_pitch * 4 + slice;
    OK(query(context, NULL, 0, &rgba8, &box, 0x12B2, sizeof(size), &size, NULL));
    CODE(CL_INVALID_VALUE, query(context, NULL, 0, NULL, &box, 0x12B2, sizeof(size), &size, NULL));
    /* what is not said holds for all; how large an image may be does not depend on how large it is */
    cl_image_desc flat = {.image_type = TYPE_2D}, none = {0};
    size_t any = 0;
    OK(query(context, NULL, 0, NULL, NULL, 0x1290, sizeof(any), &any, NULL));
    CHECK(any == 16);
    CODE(CL_INVALID_IMAGE_DESCRIPTOR, query(context, NULL, 0, &rgba8, &flat, 0x1290, sizeof(any), &any, NULL));
    flat.image_width = 4;
    CODE(CL_INVALID_IMAGE_DESCRIPTOR, query(context, NULL, 0, &rgba8, &flat, 0x12B2, sizeof(any), &any, NULL));
    flat.image_width = 0;
    for (cl_uint name = 0x12B3; name <= 0x12B6; name++) {
        cl_uint of_all = 0, of_flat = 0, of_none = 0;
        OK(query(context, NULL, 0, NULL, NULL, name, sizeof(of_all), &of_all, NULL));
        OK(query(context, NULL, 0, &rgba8, &none, name, sizeof(of_none), &of_none, NULL));
        CODE(name <= 0x12B4 ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR,
             query(context, NULL, 0, &rgba8, &flat, name, sizeof(of_flat), &of_flat, NULL));
        CHECK(of_all && of_all == of_none && (name > 0x12B4 || of_flat >= of_all));
    }
    CODE(CL_INVALID_VALUE, query(context, NULL, 0, &rgba8, NULL, 0x12B2, sizeof(size), &size, NULL));
    CODE(CL_INVALID_VALUE, query(context, NULL, 0, &rgba8, &box, 0x7777, sizeof(size), &size, NULL));
    CODE(CL_INVALID_CONTEXT, query(NULL, NULL, 0, &rgba8, &box, 0x12B2, sizeof(size), &size, NULL));
    box.mem_object = buffer_of(0, size, NULL);
    cl_mem image = image_of(0, &rgba8, &box, NULL);
    size_t origin[3] = {0}, region[3] = {5, 4, 3}, memory = 0;
    static uint8_t texels[60 * 4], back[60 * 4], bytes[1024];
    OK(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof(memory), &memory, NULL));
    CHECK(memory == size && size < sizeof(bytes));
    fill_random(texels, sizeof(texels));
    OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, box.mem_object, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
    CHECK(!memcmp(texels, back, sizeof(back)));
    CHECK(!memcmp(bytes + box.image_slice_pitch + box.image_row_pitch, texels + (4 + 1) * 20, 20));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(box.mem_object));
}

/* ---- samplers ---- */

static void test_samplers(void)
{
    const cl_sampler_properties all[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                         CL_FALSE,
                                         CL_SAMPLER_ADDRESSING_MODE,
                                         CL_ADDRESS_CLAMP_TO_EDGE,
                                         CL_SAMPLER_FILTER_MODE,
                                         CL_FILTER_LINEAR,
                                         0};
    const cl_sampler_properties unknown[] = {0x7777, 1, 0}, twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                                                       CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    const cl_sampler_properties wrong[] = {CL_SAMPLER_ADDRESSING_MODE, CL_FILTER_LINEAR, 0};
    cl_sampler_properties back[8] = {0};
    cl_int error;
    cl_uint refs, mode;
    cl_bool normalized;
    cl_context of;
    size_t size;
    NO_OBJECT(CL_INVALID_CONTEXT, clCreateSampler(NULL, 0, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSampler(context, 0, 0x7777, CL_FILTER_NEAREST, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSampler(context, 0, CL_ADDRESS_NONE, 0x7777, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSampler(context, 2, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSampler(context, 0, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, unknown, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, twice, &error));
    NO_OBJECT(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, wrong, &error));
    cl_sampler sampler = clCreateSamplerWithProperties(context, NULL, &error); /* 5.7.1: the defaults */
    NEED(error == CL_SUCCESS);
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof(normalized), &normalized, NULL));
    CHECK(normalized == CL_TRUE);
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(mode), &mode, NULL));
    CHECK(mode == CL_ADDRESS_CLAMP);
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof(mode), &mode, NULL));
    CHECK(mode == CL_FILTER_NEAREST);
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
    CHECK(size == 0);
    OK(clReleaseSampler(sampler));
    sampler = clCreateSamplerWithProperties(context, all, &error);
    NEED(error == CL_SUCCESS);
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof(back), back, &size));
    CHECK(size == sizeof(all) && !memcmp(back, all, size));
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(mode), &mode, NULL));
    CHECK(mode == CL_ADDRESS_CLAMP_TO_EDGE);
    OK(clRetainSampler(sampler));
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof(refs), &refs, NULL));
    CHECK(refs == 2);
    OK(clReleaseSampler(sampler));
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof(of), &of, NULL));
    CHECK(of == context);
    CODE(CL_INVALID_VALUE, clGetSamplerInfo(sampler, 0x7777, sizeof(refs), &refs, NULL));
    OK(clReleaseSampler(sampler));
    CODE(CL_INVALID_SAMPLER, clRetainSampler(NULL));
    CODE(CL_INVALID_SAMPLER, clReleaseSampler((cl_sampler)context));
    CODE(CL_INVALID_SAMPLER, clGetSamplerInfo(NULL, CL_SAMPLER_CONTEXT, sizeof(of), &of, NULL));
}

int main(void)
{
    open_images(0);
    test_creation_errors();
    test_info();
    test_formats();
    test_limits();
    test_requirements();
    test_samplers();
    return close_device();
}
