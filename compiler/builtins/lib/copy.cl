// Asynchronous copies: the work-group's items copy in strides; wait_group_events is a barrier. OpenCL C 3.0, 6.15.11.
// Elements of more than 16 bytes are several units; stride counts elements of the strided side.

static ulong group_items(void)
{
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}

#define GATHER(size, type)                                                                                             \
    void __pumice_async_copy_g2l_##size(__local type *to, const __global type *from, ulong count, ulong stride,        \
                                        uint units)                                                                    \
    {                                                                                                                  \
        ulong items = group_items();                                                                                   \
        for (ulong i = get_local_linear_id(); i < count; i += items)                                                   \
            for (uint u = 0; u < units; u++)                                                                           \
                to[i * units + u] = from[i * stride * units + u];                                                      \
    }

#define SCATTER(size, type)                                                                                            \
    void __pumice_async_copy_l2g_##size(__global type *to, const __local type *from, ulong count, ulong stride,        \
                                        uint units)                                                                    \
    {                                                                                                                  \
        ulong items = group_items();                                                                                   \
        for (ulong i = get_local_linear_id(); i < count; i += items)                                                   \
            for (uint u = 0; u < units; u++)                                                                           \
                to[i * stride * units + u] = from[i * units + u];                                                      \
    }

GATHER(1, uchar)
GATHER(2, ushort)
GATHER(4, uint)
GATHER(8, ulong)
GATHER(16, uint4)
SCATTER(1, uchar)
SCATTER(2, ushort)
SCATTER(4, uint)
SCATTER(8, ulong)
SCATTER(16, uint4)

// cl_khr_extended_async_copies: sizes, offsets and lengths are in elements of bytes bytes
#define COPY_2D(name, to_space, from_space)                                                                            \
    void __pumice_async_copy_2d_##name(to_space uchar *to, ulong to_offset, const from_space uchar *from,              \
                                       ulong from_offset, ulong bytes, ulong per_line, ulong lines, ulong from_line,   \
                                       ulong to_line)                                                                  \
    {                                                                                                                  \
        ulong items = group_items(), line_bytes = bytes * per_line;                                                    \
        to += to_offset * bytes;                                                                                       \
        from += from_offset * bytes;                                                                                   \
        for (ulong line = 0; line < lines; line++)                                                                     \
            for (ulong i = get_local_linear_id(); i < line_bytes; i += items)                                          \
                to[line * to_line * bytes + i] = from[line * from_line * bytes + i];                                   \
    }

#define COPY_3D(name, to_space, from_space)                                                                            \
    void __pumice_async_copy_3d_##name(to_space uchar *to, ulong to_offset, const from_space uchar *from,              \
                                       ulong from_offset, ulong bytes, ulong per_line, ulong lines, ulong planes,      \
                                       ulong from_line, ulong from_plane, ulong to_line, ulong to_plane)               \
    {                                                                                                                  \
        for (ulong plane = 0; plane < planes; plane++)                                                                 \
            __pumice_async_copy_2d_##name(to, to_offset + plane * to_plane, from, from_offset + plane * from_plane,    \
                                          bytes, per_line, lines, from_line, to_line);                                 \
    }

COPY_2D(g2l, __local, __global)
COPY_2D(l2g, __global, __local)
COPY_3D(g2l, __local, __global)
COPY_3D(l2g, __global, __local)
