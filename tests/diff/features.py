"""What newer versions and extensions bring: bit operations, blocks, program-scope variables, C11 and 64-bit atomics, sub-groups. Each
has a body of its own for devices without it."""
from cltypes import *
from expressions import Variable, cast

ATOMICS = '''#if __OPENCL_C_VERSION__ >= 300 && defined(__opencl_c_generic_address_space) && defined(__opencl_c_atomic_scope_device) || \\
    __OPENCL_C_VERSION__ == 200
#define ATOMIC(name, p, v) atomic_fetch_##name##_explicit((volatile global atomic_uint *)(p), v, memory_order_relaxed, memory_scope_device)
#define EXCHANGE(p, v) atomic_exchange_explicit((volatile global atomic_uint *)(p), v, memory_order_acq_rel, memory_scope_device)
#define LOAD(p) atomic_load_explicit((volatile global atomic_uint *)(p), memory_order_acquire, memory_scope_device)
#define STORE(p, v) atomic_store_explicit((volatile global atomic_uint *)(p), v, memory_order_release, memory_scope_device)
uint compare_exchange(global uint *p, uint expected, uint v) {
    uint seen = expected;
    bool done = atomic_compare_exchange_strong_explicit((volatile global atomic_uint *)p, &seen, v, memory_order_acq_rel,
                                                        memory_order_acquire, memory_scope_device);
    return seen * 2 + done;
}
#else
#define ATOMIC(name, p, v) atomic_##name((volatile global uint *)(p), v)
#define EXCHANGE(p, v) atomic_xchg((volatile global uint *)(p), v)
#define LOAD(p) atomic_or((volatile global uint *)(p), 0u)
#define STORE(p, v) (void)atomic_xchg((volatile global uint *)(p), v)
uint compare_exchange(global uint *p, uint expected, uint v) {
    uint seen = atomic_cmpxchg((volatile global uint *)p, expected, v);
    return seen * 2 + (seen == expected);
}
#endif
'''
WIDE_ATOMICS = '''#if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define WIDE(name, p, v, op) atom_##name(p, v)
#else
#define WIDE(name, p, v, op) ({ ulong old_ = *(p), v_ = (v); *(p) = op; old_; })
#endif
'''
SUB_GROUPS = '''#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define SUM(total, x) { uint sum_ = sub_group_reduce_add(x); if (get_sub_group_local_id() == 0) atomic_add(total, sum_); }
#define TOP(total, x) { uint top_ = sub_group_reduce_max(x); if (get_sub_group_local_id() == 0) atomic_max(total, top_); }
#define ONE(x) (sub_group_scan_inclusive_add(x) - sub_group_scan_exclusive_add(x))
#define ANY(x) (sub_group_any(x) != 0)
#define SAME(x) sub_group_broadcast(x, 0)
#else
#define SUM(total, x) atomic_add(total, x);
#define TOP(total, x) atomic_max(total, x);
#define ONE(x) (x)
#define ANY(x) ((x) != 0)
#define SAME(x) (x)
#endif
'''
BLOCKS = '''#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_generic_address_space) && __OPENCL_C_VERSION__ >= 300 && !defined(__NV_CL_C_VERSION)
#define BLOCKS
#endif
'''
SCOPE = '''#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_program_scope_global_variables) && __OPENCL_C_VERSION__ >= 300
#define SCOPE
#endif
'''


class Features:
    def helper(self, key, text):
        """Puts text before the functions, once."""
        if key not in self.helped:
            self.helped.add(key)
            self.helpers.append(text)

    # ---- bits ----

    def bit_function(self, kind, depth):
        """An expression of an integer type: ctz, or one of cl_khr_extended_bit_ops."""
        rng = self.rng
        u = kind.unsigned()
        offset = rng.randrange(kind.bits)
        field = '%du, %du' % (offset, rng.randrange(kind.bits - offset + 1))
        form = rng.choice(['zeros', 'reverse', 'insert', 'signed', 'unsigned'])
        words = {'K': str(kind), 'U': str(u), 'E': u.elem, 'B': kind.bits, 'I': str(u if form == 'unsigned' else u.with_elem(u.elem[1:]))}
        extended = '#ifdef cl_khr_extended_bit_ops\n    return %s;\n#else\n    %s\n#endif\n'
        if form == 'zeros':
            body = '#if __OPENCL_C_VERSION__ >= 200\n    return ctz(x);\n#else\n    %s\n#endif\n' % (
                '{U} u = as_{U}(x); return as_{K}(popcount(({U})(~u & (u - ({U})1))));')
            head, args = '{K} x', ''
        elif form == 'reverse':
            body = extended % ('bit_reverse(x)', '{U} u = as_{U}(x), r = ({U})0; for (int i = 0; i < {B}; i++) {{ '
                               'r = ({U})(r << ({U})1 | u & ({U})1); u = ({U})(u >> ({U})1); }} return as_{K}(r);')
            head, args = '{K} x', ''
        elif form == 'insert':
            body = extended % ('bitfield_insert(x, y, o, n)', '{U} m = ({U})(n == {B} ? ({E})-1 : ({E})(((ulong)1 << n) - 1)); '
                               'm = ({U})(m << ({U})o); return as_{K}(({U})(as_{U}(x) & ~m | as_{U}(y) << ({U})o & m));')
            head, args = '{K} x, {K} y, uint o, uint n', ', %s, %s' % (cast(kind, self.number(kind, depth)), field)
        else:
            body = extended % ('as_{K}(bitfield_extract_%s(x, o, n))' % form, 'if (n == 0) return ({K})0; return as_{K}(({I})('
                               'as_{I}(({U})(as_{U}(x) >> ({U})o << ({U})({B} - n))) >> ({I})({B} - n)));')
            head, args = '{K} x, uint o, uint n', ', ' + field
        name = '%s_%s' % (form, kind)
        self.helper(name, ('{K} %s(%s) {{\n%s}}\n' % (name, head, body)).format(**words))
        return '%s(%s%s)' % (name, cast(kind, self.number(kind, depth)), args)

    # ---- blocks ----

    def block_literal(self, depth):
        """A block, with what it captures, and calls of it."""
        rng = self.rng
        self.helper('blocks', BLOCKS)
        self.modern = True
        kind, result = self.pick_num(0.3), self.pick_num(0.3)
        name, x, captured = self.name('block'), self.name('x'), self.name('c')
        its = self.pick_num(0.2)
        self.emit('const %s %s = %s;' % (its, captured, self.value(its, 2)))
        saved, functions, self.functions = self.scopes, self.functions, []
        self.scopes = [[Variable(x, kind), Variable(captured, its, const=True)]]
        body = self.value(result, 3)
        self.scopes, self.functions = saved, functions
        self.lines.append('#ifdef BLOCKS')
        self.emit('%s (^%s)(%s) = ^(%s %s) { return %s; };' % (result, name, kind, kind, x, cast(result, body)))
        self.lines.append('#else')
        self.emit('#define %s(a_) ({ %s %s = (a_); %s; })' % (name, kind, x, cast(result, body)))
        self.lines.append('#endif')
        for _ in range(rng.randrange(1, 3)):
            variable = self.name('v')
            self.emit('%s %s = %s(%s);' % (result, variable, name, cast(kind, self.value(kind, 2))))
            self.add(Variable(variable, result))

    # ---- program scope ----

    def scope_variables(self):
        """Arrays of which each work-item has its own part, and one that is only read."""
        rng = self.rng
        self.modern = True
        self.helper('scope', SCOPE)
        for _ in range(rng.randrange(1, 3)):
            kind = Array(self.pick_num(0.2), rng.choice([2, 4, 8]))
            name = self.name('g')
            self.lines.append('#ifdef SCOPE\nglobal %s %s[%d];\n#endif' % (kind.elem, name, 32 * kind.length))
            self.scope.append((name, kind))
        kind = self.pick_num(0.3)
        name = self.name('g')
        self.lines.append('#ifdef SCOPE\nglobal\n#else\nconstant\n#endif\n%s %s = %s;' % (kind, name, literal(rng, kind)))
        self.scope_read = Variable(name, kind, 'constant', True)

    def use_scope(self):
        """At the kernel's start: this work-item's parts become variables."""
        for name, kind in self.scope:
            mine = self.name('g')
            self.lines.append('#ifdef SCOPE\n    global %s *%s = %s + gid * %d;\n#else\n    %s %s[%d];\n#endif' % (
                kind.elem, mine, name, kind.length, kind.elem, mine, kind.length))
            for i in range(kind.length):
                self.emit('%s[%d] = %s;' % (mine, i, self.value(kind.elem, 1)))
            self.add(Variable(mine, kind, 'scope'))
        if self.scope:
            self.add(Variable(self.scope_read.name, self.scope_read.kind, 'scope', True))

    # ---- atomics ----

    def modern_atomic(self, depth):
        """C11's atomics on this work-item's own memory."""
        rng = self.rng
        self.helper('atomics', ATOMICS)
        self.modern = True
        place, value = '&(work + gid * 32)[%s]' % self.index(32), cast(Num('uint'), self.number(Num('uint'), 2))
        form = rng.choice(['ATOMIC'] * 4 + ['EXCHANGE', 'LOAD', 'STORE', 'compare'])
        if form == 'STORE':
            return self.emit('STORE(%s, %s);' % (place, value))
        text = {'ATOMIC': 'ATOMIC(%s, %s, %s)' % (rng.choice(['add', 'sub', 'or', 'xor', 'and', 'min', 'max']), place, value),
                'EXCHANGE': 'EXCHANGE(%s, %s)' % (place, value), 'LOAD': 'LOAD(%s)' % place,
                'compare': 'compare_exchange(%s, %s, %s)' % (place, rng.choice(['(work + gid * 32)[3]', value]), value)}[form]
        name = self.name('v')
        self.emit('uint %s = %s;' % (name, text))
        self.add(Variable(name, Num('uint')))

    def wide_atomic(self, depth):
        """64-bit atomics on this work-item's own memory, with their results."""
        rng = self.rng
        self.helper('wide', WIDE_ATOMICS)
        place = '((global ulong *)(work + gid * 32) + (%s))' % self.index(16)
        value = cast(Num('ulong'), self.number(Num('ulong'), 2))
        operation = rng.choice([('add', 'old_ + v_'), ('sub', 'old_ - v_'), ('xchg', 'v_'), ('min', 'min(old_, v_)'),
                                ('max', 'max(old_, v_)'), ('and', 'old_ & v_'), ('or', 'old_ | v_'), ('xor', 'old_ ^ v_')])
        name = self.name('v')
        self.emit('ulong %s = WIDE(%s, %s, %s, %s);' % (name, operation[0], place, value, operation[1]))
        self.add(Variable(name, Num('ulong')))

    # ---- sub-groups ----

    def sub_group(self):
        """In uniform control flow: results that do not depend on how large sub-groups are."""
        rng = self.rng
        self.helper('sub-groups', SUB_GROUPS)
        self.modern = True
        value, form = cast(Num('uint'), self.number(Num('uint'), 2)), rng.choice(['SUM', 'SUM', 'TOP', 'ONE', 'ANY', 'SAME'])
        same = rng.choice(['table[%d]', 'in[%d]', '(uint)get_group_id(0) + %d']) % rng.randrange(16)
        if form in ('SUM', 'TOP'):
            self.emit('if (lid == 0) room[3] = 0;')
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
            self.emit('%s(&room[3], %s)' % (form, value))
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
            self.emit('H(room[3]);')
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        elif form == 'ONE':
            self.emit('H(ONE(%s));' % value)
        else:
            self.emit('H(%s(%s));' % (form, same + (' & 1' if form == 'ANY' else '')))
