/* A list and a tree that the host builds in shared virtual memory: a kernel walks them by the same pointers, changes
 * them, and the host reads what it left. Where the device shares no memory the example says so. */
#include "common.h"

#include <stdlib.h>

struct node {
    struct node *left, *right; /* a list goes by right alone */
    int key, count;
};

static cl_context context;

static struct node *new_node(int key)
{
    struct node *node = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*node), 0);
    if (node)
        *node = (struct node){NULL, NULL, key, 0};
    else
        exit(1);
    return node;
}

static void insert(struct node **tree, int key)
{
    while (*tree)
        tree = key < (*tree)->key ? &(*tree)->left : &(*tree)->right;
    *tree = new_node(key);
}

static int sum_of(const struct node *node)
{
    return node ? node->count + sum_of(node->left) + sum_of(node->right) : 0;
}

static void free_all(struct node *node)
{
    if (!node)
        return;
    free_all(node->left);
    free_all(node->right);
    clSVMFree(context, node);
}

int main(void)
{
    enum { KEYS = 2000, QUERIES = 4096 };
    struct example example;
    cl_device_svm_capabilities svm = 0;
    example_open(&example);
    CHECK(clGetDeviceInfo(example.device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
    if (!(svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
        example_close(&example);
        return example_result("svm", true, "the device shares no memory with the host: nothing to show");
    }
    context = example.context;
    example_build(&example, "svm.cl", "-cl-std=CL3.0");

    struct node *tree = NULL, *list = NULL;
    unsigned seed = 7;
    for (int i = 0; i < KEYS; i++)
        insert(&tree, (int)(example_random(&seed) * 100000));
    for (int i = 0; i < 100; i++) {
        struct node *node = new_node(i);
        node->right = list;
        list = node;
    }

    /* Every work-item looks for the key nearest above its own number, and counts itself there. */
    cl_kernel search = example_kernel(&example, "search");
    cl_bool anywhere = CL_TRUE;
    size_t global = QUERIES, one = 1;
    CHECK(clSetKernelArgSVMPointer(search, 0, tree));
    if (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)
        CHECK(clSetKernelExecInfo(search, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(anywhere), &anywhere));
    double seconds = example_run(&example, search, 1, &global, NULL);
    /* One work-item turns the list round. */
    cl_kernel reverse = example_kernel(&example, "reverse");
    struct node **head = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(*head), 0);
    *head = list;
    CHECK(clSetKernelArgSVMPointer(reverse, 0, head));
    example_run(&example, reverse, 1, &one, &one);

    int found = sum_of(tree), wrong = 0, expected = 0, at = 0;
    for (int i = 0; i < QUERIES; i++) {
        int key = i * 25;
        const struct node *best = NULL;
        for (const struct node *node = tree; node; node = key <= node->key ? node->left : node->right)
            best = key <= node->key ? node : best;
        expected += best != NULL;
    }
    for (const struct node *node = *head; node; node = node->right)
        wrong += node->key != at++;
    bool ok = found == expected && wrong == 0 && at == 100;
    int exit_code = example_result("svm", ok,
                                   "%d of %d searches found a key, as on the host (%d); the list of %d is "
                                   "turned round; %.3f ms",
                                   found, QUERIES, expected, at, seconds * 1e3);
    free_all(tree);
    free_all(*head);
    clSVMFree(context, head);
    CHECK(clReleaseKernel(search));
    CHECK(clReleaseKernel(reverse));
    example_close(&example);
    return exit_code;
}
