// Atomics on floats for devices without them (cl_ext_float_atomics).
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// desired takes the place of the word's value, or of a part of it: value, which value_of makes of the word. Where many
// work-items meet at one word only one of a sub-group's attempts can succeed, and all of them take their turns at the
// memory: so after a few in vain they go one by one. (1,024 work-items that exchange 10,000 halfs each through one word
// took 4 s on an H200.)
#define REPLACE(word, cas, bits, value_of, desired)                                                                    \
    for (uint attempts = 0;; attempts++) {                                                                             \
        word expected = *bits;                                                                                         \
        if (attempts >= 3 && !sub_group_elect())                                                                       \
            continue;                                                                                                  \
        value = value_of(expected);                                                                                    \
        if (cas(bits, expected, desired) == expected)                                                                  \
            return value;                                                                                              \
    }

#define FLOAT_ATOMIC(name, type, word, space, cas, expression)                                                         \
    type __pumice_atomic_##name(volatile space type *object, type operand)                                             \
    {                                                                                                                  \
        volatile space word *bits = (volatile space word *)object;                                                     \
        type value;                                                                                                    \
        REPLACE(word, cas, bits, as_##type, as_##word(expression))                                                     \
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

// Devices differ in the bits of a NaN sum. Here they are those that most hosts' processors give: the first NaN made quiet,
// and the default NaN for infinities of both signs.
half __pumice_atomic_sum_f16(half value, half operand)
{
    half sum = value + operand;
    if (!isnan(sum))
        return sum;
    ushort nan = isnan(value) ? as_ushort(value) : isnan(operand) ? as_ushort(operand) : (ushort)0xfc00;
    return as_half((ushort)(nan | 0x200));
}

// Halfs, in the 32-bit word that holds them: no device has atomics on 16 bits.
#define HALF_OF(word) as_half((ushort)((word) >> shift))
#define HALF_ATOMIC(name, space, expression)                                                                           \
    half __pumice_atomic_##name(volatile space half *object, half operand)                                             \
    {                                                                                                                  \
        uint upper = (uint)(ulong)object & 2, shift = upper * 8;                                                       \
        volatile space uint *bits = (volatile space uint *)((volatile space uchar *)object - upper);                   \
        half value;                                                                                                    \
        REPLACE(uint, atomic_cmpxchg, bits, HALF_OF,                                                                   \
                (expected & ~(0xffffu << shift)) | (uint)as_ushort(expression) << shift)                               \
    }

#define HALF_ATOMICS(suffix, space)                                                                                    \
    HALF_ATOMIC(exchange_f16_##suffix, space, operand)                                                                 \
    HALF_ATOMIC(add_f16_##suffix, space, __pumice_atomic_sum_f16(value, operand))                                      \
    HALF_ATOMIC(min_f16_##suffix, space, fmin(value, operand))                                                         \
    HALF_ATOMIC(max_f16_##suffix, space, fmax(value, operand))                                                         \
    void __pumice_atomic_store_f16_##suffix(volatile space half *object, half value)                                   \
    {                                                                                                                  \
        __pumice_atomic_exchange_f16_##suffix(object, value);                                                          \
    }                                                                                                                  \
    half __pumice_atomic_load_f16_##suffix(volatile space half *object)                                                \
    {                                                                                                                  \
        uint upper = (uint)(ulong)object & 2;                                                                          \
        volatile space atomic_uint *word = (volatile space atomic_uint *)((volatile space uchar *)object - upper);     \
        return as_half((ushort)(atomic_load_explicit(word, memory_order_relaxed, memory_scope_device) >> upper * 8));  \
    }

HALF_ATOMICS(global, __global)
HALF_ATOMICS(local, __local)
HALF_ATOMICS(generic, __generic)

// Private memory belongs to one work-item.
#define PRIVATE_ATOMIC(name, type, expression)                                                                         \
    type __pumice_atomic_##name##_private(volatile __private type *object, type operand)                               \
    {                                                                                                                  \
        type value = *object;                                                                                          \
        *object = expression;                                                                                          \
        return value;                                                                                                  \
    }

#define PRIVATE_ATOMICS(suffix, type)                                                                                  \
    PRIVATE_ATOMIC(add_##suffix, type, (type)(value + operand))                                                        \
    PRIVATE_ATOMIC(min_##suffix, type, fmin(value, operand))                                                           \
    PRIVATE_ATOMIC(max_##suffix, type, fmax(value, operand))

PRIVATE_ATOMICS(f16, half)
PRIVATE_ATOMICS(f32, float)
PRIVATE_ATOMICS(f64, double)
PRIVATE_ATOMIC(exchange_f16, half, operand)

void __pumice_atomic_store_f16_private(volatile __private half *object, half value)
{
    *object = value;
}

half __pumice_atomic_load_f16_private(volatile __private half *object)
{
    return *object;
}
