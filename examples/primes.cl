/* A pipeline of three kernels: numbers go through a pipe to a filter, and what it lets pass through a second pipe to a
 * collector. Packets come in any order. */
__kernel void produce(__write_only pipe uint numbers, uint first)
{
    uint number = first + get_global_id(0);
    write_pipe(numbers, &number);
}

static bool is_prime(uint number)
{
    if (number < 2)
        return false;
    for (uint divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return false;
    return true;
}

__kernel void filter(__read_only pipe uint numbers, __write_only pipe uint primes)
{
    uint number;
    if (read_pipe(numbers, &number) == 0 && is_prime(number))
        write_pipe(primes, &number);
}

/* Each work-group takes what it can in one reservation, and halves what it asks for until there is as much. */
__kernel void collect(__read_only pipe uint primes, __global uint *seen, __global uint *count)
{
    for (uint wanted = get_local_size(0); wanted > 0; wanted /= 2) {
        reserve_id_t reservation = work_group_reserve_read_pipe(primes, wanted);
        if (!is_valid_reserve_id(reservation))
            continue;
        uint number;
        if (get_local_id(0) < wanted && read_pipe(primes, reservation, get_local_id(0), &number) == 0) {
            atomic_or(&seen[number / 32], 1u << number % 32);
            atomic_inc(count);
        }
        work_group_commit_read_pipe(primes, reservation);
    }
}
