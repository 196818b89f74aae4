#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lcov_gcov.py INFO GCOV: lines and functions of a tracefile against what gcov counted in the same program, built with
--coverage. Lines of both have equal counts; a tracefile has more lines only for closing braces, and fewer only for
labels, which have no code."""
import re
import sys

want, text = {}, {}
functions = {}
for line in open(sys.argv[2]):
    m = re.match(r' *([\d#=-]+)\*?: *(\d+):(.*)', line)
    if m:
        text[int(m[2])] = m[3]
        if m[1] != '-' and m[2] != '0':
            want[int(m[2])] = 0 if m[1][0] in '#=' else int(m[1])
    m = re.match(r'function (\S+) called (\d+) ', line)
    if m:
        functions[m[1]] = int(m[2])
info = open(sys.argv[1]).read()
have = {int(a): int(b) for a, b in re.findall(r'^DA:(\d+),(\d+)$', info, re.M)}
calls = {b: int(a) for a, b in re.findall(r'^FNDA:(\d+),(.+)$', info, re.M)}
bad = False
for line in sorted(want.keys() | have.keys()):
    a, b = want.get(line), have.get(line)
    label = re.match(r'\s*(case .*|default|\w+):', text[line])
    brace = re.match(r'\s*}', text[line])
    if a != b and not (b is None and label or a is None and brace):
        print('line %d: gcov %s, tracefile %s: %s' % (line, a, b, text[line]))
        bad = True
if calls != functions:
    print('functions: gcov %s, tracefile %s' % (functions, calls))
    bad = True
found = len(re.findall(r'^BRDA:', info, re.M))
hit = len(re.findall(r'^BRDA:.*,[1-9]\d*$', info, re.M))
for key, n in (('LF', len(have)), ('LH', sum(n > 0 for n in have.values())), ('FNF', len(calls)),
               ('FNH', sum(n > 0 for n in calls.values())), ('BRF', found), ('BRH', hit)):
    if '\n%s:%d\n' % (key, n) not in info:
        print('%s is not %d' % (key, n))
        bad = True
print('%d lines, %d functions, %d directions' % (len(have), len(calls), found))
sys.exit(bad)
