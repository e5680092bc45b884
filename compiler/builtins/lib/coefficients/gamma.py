#!/usr/bin/env python3
"""Polynomial coefficients of gamma(1.5 + u), |u| <= 0.5, in ../math_f*_hyper.cl (sollya has no gamma). Run: gamma.py (needs mpmath)

Interpolation at the zeros of a Chebyshev polynomial, which is nearly the best polynomial for so smooth a function; then each
coefficient is rounded. Printed from the lowest degree up, with the largest relative error of the rounded polynomial."""
import mpmath

mpmath.mp.prec = 300


def fit(name, degree, digits):
    n = degree + 1
    nodes = [mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * n)) / 2 for i in range(n)]
    rows = mpmath.matrix(n, n)
    for i, u in enumerate(nodes):
        for k in range(n):
            rows[i, k] = u**k
    exact = mpmath.lu_solve(rows, mpmath.matrix([mpmath.gamma(u + mpmath.mpf(3) / 2) for u in nodes]))
    with mpmath.workprec(digits):
        rounded = [float(+c) for c in exact]
    error = max(abs(mpmath.polyval(rounded[::-1], u) / mpmath.gamma(u + mpmath.mpf(3) / 2) - 1)
                for u in (mpmath.mpf(i) / 2000 for i in range(-1000, 1001)))
    print(name + ':', *(c.hex() for c in rounded), '  error 2^%.2f' % mpmath.log(error, 2))


fit('float', 12, 24)
fit('double', 25, 53)
