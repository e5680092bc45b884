"""What a work-group does together: local memory with barriers in uniform control flow, atomics whose order does not matter, and
collective functions."""
from cltypes import *
from expressions import Variable, cast


class Groups:
    def group_phase(self, locals_):
        """Every work-item writes its place, all meet, everybody reads everything."""
        rng = self.rng
        name, kind = rng.choice(locals_)
        wrapped = rng.random() < 0.4
        if wrapped:
            self.uniform()
        if isinstance(kind, Num):
            self.emit('%s[lid] = %s;' % (name, self.value(kind)))
        else:
            for path, number in leaves(kind, '%s[lid]' % name):
                self.emit('%s = %s;' % (path, self.value(number, 2)))
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        self.begin()
        self.add(Variable(name, Array(kind, GROUP), 'local', True))
        self.statements(2, 2, 4)
        self.hash_all(Variable('%s[(lid + %d) & %d]' % (name, rng.randrange(GROUP), GROUP - 1), kind))
        self.end()
        self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        if rng.random() < 0.4:
            self.emit('room[lid] = 0;')
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
            operation = rng.choice(['atomic_add', 'atomic_xor', 'atomic_or', 'atomic_max', 'atomic_sub'])
            self.emit('%s(&room[%s], %s);' % (operation, self.index(GROUP), self.number(Num('uint'), 2)))
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
            self.emit('H(room[(lid * 5) & %d]);' % (GROUP - 1))
            self.emit('barrier(CLK_LOCAL_MEM_FENCE);')
        if wrapped:
            self.end()

    def uniform(self):
        """Begins a statement that all work-items of a group enter, and leave, alike."""
        rng = self.rng
        i = self.name('i')
        same = rng.choice(['table[%d]', 'in[%d]', 'get_group_id(0) + %d']) % rng.randrange(16)
        form = rng.randrange(5)
        if form == 0:
            self.begin('for (uint %s = 0; %s < (%s & 3); %s++)' % (i, i, same, i))
        elif form == 1:
            self.begin('if ((%s & 3) != 0)' % same)
        elif form == 2:
            self.begin('switch (%s & 1) default:' % same)
        elif form == 3:
            self.emit('uint %s = 2 + (%s & 1);' % (i, same))
            self.begin('while (--%s)' % i)
        else:
            self.begin('for (int %s = 0; %s < 2; %s++)' % (i, i, i))

    def collective(self):
        """A function of the whole group, with a body of its own for devices without them."""
        rng = self.rng
        kind = Num(rng.choice(['int', 'uint', 'long', 'ulong']))
        form = rng.choice(['reduce', 'reduce', 'scan_inclusive', 'scan_exclusive', 'scan_exclusive', 'broadcast', 'all', 'any'])
        top = (1 << kind.bits - kind.is_signed) - 1
        suffix = {'long': 'L', 'ulong': 'UL', 'uint': 'u'}.get(kind.elem, '')
        if form in ('all', 'any'):
            kind = Num('int')
            native, start, limit = 'work_group_%s(x)' % form, str(int(form == 'all')), str(GROUP)
            body = 'r = r %s y != 0' % ('&&' if form == 'all' else '||')
        elif form == 'broadcast':
            which = rng.randrange(GROUP)
            native, start, limit, body = 'work_group_broadcast(x, %d)' % which, '0', str(GROUP), 'if (i == %d) r = y' % which
        else:
            operation = rng.choice(['add', 'min', 'max'])
            least = '-%d%s - 1' % (top, suffix) if kind.is_signed else '0'
            native = 'work_group_%s_%s(x)' % (form, operation)
            start = {'add': '0', 'min': '%d%s' % (top, suffix), 'max': least}[operation]
            limit = {'reduce': str(GROUP), 'scan_inclusive': 'get_local_id(0) + 1', 'scan_exclusive': 'get_local_id(0)'}[form]
            body = 'r = (%s)((ulong)r + (ulong)y)' % kind if operation == 'add' else 'r = %s(r, y)' % operation
        name = self.name('wg')
        result = '%s != 0' % native if form in ('all', 'any') else native
        self.helpers.append('''%s %s(local ulong *exchange, %s x) {
#ifdef __opencl_c_work_group_collective_functions
    return %s;
#else
    %s r = %s;
    exchange[get_local_id(0)] = (ulong)x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < %s; i++) {
        %s y = (%s)exchange[i];
        %s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return r;
#endif
}
''' % (kind, name, kind, result, kind, start, limit, kind, kind, body))
        variable = self.name('v')
        wrapped = rng.random() < 0.4
        self.emit('%s %s = 0;' % (kind, variable))
        if wrapped:
            self.uniform()
        self.emit('%s = %s(exchange, %s);' % (variable, name, cast(kind, self.number(kind, 3))))
        if wrapped:
            self.end()
        self.add(Variable(variable, kind))
