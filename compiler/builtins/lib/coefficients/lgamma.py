#!/usr/bin/env python3
"""Polynomial coefficients of lgamma in ../math_f*_zlgamma.cl (sollya has no gamma). Run: lgamma.py (needs mpmath; a minute)

Remez' exchange for the least relative error, about the middle of each piece and with lgamma's zeros divided out; then each coefficient is
rounded. Printed from the lowest degree up, with the largest relative error of the rounded polynomial."""
import mpmath as mp

mp.mp.prec = 220
GRID = 600


def extrema(errors):
    """Where the error is largest between its changes of sign"""
    found = []
    for i, e in enumerate(errors):
        if found and errors[found[-1]] * e > 0:
            if abs(e) > abs(errors[found[-1]]):
                found[-1] = i
        else:
            found.append(i)
    return found


def remez(f, weight, low, high, degree):
    n = degree + 1
    middle, radius = (low + high) / 2, (high - low) / 2
    grid = [middle - radius * mp.cos(mp.pi * i / GRID) for i in range(GRID + 1)]
    values, weights = [f(s) for s in grid], [weight(s) for s in grid]
    at = [round(GRID * i / n) for i in range(n + 1)]
    best = None
    for _ in range(12):
        rows, right = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
        for i, g in enumerate(at):
            for k in range(n):
                rows[i, k] = grid[g]**k
            rows[i, n] = (-1)**i / weights[g]
            right[i] = values[g]
        solved = mp.lu_solve(rows, right)
        c = [solved[k] for k in range(n)]
        errors = [(mp.polyval(c[::-1], s) - v) * w for s, v, w in zip(grid, values, weights)]
        worst = max(map(abs, errors))
        if best is None or worst < best[0]:
            best = worst, c
        at = extrema(errors)
        while len(at) > n + 1:
            at.pop(0 if abs(errors[at[0]]) < abs(errors[at[-1]]) else -1)
        if len(at) < n + 1 or worst < 1.001 * abs(solved[n]):
            break
    return best[1]


def fit(name, f, weight, low, high, degree, digits):
    c = remez(f, weight, low, high, degree)
    with mp.workprec(digits):
        rounded = [float(+x) for x in c]
    error = max(abs((mp.polyval(rounded[::-1], s) - f(s)) * weight(s))
                for s in (low + (high - low) * i / 1500 for i in range(1501)))
    print(name + ':', *(x.hex() for x in rounded), '  error 2^%.2f' % mp.log(error, 2), flush=True)


def piece(name, low, high, zeros, degree, digits):
    """lgamma(x) over the product of x - zero, in s = x - middle"""
    low, high = mp.mpf(low), mp.mpf(high)
    middle, radius = (low + high) / 2, (high - low) / 2

    def f(s):
        x = s + middle
        for zero in zeros:
            if abs(x - zero) < mp.mpf(10)**-25:
                x = zero + mp.mpf(10)**-25
        value = mp.loggamma(x)
        for zero in zeros:
            value /= x - zero
        return value

    fit('%s, s = x - %s' % (name, mp.nstr(middle)), f, lambda s: 1 / f(s), -radius, radius, degree, digits)


def stirling(name, start, degree, digits):
    """What Stirling's formula leaves, over u = 1 / x, in z = u^2"""

    def f(z):
        x = 1 / mp.sqrt(z)
        with mp.workprec(500):
            return (mp.loggamma(x) - (x - mp.mpf(1) / 2) * (mp.log(x) - 1) - (mp.log(2 * mp.pi) - 1) / 2) * x

    fit(name, f, lambda z: mp.sqrt(z) / start, mp.mpf(10)**-14, mp.mpf(1) / start**2, degree, digits)


piece('float, below 3', '0.75', 3, (1, 2), 12, 24)
piece('float, 3 to 10', 3, 10, (2,), 11, 24)
stirling('float, from 10', 10, 1, 24)
piece('double, below 1.75', '0.75', '1.75', (1, 2), 21, 53)
piece('double, below 3', '1.75', 3, (1, 2), 17, 53)
piece('double, 3 to 6', 3, 6, (2,), 19, 53)
piece('double, 6 to 12', 6, 12, (2,), 19, 53)
stirling('double, from 12', 12, 4, 53)
