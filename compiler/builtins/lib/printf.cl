// printf: room for a record, and strings that only the kernel knows.

// The address of size bytes in the printf buffer {used, capacity, records...}, or 0 where they do not fit. The count must
// not wrap, or dropped records would become room for new ones. A short record is added at once: the count wraps only if
// 2^21 work-items have all seen less than 2 GiB before the first of them adds. A long one is added where it fits; if it
// does not, the count passes the capacity by a byte, which tells the host.
ulong __pumice_printf_reserve(ulong buffer, uint size)
{
    volatile __global uint *head = (volatile __global uint *)buffer;
    uint capacity = head[1], at = head[0];
    if (size <= 1024) {
        if (at >> 31)
            return 0;
        at = atomic_add(head, size);
        return at <= capacity && size <= capacity - at ? buffer + 8 + at : 0;
    }
    while (at <= capacity && size <= capacity - at) {
        uint seen = atomic_cmpxchg(head, at, at + size);
        if (seen == at)
            return buffer + 8 + at;
        at = seen;
    }
    atomic_max(head, capacity + 1);
    return 0;
}

// A string's bytes before its NUL, at most so many; UINT_MAX for a null pointer.
#define LENGTH(suffix, space)                                                                                          \
    uint __pumice_printf_length_##suffix(const space uchar *string, uint most)                                         \
    {                                                                                                                  \
        uint length = 0;                                                                                               \
        if (!string)                                                                                                   \
            return UINT_MAX;                                                                                           \
        while (length < most && string[length])                                                                        \
            length++;                                                                                                  \
        return length;                                                                                                 \
    }

LENGTH(constant, __constant)
LENGTH(generic, __generic)

// Copies a string of that length to the address, in words. Returns where the next one goes.
#define COPY(suffix, space)                                                                                            \
    ulong __pumice_printf_copy_##suffix(ulong to, const space uchar *string, uint length)                              \
    {                                                                                                                  \
        if (length == UINT_MAX)                                                                                        \
            return to;                                                                                                 \
        for (uint i = 0; i < length; i += 4, to += 4) {                                                                \
            uint word = 0;                                                                                             \
            for (uint j = 0; j < 4 && j < length - i; j++)                                                             \
                word |= (uint)string[i + j] << j * 8;                                                                  \
            *(__global uint *)to = word;                                                                               \
        }                                                                                                              \
        return to;                                                                                                     \
    }

COPY(constant, __constant)
COPY(generic, __generic)
