// Trees and lists whose pointers the host has set.
struct node {
    global struct node *left, *right;
    int key, count;
};

kernel void search(global struct node *tree)
{
    int key = get_global_id(0) * 25;
    global struct node *best = 0;
    for (global struct node *node = tree; node; node = key <= node->key ? node->left : node->right)
        if (key <= node->key)
            best = node;
    if (best)
        atomic_inc(&best->count);
}

kernel void reverse(global struct node *global *head)
{
    global struct node *done = 0;
    for (global struct node *node = *head, *next; node; node = next) {
        next = node->right;
        node->right = done;
        done = node;
    }
    *head = done;
}
