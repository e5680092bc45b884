// options: -cl-std=CL3.0
// expect: GenericPointer
// expect: OpPtrCastToGeneric
// expect: CrossWorkgroup
// expect: OpGenericCastToPtr
global int counter = 5;
global int *global pointer_to_counter = &counter;
global int array[4] = {1, 2, 3};
global float uninitialised;

int sum(int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

kernel void generic_pointers(global int *g, local int *l, int k)
{
    int here[4] = {1, 2, 3, 4};
    static global int kept = 7;
    g[0] = sum(g, k) + sum(l, k) + sum(here, 4) + sum(array, 4);
    int *p = here;
    if (k)
        p = g;
    *p = 3;
    global int *back = (global int *)p;
    *back = 4;
    counter++;
    *pointer_to_counter += kept++;
    uninitialised = 2.0f;
}
