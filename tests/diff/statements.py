"""Random statements without control flow: assignments, declarations, pointers, punned memory, atomics, calls and the hash of what
was computed."""
from cltypes import *
from expressions import Expressions, Variable, cast


class Statements(Expressions):
    def statement(self, depth):
        rng = self.rng
        forms = ['assign'] * 8 + ['declare'] * 3 + ['pointer'] * 3 + ['bytes', 'hash', 'hash', 'component', 'component',
                 'compound', 'compound', 'compound', 'copy', 'step', 'store', 'half_memory', 'call_statement', 'call_statement', 'aliases', 'carried']
        if depth > 0:
            forms += ['if_'] * 5 + ['block', 'switch_', 'switch_', 'forward', 'chain']
            if self.loops < (3 if self.in_kernel else 2):
                forms += ['for_'] * 3 + ['while_', 'do_', 'machine']
                if self.flavour == 'goto':
                    forms += ['backward', 'irreducible', 'irreducible', 'machine', 'into_loop', 'duff', 'forward'] * 2
            if self.flavour == 'deep':
                forms += ['if_', 'if_', 'switch_', 'for_', 'block'] * 3
        if self.flavour == 'calls':
            forms += ['call_statement'] * 8
        if self.flavour == 'records':
            forms += ['copy', 'pointer', 'bytes', 'declare', 'component'] * 2
        if self.flavour == 'memory':
            forms += ['half_memory'] + ['pointer', 'bytes', 'copy', 'store', 'walk', 'aliases'] * 3
        if self.flavour == 'sharing':
            forms += ['aliases', 'carried', 'call_restricted', 'pointer'] * 4
        if self.in_kernel:
            forms += ['work_alias', 'work_alias', 'counter', 'own_atomic', 'wide_atomic']
            if self.newer:
                forms += ['modern_atomic', 'modern_atomic', 'block_literal']
            if self.restricted:
                forms += ['call_restricted'] * 2
        if self.breakable:
            forms += ['leave'] * 2
        if self.result and depth < 3:
            forms += ['return_']
        getattr(self, rng.choice(forms))(depth)

    def statements(self, depth, least=1, most=3):
        for _ in range(self.rng.randrange(least, most + 1)):
            self.statement(depth)

    def body(self, depth, text='', after=''):
        self.begin(text)
        self.statements(depth - 1)
        self.end(after)

    def writable(self):
        return [v for v in self.visible() if not v.const]

    def target(self):
        variables = self.writable()
        if not variables:
            return None
        variable = self.rng.choice(variables)
        return self.descend(variable.name, variable.kind)

    def value(self, kind, depth=3):
        text = self.number(kind, depth)
        return 'nn(%s)' % cast(kind, text) if kind.is_float else text

    def assign(self, depth):
        target = self.target()
        if target:
            self.emit('%s = %s;' % (target[0], self.value(target[1], self.rng.randrange(1, 5))))

    def compound(self, depth):
        target = self.target()
        if not target:
            return
        path, kind = target
        operator = self.rng.choice(['&=', '|=', '^='])
        if kind.is_float:
            return self.emit('%s = nn(%s %s %s);' % (path, path, self.rng.choice('+-*'), cast(kind, self.number(kind, 2))))
        if not kind.is_signed and (kind.bits >= 32 or kind.lanes > 1):
            operator = self.rng.choice(['+=', '-=', '*=', '&=', '|=', '^=', '<<=', '>>='])
        elif kind.bits < 32 and kind.lanes == 1 and kind.elem != 'ushort':
            operator = self.rng.choice(['+=', '-=', '*=', '&=', '^='])
        source = kind
        if kind.lanes > 1 and self.rng.random() < 0.2:
            source = Num(kind.elem)
        value = self.number(source, 2)
        if operator in ('<<=', '>>=') and source.bits < 32 and source.lanes == 1:
            value = cast(source, '(%s) & %d' % (value, kind.bits - 1))
        self.emit('%s %s %s;' % (path, operator, cast(source, value)))

    def step(self, depth):
        """Increments: of unsigned, or narrow, which promote."""
        target = self.target()
        if target and not target[1].is_float and (not target[1].is_signed or target[1].bits < 32 and target[1].lanes == 1):
            form = self.rng.choice(['%s++;', '++%s;', '%s--;', '--%s;'])
            self.emit(form % target[0])
            if self.rng.random() < 0.5:  # into a new variable: others may be the same one
                name = self.name('v')
                post = self.rng.choice(['%s++', '--%s', '%s--', '++%s']) % target[0]
                self.emit('%s %s = %s;' % (target[1], name, post))
                self.add(Variable(name, target[1]))

    def component(self, depth):
        """Assignments to parts of vectors."""
        target = self.target()
        if not target or target[1].lanes == 1:
            return self.assign(depth)
        rng = self.rng
        path, kind = target
        lanes = rng.choice([n for n in [1, 2, 3, 4, 8] if n < kind.lanes])
        if kind.lanes != 3 and lanes * 2 == kind.lanes and rng.random() < 0.5:
            part = rng.choice(['lo', 'hi', 'even', 'odd'])
        elif kind.lanes <= 4 and rng.random() < 0.5:
            part = ''.join(rng.sample('xyzw'[:kind.lanes], lanes))
        else:
            part = rng.choice('sS') + ''.join(rng.sample(SWIZZLE[:kind.lanes], lanes))
        self.emit('%s.%s = %s;' % (path, part, self.value(Num(kind.elem, lanes), 2)))

    def copy(self, depth):
        """Whole structs and unions."""
        records = [v for v in self.visible() if isinstance(v.kind, Record)]
        targets = [v for v in records if not v.const]
        if not targets:
            return self.assign(depth)
        to = self.rng.choice(targets)
        sources = [v for v in records if v.kind is to.kind]
        source = self.rng.choice(sources)
        if self.rng.random() < 0.3 and len(sources) > 1:
            return self.emit('%s = %s ? %s : %s;' % (to.name, self.condition(2), source.name, self.rng.choice(sources).name))
        if self.rng.random() < 0.3:
            return self.emit('%s = (%s)%s;' % (to.name, to.kind, self.initialiser(to.kind)))
        self.emit('%s = %s;' % (to.name, source.name))

    def store(self, depth):
        arrays = [v for v in self.writable() if isinstance(v.kind, Array) and isinstance(v.kind.elem, Num) and
                  v.kind.elem.lanes == 1 and v.kind.length >= 2 and v.kind.elem.elem != 'half']
        if not arrays:
            return self.assign(depth)
        array = self.rng.choice(arrays)
        lanes = self.rng.choice([n for n in LANES if n <= array.kind.length])
        kind = Num(array.kind.elem.elem, lanes)
        where = array.name
        if where in ('(work + gid * 32)',) or array.space == 'generic' or self.rng.random() < 0.7:
            where += ' + (%s) %% %du' % (self.number(Num('uint'), 2), array.kind.length - lanes + 1)
            return self.emit('vstore%d(%s, 0, %s);' % (lanes, self.value(kind, 2), where))
        times = array.kind.length // lanes
        self.emit('vstore%d(%s, (%s) %% %du, %s);' % (lanes, self.value(kind, 2), self.number(Num('uint'), 2), times, where))

    def half_memory(self, depth):
        """Numbers stored as halves, and loaded; one of them rounds."""
        rng = self.rng
        arrays = [v for v in self.visible() if isinstance(v.kind, Array) and isinstance(v.kind.elem, Num) and v.space not in ('generic', 'scope') and
                  not v.kind.elem.is_float and v.kind.elem.lanes == 1 and v.kind.elem.size >= 2 and v.kind.length > 1]
        if not arrays:
            return self.assign(depth)
        array = rng.choice(arrays)
        halves = array.kind.length * array.kind.elem.size // 2
        lanes = rng.choice([n for n in [1] + LANES if n <= halves])
        kind = Num(rng.choice(['float', 'float', 'double']), lanes)
        pointer = '(%s%s half *)%s' % (array.space, ' const' * (array.const and array.space != 'constant'), array.name)
        place = '(%s) %% %du, %s' % (self.number(Num('uint'), 2), halves // lanes, pointer)
        suffix = str(lanes) if lanes > 1 else ''
        aligned = 'a' * (array.name == '(work + gid * 32)' and lanes not in (1, 3) and rng.random() < 0.5)  # to 128 bytes
        if not array.const and rng.random() < 0.6:
            self.emit('vstore%s_half%s%s(%s, %s);' % (aligned, suffix, rng.choice(ROUNDINGS), self.value(kind, 2), place))
        else:
            name = self.name('v')
            kind = Num('float', lanes)
            self.emit('%s %s = nn(vload%s_half%s(%s));' % (kind, name, aligned, suffix, place))
            self.add(Variable(name, kind))

    def declare(self, depth):
        kind = self.pick_type()
        name = self.name('v')
        text = '%s = %s;' % (declare(kind, name), self.initialiser(kind))
        self.emit(self.rng.choice([''] * 8 + ['volatile ']) * isinstance(kind, Num) + text)
        self.add(Variable(name, kind))

    def address(self, variables):
        """A pointer to a number, as (expression, Num, space, const)."""
        variable = self.rng.choice(variables)
        path, kind = self.descend(variable.name, variable.kind)
        return '&' + path, kind, variable.space, variable.const

    def pointable(self):
        """Without differences of pointers, and packed structs, whose members a plain pointer may not reach, nor unions, whose members
        pointers of different types may not reach."""
        def packed(kind):
            while isinstance(kind, Array):
                kind = kind.elem
            return isinstance(kind, Record) and ('packed' in kind.attribute or kind.keyword == 'union' or
                                                 any(packed(k) for _, k in kind.members))
        return [v for v in self.visible() if not packed(v.kind) and ' - ' not in v.name and v.space != 'scope']

    def pointer(self, depth):
        """A pointer to one of two places of one type, and what it reaches becomes a variable."""
        rng = self.rng
        variables = self.pointable()
        if not variables:
            return self.declare(depth)
        first, kind, space, const = self.address(variables)
        text = first
        for _ in range(6):
            other, its_kind, its_space, its_const = self.address(variables)
            if its_kind == kind and (its_space == space) and other != first:
                text, const = '%s ? %s : %s' % (self.condition(2), first, other), const or its_const
                break
        name = self.name('p')
        spelled = space if space != 'generic' else ''
        if self.generic and space in ('private', 'global', 'local') and rng.random() < 0.4:
            spelled, space = '', 'generic'
        words = [spelled, 'const' if const and space != 'constant' else '',
                 'volatile' if space != 'constant' and rng.random() < 0.05 else '', str(kind)]
        pointee = ' '.join(word for word in words if word)
        self.emit('%s *%s = %s;' % (pointee, name, text))
        if rng.random() < 0.2:
            second = self.name('q')
            self.emit('%s **%s = &%s;' % (pointee, second, name))
            return self.add(Variable('(**%s)' % second, kind, space, const))
        self.add(Variable('(*%s)' % name, kind, space, const))

    def walk(self, depth):
        """A pointer that runs over an array, compared with its end."""
        arrays = [v for v in self.pointable() if isinstance(v.kind, Array) and isinstance(v.kind.elem, Num)]
        if not arrays or self.loops > 2:
            return self.pointer(depth)
        array = self.rng.choice(arrays)
        space = {'generic': ''}.get(array.space, array.space + ' ')
        const = 'const ' if array.const and array.space != 'constant' else ''
        name = self.name('p')
        self.loops += 1
        self.begin('for (%s%s%s *%s = %s; %s < %s + %d; %s++)' % (space, const, array.kind.elem, name, array.name, name,
                                                                array.name, array.kind.length, name))
        self.add(Variable('(*%s)' % name, array.kind.elem, array.space, array.const))
        self.add(Variable('(%s - %s)' % (name, array.name), Num('long'), const=True))
        saved, self.breakable, self.continuable = (self.breakable, self.continuable), 1, 1
        self.statements(depth - 1)
        self.breakable, self.continuable = saved
        self.end()
        self.loops -= 1

    def views(self, kind):
        """Other types by which an integer array may be seen: bytes, and vectors, which alias everything."""
        size = kind.elem.size * kind.length
        elem = self.rng.choice([Num('uchar'), Num('char')] + [Num(e, n) for e in INTEGERS for n in (2, 4, 8)])
        if elem.size > kind.elem.size and elem.lanes == 1 or size % elem.size or elem.size > kind.elem.size * 4:
            elem = Num('uchar')
        return Array(elem, size // elem.size)

    def bytes(self, depth):
        """The memory of an integer array under another type. Only smaller alignments: the array promises no more."""
        arrays = [v for v in self.pointable() if isinstance(v.kind, Array) and isinstance(v.kind.elem, Num) and
                  not v.kind.elem.is_float and v.kind.elem.lanes != 3]
        if not arrays:
            return self.declare(depth)
        array = self.rng.choice(arrays)
        view = self.views(array.kind)
        if view.elem.size > array.kind.elem.size:
            view = Array(Num('uchar'), array.kind.elem.size * array.kind.length)
        space = {'generic': ''}.get(array.space, array.space + ' ')
        const = 'const ' if array.const and array.space != 'constant' else ''
        name = self.name('p')
        cast_text = '%s%s%s *' % (space, const, view.elem)
        self.emit('%s%s = (%s)%s;' % (cast_text, name, cast_text.strip(), array.name))
        self.add(Variable(name, view, array.space, array.const))

    def work_alias(self, depth):
        """This work-item's part of a global buffer under another type."""
        elem = self.rng.choice([Num(e, n) for e in INTEGERS for n in (1, 2, 4, 8, 16)])
        if elem.lanes == 1 and elem.bits > 8:
            elem = Num('uint')
        view = Array(elem, 128 // elem.size)
        name = self.name('w')
        volatile = self.rng.choice(['', '', '', 'volatile '])
        if not volatile:
            self.emit('global %s *%s = (global %s *)(work + gid * 32);' % (elem, name, elem))
            self.add(Variable(name, view, 'global'))
        else:
            self.emit('*(global volatile %s *)(work + gid * 32) = %s;' % (elem, self.value(elem, 2)))

    def counter(self, depth):
        """Atomics whose order does not matter; each counter has one operation."""
        which = self.rng.randrange(6)
        name = ['atomic_add', 'atomic_xor', 'atomic_or', 'atomic_and', 'atomic_min', 'atomic_max'][which]
        self.emit('%s(&counters[%d], %s);' % (name, which, self.number(Num('uint'), 2)))

    def hash(self, depth):
        if not self.visible():
            return
        variable = self.rng.choice(self.visible())
        path, kind = self.descend(variable.name, variable.kind)
        self.hash_number(path, kind)

    def hash_number(self, path, kind):
        bits = {'half': 'ushort', 'float': 'uint', 'double': 'ulong'}
        if kind.is_float:
            path = 'as_%s(nn(%s))' % (kind.with_elem(bits[kind.elem]), path)
        self.emit('H%s(%s);' % (kind.lanes if kind.lanes > 1 else '', path))

    def hash_all(self, variable):
        name, kind = variable.name, variable.kind
        if isinstance(kind, Num):
            self.hash_number(name, kind)
        elif isinstance(kind, Record):
            for member, its_kind in kind.members[:1] if kind.keyword == 'union' else kind.members:
                self.hash_all(Variable('%s.%s' % (name, member), its_kind))
        elif kind.length == 1:
            self.hash_all(Variable(name + '[0]', kind.elem))
        else:
            i = self.name('i')
            self.begin('for (int %s = 0; %s < %d; %s++)' % (i, i, kind.length, i))
            self.hash_all(Variable('%s[%s]' % (name, i), kind.elem))
            self.end()

    def own_atomic(self, depth):
        """Atomics on what only this work-item uses, with their results."""
        rng = self.rng
        space, place = 'global', '(work + gid * 32)[%s]' % self.index(32)
        kind = Num(rng.choice(['int', 'uint']))
        name = rng.choice(['add', 'sub', 'xchg', 'min', 'max', 'and', 'or', 'xor', 'inc', 'dec', 'cmpxchg'])
        operands = {'inc': 0, 'dec': 0, 'cmpxchg': 2}.get(name, 1)
        args = ''.join(', ' + cast(kind, self.number(kind, 2)) for _ in range(operands))
        variable = self.name('v')
        self.emit('%s %s = atomic_%s((volatile %s %s *)&%s%s);' % (kind, variable, name, space, kind, place, args))
        self.add(Variable(variable, kind))

    def argument(self, kind, space):
        """An expression for a parameter, or None."""
        rng = self.rng
        if space is None:
            if isinstance(kind, Num):
                return cast(kind, self.value(kind, 2))
            found = [v for v in self.visible() if v.kind is kind]
            return rng.choice(found).name if found else '(%s)%s' % (kind, self.initialiser(kind))
        spaces = ('private', 'global', 'local', 'generic') if space == 'generic' else (space,)
        writable = [v for v in self.pointable() if v.space in spaces and (space == 'constant' or not v.const)]
        if isinstance(kind, Array):
            found = [v.name for v in writable if isinstance(v.kind, Array) and v.kind.elem == kind.elem and
                     v.kind.length >= kind.length]
        else:
            found = ['&' + v.name for v in writable if v.kind == kind]
        return rng.choice(found) if found else None

    def call_statement(self, depth):
        fitting = [f for f in self.functions if not f['pure'] or not isinstance(f['result'], Num)]
        if not fitting or self.calls > (8 if self.flavour == 'calls' else 4):
            return self.assign(depth)
        function = self.rng.choice(fitting)
        args = []
        for kind, space in function['params']:
            if space in ('private', 'generic') and not any(v.kind == kind and not v.const for v in self.pointable()):
                name = self.name('v')
                self.emit('%s = %s;' % (declare(kind, name), self.initialiser(kind)))
                self.add(Variable(name, kind))
            args.append(self.argument(kind, space))
        if None in args:
            return self.assign(depth)
        self.calls += 1
        name = self.name('v')
        self.emit('%s = %s(%s);' % (declare(function['result'], name), function['name'], ', '.join(args)))
        self.add(Variable(name, function['result']))
