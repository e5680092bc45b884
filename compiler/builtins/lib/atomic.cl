// Atomics on floats for devices without them (cl_ext_float_atomics), and printf's reservation.

#define FLOAT_ATOMIC(name, type, word, space, cas, expression)                                                         \
    type __pumice_atomic_##name(volatile space type *object, type operand)                                             \
    {                                                                                                                  \
        volatile space word *bits = (volatile space word *)object;                                                     \
        word expected, seen = *bits;                                                                                   \
        do {                                                                                                           \
            expected = seen;                                                                                           \
            type value = as_##type(expected);                                                                          \
            seen = cas(bits, expected, as_##word(expression));                                                         \
        } while (seen != expected);                                                                                    \
        return as_##type(seen);                                                                                        \
    }

#define ALL_SPACES(name, type, word, cas, expression)                                                                  \
    FLOAT_ATOMIC(name##_global, type, word, __global, cas, expression)                                                 \
    FLOAT_ATOMIC(name##_local, type, word, __local, cas, expression)                                                   \
    FLOAT_ATOMIC(name##_generic, type, word, __generic, cas, expression)

ALL_SPACES(add_f32, float, uint, atomic_cmpxchg, value + operand)
ALL_SPACES(min_f32, float, uint, atomic_cmpxchg, fmin(value, operand))
ALL_SPACES(max_f32, float, uint, atomic_cmpxchg, fmax(value, operand))
ALL_SPACES(add_f64, double, ulong, atom_cmpxchg, value + operand)
ALL_SPACES(min_f64, double, ulong, atom_cmpxchg, fmin(value, operand))
ALL_SPACES(max_f64, double, ulong, atom_cmpxchg, fmax(value, operand))

// The address of size bytes in the printf buffer {used, capacity, records...}, or 0 where they do not fit.
ulong __pumice_printf_reserve(ulong buffer, uint size)
{
    volatile __global uint *head = (volatile __global uint *)buffer;
    uint at = atomic_add(head, size), capacity = head[1];
    return at <= capacity && size <= capacity - at ? buffer + 8 + at : 0;
}
