/* cl_khr_gl_sharing and cl_khr_gl_event: who comes first. Commands of OpenGL and OpenCL on one thread without a wait
 * between them, sync objects, several threads, names that are deleted and given again, contexts that end on either side
 * first, and a thousand changes of hands that leave nothing.
 *
 * usage: api_gl_order [terminate | twins]: to end EGL before OpenCL; under tests/support/twins.c, a context of two
 * devices */
#include "gl_test.h"

#include <pthread.h>
#include <unistd.h>

enum { SIDE = 512 };

/* ---- order on one thread ---- */

static cl_program add_program(void)
{
    return build("kernel void add(read_only image2d_t from, write_only image2d_t to) {"
                 "    int2 at = (int2)(get_global_id(0), get_global_id(1));"
                 "    write_imagef(to, at, read_imagef(from, at) + 1.0f / 255.0f); }",
                 "");
}

/* OpenGL clears one texture, OpenCL adds 1 into another, OpenGL reads that: nobody waits. */
static void test_implicit(void)
{
    cl_int error;
    cl_program program = add_program();
    cl_kernel kernel = clCreateKernel(program, "add", &error);
    GLuint names[2] = {new_plane(SIDE, SIDE, NULL), new_plane(SIDE, SIDE, NULL)}, framebuffers[2];
    cl_mem mems[2] = {image_from(GL_TEXTURE_2D, 0, names[0]), image_from(GL_TEXTURE_2D, 0, names[1])};
    size_t global[2] = {SIDE, SIDE};
    unsigned char *seen = malloc(SIDE * SIDE * 4);
    gl.GenFramebuffers(2, framebuffers);
    for (int i = 0; i < 2; i++) {
        gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[i]);
        gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, names[i], 0);
        OK(clSetKernelArg(kernel, (cl_uint)i, sizeof(mems[i]), &mems[i]));
    }
    for (int round = 0; round < 20; round++) {
        gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
        gl.ClearColor((float)(round * 10) / 255.0f, 0.0f, 1.0f, 0.0f);
        gl.Clear(GL_COLOR_BUFFER_BIT);
        OK(clEnqueueAcquireGLObjects(queue, 2, mems, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
        OK(clEnqueueReleaseGLObjects(queue, 2, mems, 0, NULL, NULL));
        gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
        gl.ReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, seen);
        const unsigned char expected[4] = {(unsigned char)(round * 10 + 1), 1, 255, 1};
        bool right = true;
        for (int i = 0; i < SIDE * SIDE; i++)
            right = right && !memcmp(&seen[4 * i], expected, 4);
        CHECK(right);
    }
    for (int i = 0; i < 2; i++)
        OK(clReleaseMemObject(mems[i]));
    gl.DeleteFramebuffers(2, framebuffers);
    gl.DeleteTextures(2, names);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
    free(seen);
}

/* The thread that would set the user event does not wait for ever. */
static void test_behind_user_event(void)
{
    cl_uint word = 7, nine = 9, seen = 0;
    GLuint name = new_buffer(4, &word);
    cl_mem mem = buffer_from(name);
    cl_event gate = user_event(), done;
    acquire(mem);
    OK(clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, 4, &nine, 1, &gate, NULL));
    OK(clEnqueueReleaseGLObjects(queue, 1, &mem, 0, NULL, &done));
    CHECK(event_status(done) != CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, 4, &seen);
    CHECK(seen == 9);
    cl_command_type type;
    OK(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_RELEASE_GL_OBJECTS);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
    OK(clReleaseMemObject(mem));
    gl.DeleteBuffers(1, &name);
}

static cl_command_queue loose_queue(void)
{
    cl_int error;
    cl_command_queue loose = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    NEED(error == CL_SUCCESS);
    return loose;
}

/* A write that is enqueued before the acquiring command, and runs between it and the releasing one. */
static void test_write_told_before(void)
{
    cl_uint word = 7, nine = 9, seen = 0;
    GLuint name = new_buffer(4, &word);
    cl_mem mem = buffer_from(name);
    cl_command_queue loose = loose_queue();
    cl_event gate = user_event(), written, acquired, done;
    OK(clEnqueueWriteBuffer(loose, mem, CL_FALSE, 0, 4, &nine, 1, &gate, &written));
    OK(clEnqueueAcquireGLObjects(loose, 1, &mem, 0, NULL, &acquired));
    OK(clWaitForEvents(1, &acquired));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clEnqueueReleaseGLObjects(loose, 1, &mem, 1, &written, &done));
    OK(clWaitForEvents(1, &done));
    gl.BindBuffer(GL_ARRAY_BUFFER, name);
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, 4, &seen);
    CHECK(seen == 9);
    cl_event events[] = {gate, written, acquired, done};
    for (int i = 0; i < 4; i++)
        OK(clReleaseEvent(events[i]));
    OK(clReleaseCommandQueue(loose));
    OK(clReleaseMemObject(mem));
    gl.DeleteBuffers(1, &name);
}

/* A release that is enqueued before the acquiring command, and runs behind it; of memory that goes each of the ways. */
static void test_release_told_before(cl_mem mem, const void *bytes, size_t size)
{
    cl_command_queue loose = loose_queue();
    cl_event gate = user_event(), acquired, written, done;
    const size_t zero[3] = {0, 0, 0}, region[3] = {16, 16, 1};
    OK(clEnqueueReleaseGLObjects(loose, 1, &mem, 1, &gate, &done));
    OK(clEnqueueAcquireGLObjects(queue, 1, &mem, 0, NULL, &acquired));
    if (size == 4)
        OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, bytes, 0, NULL, &written));
    else
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, bytes, 0, NULL, &written));
    OK(clWaitForEvents(1, &written));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &done));
    CHECK(event_status(done) == CL_COMPLETE);
    cl_event events[] = {gate, written, acquired, done};
    for (int i = 0; i < 4; i++)
        OK(clReleaseEvent(events[i]));
    OK(clReleaseCommandQueue(loose));
}

static void test_releases_told_before(void)
{
    cl_uint word = 7, nine = 9, seen = 0;
    unsigned char texels[16 * 16 * 4], seen_texels[16 * 16 * 4];
    GLuint name = new_buffer(4, &word), texture = new_plane(16, 16, NULL);
    cl_mem mem = buffer_from(name), image = image_from(GL_TEXTURE_2D, 0, texture);
    for (cl_uint round = 0; round < 2; round++) {
        nine += round;
        memset(texels, 0x33 + (int)round, sizeof(texels));
        test_release_told_before(mem, &nine, 4);
        test_release_told_before(image, texels, sizeof(texels));
        gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, 4, &seen);
        gl.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen_texels);
        CHECK(seen == nine && !memcmp(texels, seen_texels, sizeof(texels)));
    }
    /* What nobody has acquired stays OpenGL's. */
    gl.BufferSubData(GL_ARRAY_BUFFER, 0, 4, &word);
    give_back(mem);
    OK(clFinish(queue));
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, 4, &seen);
    CHECK(seen == word);
    OK(clReleaseMemObject(mem));
    OK(clReleaseMemObject(image));
    gl.DeleteBuffers(1, &name);
    gl.DeleteTextures(1, &texture);
}

/* What commands have written stays when their object is acquired again. */
static void test_acquired_twice(void)
{
    cl_uint word = 7, nine = 9, seen = 0;
    const size_t zero[3] = {0, 0, 0}, region[3] = {16, 16, 1};
    unsigned char texels[16 * 16 * 4], seen_texels[16 * 16 * 4];
    GLuint name = new_buffer(4, &word), texture = new_plane(16, 16, NULL);
    cl_mem mems[2] = {buffer_from(name), image_from(GL_TEXTURE_2D, 0, texture)};
    memset(texels, 0x44, sizeof(texels));
    OK(clEnqueueAcquireGLObjects(queue, 2, mems, 0, NULL, NULL));
    OK(clEnqueueWriteBuffer(queue, mems[0], CL_FALSE, 0, 4, &nine, 0, NULL, NULL));
    OK(clEnqueueWriteImage(queue, mems[1], CL_FALSE, zero, region, 0, 0, texels, 0, NULL, NULL));
    OK(clEnqueueAcquireGLObjects(queue, 2, mems, 0, NULL, NULL));
    OK(clEnqueueReleaseGLObjects(queue, 2, mems, 0, NULL, NULL));
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, 4, &seen);
    gl.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen_texels);
    CHECK(seen == nine && !memcmp(texels, seen_texels, sizeof(texels)));
    /* OpenGL has it now: this time it is fetched. */
    gl.BufferSubData(GL_ARRAY_BUFFER, 0, 4, &word);
    OK(clEnqueueAcquireGLObjects(queue, 2, mems, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mems[0], CL_TRUE, 0, 4, &seen, 0, NULL, NULL));
    CHECK(seen == word);
    OK(clEnqueueReleaseGLObjects(queue, 2, mems, 0, NULL, NULL));
    for (int i = 0; i < 2; i++)
        OK(clReleaseMemObject(mems[i]));
    gl.DeleteBuffers(1, &name);
    gl.DeleteTextures(1, &texture);
}

/* ---- sync objects ---- */

static void test_syncs(void)
{
    cl_int error;
    cl_uint word = 1, seen = 0;
    GLuint name = new_buffer(4, &word);
    cl_mem mem = buffer_from(name);
    gl.BufferSubData(GL_ARRAY_BUFFER, 0, 4, &(cl_uint){5});
    GLsync sync = gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    cl_event event = clCreateEventFromGLsyncKHR(context, (cl_GLsync)sync, &error), acquired;
    NEED(error == CL_SUCCESS);
    gl.DeleteSync(sync);
    gl.Flush();
    cl_command_type type;
    cl_command_queue of = queue;
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    OK(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(of), &of, NULL));
    CHECK(type == CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR && !of && event_status(event) <= CL_SUBMITTED);
    CODE(CL_INVALID_EVENT, clSetUserEventStatus(event, CL_COMPLETE));
    CODE(CL_INVALID_EVENT, clEnqueueMarkerWithWaitList(queue, 1, &event, NULL));
    CODE(CL_INVALID_EVENT, clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &seen, 1, &event, NULL));
    OK(clEnqueueAcquireGLObjects(queue, 1, &mem, 1, &event, &acquired));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &seen, 0, NULL, NULL));
    CHECK(seen == 5 && event_status(event) == CL_COMPLETE && event_status(acquired) == CL_COMPLETE);
    OK(clWaitForEvents(1, &event));
    OK(clGetEventInfo(acquired, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    CHECK(type == CL_COMMAND_ACQUIRE_GL_OBJECTS);
    give_back(mem);
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateEventFromGLsyncKHR(context, NULL, &error));
    NO_OBJECT(CL_INVALID_GL_OBJECT, clCreateEventFromGLsyncKHR(context, (cl_GLsync)0x1234, &error));
    NO_OBJECT(CL_INVALID_CONTEXT, clCreateEventFromGLsyncKHR(NULL, NULL, &error));
    OK(clReleaseEvent(event));
    OK(clReleaseEvent(acquired));
    OK(clReleaseMemObject(mem));
    gl.DeleteBuffers(1, &name);
}

/* ---- threads ---- */

struct worker {
    struct test_gl gl; /* a context that shares with the first */
    cl_command_queue queue;
    GLuint name;
    cl_mem mem;
    int id, right;
};

enum { WORDS = 4096, ROUNDS = 40 };

static void *work(void *data)
{
    struct worker *worker = data;
    cl_uint *words = malloc(WORDS * 4), *seen = malloc(WORDS * 4);
    if (!test_gl_make_current(&worker->gl, true))
        return NULL;
    worker->gl.BindBuffer(GL_ARRAY_BUFFER, worker->name);
    for (cl_uint round = 0; round < ROUNDS; round++) {
        for (cl_uint i = 0; i < WORDS; i++)
            words[i] = round * 1000 + i + (cl_uint)worker->id;
        worker->gl.BufferSubData(GL_ARRAY_BUFFER, 0, WORDS * 4, words);
        OK(clEnqueueAcquireGLObjects(worker->queue, 1, &worker->mem, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(worker->queue, worker->mem, CL_TRUE, 0, WORDS * 4, seen, 0, NULL, NULL));
        bool there = !memcmp(words, seen, WORDS * 4);
        words[3] ^= 0xffff;
        OK(clEnqueueWriteBuffer(worker->queue, worker->mem, CL_TRUE, 0, WORDS * 4, words, 0, NULL, NULL));
        OK(clEnqueueReleaseGLObjects(worker->queue, 1, &worker->mem, 0, NULL, NULL));
        worker->gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, WORDS * 4, seen);
        worker->right += there && !memcmp(words, seen, WORDS * 4);
    }
    test_gl_make_current(&worker->gl, false);
    free(words);
    free(seen);
    return NULL;
}

static void test_threads(void)
{
    struct worker workers[2];
    pthread_t threads[2];
    cl_int error;
    for (int i = 0; i < 2; i++) {
        workers[i] = (struct worker){.id = i};
        NEED(test_gl_open(&workers[i].gl, gl.context));
        test_gl_make_current(&gl, true);
        workers[i].name = new_buffer(WORDS * 4, NULL);
        workers[i].mem = buffer_from(workers[i].name);
        workers[i].queue = clCreateCommandQueue(context, device, 0, &error);
        NEED(error == CL_SUCCESS);
    }
    gl.Finish();
    for (int i = 0; i < 2; i++)
        NEED(!pthread_create(&threads[i], NULL, work, &workers[i]));
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        CHECK(workers[i].right == ROUNDS);
        OK(clReleaseMemObject(workers[i].mem));
        OK(clReleaseCommandQueue(workers[i].queue));
        test_gl_close(&workers[i].gl);
    }
    test_gl_make_current(&gl, true);
    for (int i = 0; i < 2; i++)
        gl.DeleteBuffers(1, &workers[i].name);
}

/* ---- names ---- */

/* The data store stays OpenCL's when its name is another object's. */
static void test_names_given_again(void)
{
    unsigned char first[16 * 16 * 4], other[16 * 16 * 4], seen[16 * 16 * 4];
    const size_t zero[3] = {0, 0, 0}, region[3] = {16, 16, 1};
    cl_uint word = 0x600d, wrong = 0xbad, seen_word = 0;
    memset(first, 0x42, sizeof(first));
    memset(other, 0x66, sizeof(other));
    GLuint texture = new_plane(16, 16, first), buffer = new_buffer(4, &word), again, buffer_again;
    cl_mem image = image_from(GL_TEXTURE_2D, 0, texture), mem = buffer_from(buffer);
    gl.DeleteTextures(1, &texture);
    gl.DeleteBuffers(1, &buffer);
    again = new_plane(16, 16, other);
    buffer_again = new_buffer(4, &wrong);
    acquire(image);
    acquire(mem);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &seen_word, 0, NULL, NULL));
    CHECK(!memcmp(seen, first, sizeof(first)) && seen_word == word);
    OK(clEnqueueWriteImage(queue, image, CL_TRUE, zero, region, 0, 0, first, 0, NULL, NULL));
    give_back(image);
    give_back(mem);
    gl.BindTexture(GL_TEXTURE_2D, again);
    gl.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen);
    CHECK(!memcmp(seen, other, sizeof(other)));
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(mem));
    gl.DeleteTextures(1, &again);
    gl.DeleteBuffers(1, &buffer_again);
}

/* OpenCL's command fails, and nothing is written beyond its memory. */
static void test_size_changed(void)
{
    cl_event event;
    GLuint name = new_plane(8, 8, NULL);
    cl_mem image = image_from(GL_TEXTURE_2D, 0, name);
    gl.BindTexture(GL_TEXTURE_2D, name);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1024, 1024, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    OK(clEnqueueAcquireGLObjects(queue, 1, &image, 0, NULL, &event));
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    CHECK(event_status(event) == CL_INVALID_GL_OBJECT);
    OK(clReleaseEvent(event));
    OK(clReleaseMemObject(image));
    gl.DeleteTextures(1, &name);
}

static GLuint new_renderbuffer(GLenum format, GLsizei width, GLsizei height, GLuint *framebuffer)
{
    GLuint name;
    gl.GenRenderbuffers(1, &name);
    gl.BindRenderbuffer(GL_RENDERBUFFER, name);
    gl.RenderbufferStorage(GL_RENDERBUFFER, format, width, height);
    gl.GenFramebuffers(1, framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
    return name;
}

static void delete_renderbuffer(GLuint name, GLuint framebuffer)
{
    gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl.DeleteFramebuffers(1, &framebuffer);
    gl.DeleteRenderbuffers(1, &name);
}

/* The same of renderbuffers, for a larger one, a smaller one, and one of another format. What is as it was goes on. */
static void test_renderbuffer_changed(void)
{
    static const struct {
        GLenum before, format;
        GLsizei width, height;
        bool goes_on;
    } rows[] = {{GL_RGBA8, GL_RGBA8, 16, 12, true},
                {GL_RGBA8, GL_RGBA8, 64, 64, false},
                {GL_RGBA8, GL_RGBA8, 16, 11, false},
                {GL_RGBA8, GL_RGBA8, 17, 12, false},
                {GL_RGBA8, GL_R32F, 16, 12, false},
                {GL_RGBA8, GL_SRGB8_ALPHA8, 16, 12, false},
                {GL_RGBA32I, GL_RGBA32I, 16, 13, false},
                {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT32F, 15, 12, false},
                {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT32F, 16, 12, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int acquired = 0; acquired < 2; acquired++) {
            cl_event event;
            cl_int error;
            GLuint framebuffer, name = new_renderbuffer(rows[i].before, 16, 12, &framebuffer);
            cl_mem image = clCreateFromGLRenderbuffer(context, CL_MEM_READ_WRITE, name, &error);
            const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
            NEED(error == CL_SUCCESS);
            if (acquired) {
                acquire(image);
                OK(clEnqueueFillImage(queue, image, (float[4]){1, 0, 1, 0}, zero, one, 0, NULL, NULL));
                OK(clFinish(queue));
            }
            gl.RenderbufferStorage(GL_RENDERBUFFER, rows[i].format, rows[i].width, rows[i].height);
            if (acquired)
                OK(clEnqueueReleaseGLObjects(queue, 1, &image, 0, NULL, &event));
            else
                OK(clEnqueueAcquireGLObjects(queue, 1, &image, 0, NULL, &event));
            clWaitForEvents(1, &event);
            CHECK(event_status(event) == (rows[i].goes_on ? CL_COMPLETE : CL_INVALID_GL_OBJECT));
            OK(clReleaseEvent(event));
            OK(clReleaseMemObject(image));
            delete_renderbuffer(name, framebuffer);
        }
    }
}

/* A renderbuffer stays OpenCL's when its name is that of another, which has another size. */
static void test_renderbuffer_name_given_again(void)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {16, 12, 1};
    unsigned char seen[16 * 12 * 4];
    cl_int error;
    GLuint framebuffer, again, name = new_renderbuffer(GL_RGBA8, 16, 12, &framebuffer);
    gl.ClearColor(0.2f, 0.4f, 0.6f, 0.8f);
    gl.Clear(GL_COLOR_BUFFER_BIT);
    cl_mem image = clCreateFromGLRenderbuffer(context, CL_MEM_READ_WRITE, name, &error);
    NEED(error == CL_SUCCESS);
    delete_renderbuffer(name, framebuffer);
    again = new_renderbuffer(GL_RGBA8, 4, 4, &framebuffer);
    acquire(image);
    OK(clEnqueueReadImage(queue, image, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof(seen); i++)
        CHECK(seen[i] == 51 * (i % 4 + 1));
    OK(clEnqueueWriteImage(queue, image, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
    give_back(image);
    OK(clFinish(queue));
    CHECK(gl.GetError() == GL_NO_ERROR);
    OK(clReleaseMemObject(image));
    delete_renderbuffer(again, framebuffer);
}

/* More textures than there are units that hold them. */
static void test_many(void)
{
    enum { MANY = 300 };
    unsigned char texel[4] = {1, 2, 3, 4}, seen[4];
    const size_t zero[3] = {0, 0, 0}, region[3] = {1, 1, 1};
    GLuint names[MANY];
    cl_mem mems[MANY];
    for (int i = 0; i < MANY; i++) {
        texel[0] = (unsigned char)i;
        names[i] = new_plane(1, 1, texel);
        mems[i] = image_from(GL_TEXTURE_2D, 0, names[i]);
    }
    OK(clEnqueueAcquireGLObjects(queue, MANY, mems, 0, NULL, NULL));
    for (int i = 0; i < MANY; i++) {
        OK(clEnqueueReadImage(queue, mems[i], CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
        CHECK(seen[0] == (i & 255) && seen[3] == 4);
    }
    OK(clEnqueueReleaseGLObjects(queue, MANY, mems, 0, NULL, NULL));
    for (int i = 0; i < MANY; i++)
        OK(clReleaseMemObject(mems[i]));
    gl.DeleteTextures(MANY, names);
}

/* ---- what is left ---- */

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void change_hands(int times)
{
    GLuint texture = new_plane(64, 64, NULL), buffer = new_buffer(1 << 16, NULL);
    cl_mem mems[2] = {image_from(GL_TEXTURE_2D, 0, texture), buffer_from(buffer)};
    for (int i = 0; i < times; i++) {
        OK(clEnqueueAcquireGLObjects(queue, 2, mems, 0, NULL, NULL));
        OK(clEnqueueWriteBuffer(queue, mems[1], CL_FALSE, 0, 4, &i, 0, NULL, NULL));
        OK(clEnqueueReleaseGLObjects(queue, 2, mems, 0, NULL, NULL));
    }
    OK(clReleaseMemObject(mems[0]));
    OK(clReleaseMemObject(mems[1]));
    gl.DeleteTextures(1, &texture);
    gl.DeleteBuffers(1, &buffer);
}

static void test_leaks(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    enum { PAIRS = 1000, KIB = 1 << 20 }; /* sanitizers keep what was freed, and look for leaks themselves */
#else
    enum { PAIRS = 1000, KIB = 8192 };
#endif
    change_hands(100);
    long before = resident_kib();
    change_hands(PAIRS);
    long after = resident_kib();
    if (after - before > KIB)
        fprintf(stderr, "%ld KiB more\n", after - before);
    CHECK(after - before <= KIB);
}

/* ---- ends ---- */

/* The application's context is gone, but OpenCL's share group lives. */
static void test_gl_ends_first(void)
{
    cl_uint word = 11, seen = 0;
    GLuint name = new_buffer(4, &word);
    cl_mem mem = buffer_from(name);
    gl.Finish();
    test_gl_close(&gl);
    acquire(mem);
    OK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 4, &seen, 0, NULL, NULL));
    CHECK(seen == 11);
    OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
    give_back(mem);
    OK(clReleaseMemObject(mem));
}

static void test_cl_ends_first(void)
{
    open_shared();
    cl_uint word = 12, seen = 0;
    GLuint name = new_buffer(4, &word);
    cl_mem mem = buffer_from(name);
    acquire(mem);
    OK(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, 4, &(cl_uint){13}, 0, NULL, NULL));
    give_back(mem);
    OK(clReleaseMemObject(mem));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, 4, &seen);
    CHECK(seen == 13 && gl.GetError() == GL_NO_ERROR);
    queue = NULL;
    context = NULL;
    test_gl_close(&gl);
}

/* OpenGL ES: where one of OpenGL shares objects with it, what it draws arrives, and comes back. */
static void test_es(void)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    unsigned char texels[64], seen[64];
    cl_context_properties properties[7];
    GLuint name, framebuffer;
    cl_int error;
    if (!test_gl_open_es(&gl))
        return;
    test_gl_properties(&gl, platform, properties);
    context = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    CHECK(error == CL_SUCCESS || error == CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
    if (error == CL_SUCCESS) {
        queue = clCreateCommandQueue(context, device, 0, &error);
        NEED(error == CL_SUCCESS);
        name = new_plane(4, 4, NULL);
        gl.GenFramebuffers(1, &framebuffer);
        gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
        gl.ClearColor(1.0f, 0.0f, 0.2f, 0.4f);
        gl.Clear(GL_COLOR_BUFFER_BIT);
        cl_mem mem = image_from(GL_TEXTURE_2D, 0, name);
        acquire(mem);
        OK(clEnqueueReadImage(queue, mem, CL_TRUE, zero, region, 0, 0, seen, 0, NULL, NULL));
        CHECK(seen[0] == 255 && seen[1] == 0 && seen[2] == 51 && seen[63] == 102);
        memset(texels, 0x29, sizeof(texels));
        OK(clEnqueueWriteImage(queue, mem, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
        give_back(mem);
        gl.ReadPixels(0, 0, 4, 4, GL_RGBA, GL_UNSIGNED_BYTE, seen);
        CHECK(!memcmp(texels, seen, sizeof(texels)));
        OK(clReleaseMemObject(mem));
        OK(clReleaseCommandQueue(queue));
        OK(clReleaseContext(context));
    }
    queue = NULL;
    context = NULL;
    eglMakeCurrent(gl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(gl.display, gl.context);
}

static int end_of_egl(void)
{
    open_shared();
    GLuint name = new_buffer(4, NULL);
    cl_mem mem = buffer_from(name);
    acquire(mem);
    give_back(mem);
    test_gl_close(&gl);
    eglTerminate(gl.display);
    OK(clReleaseMemObject(mem));
    return close_device();
}

/* What one device has acquired, the other one sees, and gives back. */
static int two_devices(void)
{
    struct test_device found[2];
    cl_device_id devices[2];
    cl_command_queue queues[2];
    cl_context_properties properties[7];
    cl_uint word = 21, other = 22, seen = 0;
    unsigned char texels[64], texels_seen[64];
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    cl_int error;
    if (test_find_devices("Pumice", found, 2) < 2 || !test_gl_open(&gl, EGL_NO_CONTEXT))
        return TEST_SKIPPED;
    test_gl_properties(&gl, found[0].platform, properties);
    for (int i = 0; i < 2; i++)
        devices[i] = found[i].id;
    context = clCreateContext(properties, 2, devices, NULL, NULL, &error);
    NEED(error == CL_SUCCESS);
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, devices[i], 0, &error);
        NEED(error == CL_SUCCESS);
    }
    memset(texels, 0x31, sizeof(texels));
    GLuint name = new_buffer(4, &word), plane = new_plane(4, 4, texels);
    cl_mem mems[2] = {buffer_from(name), image_from(GL_TEXTURE_2D, 0, plane)};
    for (int round = 0; round < 3; round++) {
        OK(clEnqueueAcquireGLObjects(queues[0], 2, mems, 0, NULL, NULL));
        OK(clFinish(queues[0]));
        OK(clEnqueueReadBuffer(queues[1], mems[0], CL_TRUE, 0, 4, &seen, 0, NULL, NULL));
        OK(clEnqueueReadImage(queues[1], mems[1], CL_TRUE, zero, region, 0, 0, texels_seen, 0, NULL, NULL));
        CHECK(seen == word && !memcmp(texels, texels_seen, sizeof(texels)));
        memset(texels, 0x40 + round, sizeof(texels));
        word = other + (cl_uint)round;
        OK(clEnqueueWriteBuffer(queues[1], mems[0], CL_TRUE, 0, 4, &word, 0, NULL, NULL));
        OK(clEnqueueWriteImage(queues[1], mems[1], CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
        OK(clEnqueueReleaseGLObjects(queues[0], 2, mems, 0, NULL, NULL));
        gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, 4, &seen);
        gl.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels_seen);
        CHECK(seen == word && !memcmp(texels, texels_seen, sizeof(texels)));
    }
    for (int i = 0; i < 2; i++) {
        OK(clReleaseMemObject(mems[i]));
        OK(clReleaseCommandQueue(queues[i]));
    }
    OK(clReleaseContext(context));
    test_gl_close(&gl);
    return test_result();
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "twins"))
        return two_devices();
    if (argc > 1 && !strcmp(argv[1], "terminate"))
        return end_of_egl();
    open_shared();
    test_implicit();
    test_behind_user_event();
    test_acquired_twice();
    test_write_told_before();
    test_releases_told_before();
    test_acquired_twice();
    test_syncs();
    test_threads();
    test_names_given_again();
    test_size_changed();
    test_renderbuffer_changed();
    test_renderbuffer_name_given_again();
    OK(clReleaseCommandQueue(queue)); /* a command of it has failed */
    cl_int error;
    queue = clCreateCommandQueue(context, device, 0, &error);
    NEED(error == CL_SUCCESS);
    test_many();
    test_leaks();
    CHECK(gl.GetError() == GL_NO_ERROR);
    test_gl_ends_first();
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    test_cl_ends_first();
    test_es();
    return test_result();
}
