/* Stands for ggml's OpenCL backend: all that counts is the library's name. */
int pumice_test_ggml(void);
int pumice_test_ggml(void)
{
    return 1;
}
