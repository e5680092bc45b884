/* Pipes from OpenCL C to a ring in memory (docs/pipes.md), below any OpenCL API: every built-in function of pipes, with
 * packets of several sizes, pipes that run full and empty, and positions that wrap around. */
#include "run_kernel.h"

enum { MAX = 40, SLOTS = 64, ITEMS = 64, HEADER = 8 };

struct pipe {
    struct vkb_buffer *buffer;
    uint32_t packet_size;
};

static struct pipe make_pipe(struct vkb_queue *queue, uint32_t packet_size, uint32_t first)
{
    uint32_t words[HEADER + SLOTS] = {packet_size, MAX, SLOTS - 1, sizeof(words), first, first};
    struct pipe pipe = {make_buffer(sizeof(words) + SLOTS * packet_size, false), packet_size};
    for (uint32_t i = 0; i < SLOTS; i++)
        words[HEADER + ((first + i) & (SLOTS - 1))] = first + i;
    write_now(queue, pipe.buffer, 0, words, sizeof(words));
    return pipe;
}

static const char source[] = "kernel void k(ACCESS pipe TYPE p, global TYPE *data, global int *result)\n"
                             "{\n"
                             "    int i = get_global_id(0);\n"
                             "    TYPE value = data[i];\n"
                             "    BODY\n"
                             "    data[i] = value;\n"
                             "    if (i == 0) result[2] = get_pipe_max_packets(p);\n"
                             "}\n";

static void run(struct vkb_queue *queue, const struct pipe *pipe, const char *type, const char *access,
                const char *body, void *data, int32_t result[4])
{
    char options[1024];
    uint32_t size = ITEMS * pipe->packet_size;
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DTYPE=%s -DACCESS=%s -DBODY=%s", type, access, body);
    struct kernel kernel = make_kernel(source, options);
    struct vkb_buffer *values = make_buffer(size, false), *out = make_buffer(16, false);
    memset(result, 0, 16);
    write_now(queue, values, 0, data, size);
    write_now(queue, out, 0, result, 16);
    const struct argument args[] = {{.buffer = pipe->buffer}, {.buffer = values}, {.buffer = out}};
    run_kernel(queue, &kernel, args, 3, ITEMS, NULL, false);
    read_now(queue, values, 0, data, size);
    read_now(queue, out, 0, result, 16);
    CHECK(result[2] == MAX);
    free_kernel(&kernel);
    vkb_buffer_release(values);
    vkb_buffer_release(out);
}

/* What identifies a packet is its first byte; the others follow from it. */
static void fill(uint8_t *data, uint32_t packet_size, uint8_t first)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        for (uint32_t b = 0; b < packet_size; b++)
            data[i * packet_size + b] = (uint8_t)(first + i + b * 3);
    }
}

/* How many of the packets are whole, and not of those that the caller put there. */
static uint32_t count_whole(const uint8_t *data, uint32_t packet_size, uint8_t seen[256])
{
    uint32_t whole = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint8_t *packet = data + i * packet_size;
        bool right = packet[0] < 180;
        for (uint32_t b = 1; b < packet_size; b++)
            right = right && packet[b] == (uint8_t)(packet[0] + b * 3);
        if (right && !seen[packet[0]]++)
            whole++;
    }
    return whole;
}

#define COUNT(call) "if((" call ")==0)atomic_inc(&result[0]);else(atomic_inc(&result[1]));"

static void test_single(struct vkb_queue *queue, const char *type, uint32_t packet_size, uint32_t first)
{
    uint8_t data[ITEMS * 16], seen[256] = {0};
    int32_t result[4];
    struct pipe pipe = make_pipe(queue, packet_size, first);
    fill(data, packet_size, 0);
    run(queue, &pipe, type, "write_only", COUNT("write_pipe(p,&value)"), data, result);
    CHECK(result[0] == MAX && result[1] == ITEMS - MAX);
    /* some of them out, others in, all out */
    fill(data, packet_size, 180);
    run(queue, &pipe, type, "read_only", "if(i<30)" COUNT("read_pipe(p,&value)"), data, result);
    CHECK(result[0] == 30 && count_whole(data, packet_size, seen) == 30);
    fill(data, packet_size, 100);
    run(queue, &pipe, type, "write_only", COUNT("write_pipe(p,&value)"), data, result);
    CHECK(result[0] == 30);
    run(queue, &pipe, type, "write_only", "if(i==0)result[0]=get_pipe_num_packets(p);", data, result);
    CHECK(result[0] == MAX);
    fill(data, packet_size, 180);
    run(queue, &pipe, type, "read_only", COUNT("read_pipe(p,&value)"), data, result);
    CHECK(result[0] == MAX && result[1] == ITEMS - MAX && count_whole(data, packet_size, seen) == MAX);
    run(queue, &pipe, type, "read_only", "if(i==0)result[0]=get_pipe_num_packets(p);", data, result);
    CHECK(result[0] == 0);
    vkb_buffer_release(pipe.buffer);
}

/* Reserved by eight work-items of their own, by whole groups, and by sub-groups; two groups of 32 run. */
static void test_reserved(struct vkb_queue *queue, uint32_t first)
{
    static const struct {
        const char *write, *read;
        int32_t written, read_back;
    } cases[] = {
        {"if(i<10){reserve_id_t/**/r=reserve_write_pipe(p,4);if(is_valid_reserve_id(r)){for(int/**/"
         "k=0;k<4;k++){value=(uchar4)(i*4+k)"
         "+(uchar4)(0,3,6,9);" COUNT("write_pipe(p,r,k,&value)") "}commit_write_pipe(p,r);}}",
         "if(i<10){reserve_id_t/**/r=reserve_read_pipe(p,2);if(is_valid_reserve_id(r)){" COUNT(
             "read_pipe(p,r,1,&value)") "commit_read_pipe(p,r);}}",
         40, 10},
        {"reserve_id_t/**/r=work_group_reserve_write_pipe(p,32);if(is_valid_reserve_id(r)){" COUNT(
             "write_pipe(p,r,get_local_id(0),&value)") "work_group_commit_write_pipe(p,r);}",
         "reserve_id_t/**/r=work_group_reserve_read_pipe(p,32);if(is_valid_reserve_id(r)){" COUNT(
             "read_pipe(p,r,get_local_id(0),&value)") "work_group_commit_read_pipe(p,r);}",
         32, 32},
        {"if(get_group_id(0)==0){reserve_id_t/**/r=sub_group_reserve_write_pipe(p,get_sub_group_size());"
         "if(is_valid_reserve_id(r)){" COUNT(
             "write_pipe(p,r,get_sub_group_local_id(),&value)") "sub_group_commit_write_pipe(p,r);}}",
         "if(get_group_id(0)==1){reserve_id_t/**/r=sub_group_reserve_read_pipe(p,get_sub_group_size());"
         "if(is_valid_reserve_id(r)){" COUNT(
             "read_pipe(p,r,get_sub_group_local_id(),&value)") "sub_group_commit_read_pipe(p,r);}}",
         32, 32},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        uint8_t data[ITEMS * 4], seen[256] = {0};
        int32_t result[4];
        struct pipe pipe = make_pipe(queue, 4, first);
        fill(data, 4, 0);
        run(queue, &pipe, "uchar4", "write_only", cases[i].write, data, result);
        CHECK(result[0] == cases[i].written && result[1] == 0);
        fill(data, 4, 180);
        run(queue, &pipe, "uchar4", "read_only", cases[i].read, data, result);
        CHECK(result[0] == cases[i].read_back && result[1] == 0);
        CHECK(count_whole(data, 4, seen) == (uint32_t)cases[i].read_back);
        vkb_buffer_release(pipe.buffer);
    }
}

static void test_all(void)
{
    struct vkb_queue *queue = make_queue(0);
    if (!device->caps.memory_model || !device->caps.device_scope || device->caps.subgroup_size < 2) {
        printf("no memory model of device scope, or no sub-groups: not tested\n");
        vkb_queue_release(queue);
        return;
    }
    test_single(queue, "int", 4, 0);
    test_single(queue, "uchar", 1, 0);
    test_single(queue, "short4", 8, 5);
    test_single(queue, "float4", 16, 0xffffffe0);
    test_reserved(queue, 0);
    test_reserved(queue, 0xfffffff8);
    vkb_queue_release(queue);
}

int main(void)
{
    return test_devices(test_all);
}
