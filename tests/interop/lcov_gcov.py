#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lcov_gcov.py INFO GCOV: lines, functions and directions of branches of a tracefile against what gcov -b -c counted in the
same program, built with --coverage.

Lines of both have equal counts; a tracefile has more lines only for closing braces, and fewer only for labels, which have no
code. The code at the begin of a function is of the line of its declaration in gcov, of that of its opening brace here. Each condition of a line has equal counts of both directions. gcov calls the one to the next block in the source's order
"fallthrough"; the branch that was compiled may be taken for it, where one of the ways is a jump (break, continue, goto, return),
or where the source says /* turned */: a comparison of floating-point numbers. A switch is compiled to comparisons of its own, of
which the first one is executed as often as gcov counts all ways of the switch together."""
import re
import sys

want, text = {}, {}
functions, ways = {}, {}
for line in open(sys.argv[2]):
    m = re.match(r' *([\d#=-]+)\*?: *(\d+):(.*)', line)
    if m:
        at = int(m[2])
        text[at] = m[3]
        if m[1] != '-' and m[2] != '0':
            want[at] = 0 if m[1][0] in '#=' else int(m[1])
    m = re.match(r'function (\S+) called (\d+) ', line)
    if m:
        functions[m[1]] = int(m[2])
    m = re.match(r'branch +\d+ (?:taken (\d+)|never executed)( \(fallthrough\))?', line)
    if m:
        ways.setdefault(at, []).append((m[1] or '-', bool(m[2])))
info = open(sys.argv[1]).read()
have = {int(a): int(b) for a, b in re.findall(r'^DA:(\d+),(\d+)$', info, re.M)}
calls = {b: int(a) for a, b in re.findall(r'^FNDA:(\d+),(.+)$', info, re.M)}
directions = {}
for at, a, b in re.findall(r'^BRDA:(\d+),\d+,0,(.*)\nBRDA:\d+,\d+,1,(.*)$', info, re.M):
    directions.setdefault(int(at), []).append((a, b))
bad, compared, turned = False, 0, 0
for line in sorted(want):
    brace = next((at for at in range(line + 1, line + 4) if text.get(at) == '{'), line)
    if brace in have and not have.keys() & set(range(line, brace)):
        want[brace] = want.pop(line)
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


def same_conditions(line, want, got):
    """`want`: of gcov, two ways for each condition; `got`: not taken and taken of each branch."""
    global compared, turned
    if re.match(r'\s*switch\b', text[line]):
        return sum(int(n) for n, _ in want if n != '-') == sum(int(n) for n in got[0] if n != '-')
    if len(want) != 2 * len(got):
        return False
    for (a, through), (b, _), (untaken, taken) in zip(want[::2], want[1::2], got):
        compared += 1
        if (untaken, taken) == ((a, b) if through else (b, a)):
            continue
        may_turn = re.search(r'\b(break|continue|goto|return)\b', text[line] + text.get(line + 1, '')) or '/* turned */' in text[line]
        if (taken, untaken) != ((a, b) if through else (b, a)) or not may_turn:
            return False
        turned += 1
    return True


for line in sorted(ways.keys() | directions.keys()):
    if not same_conditions(line, ways.get(line, []), directions.get(line, [])):
        print('line %d: gcov has branches %s, tracefile %s: %s' % (line, ways.get(line), directions.get(line), text[line]))
        bad = True
found = len(re.findall(r'^BRDA:', info, re.M))
hit = len(re.findall(r'^BRDA:.*,[1-9]\d*$', info, re.M))
for key, n in (('LF', len(have)), ('LH', sum(n > 0 for n in have.values())), ('FNF', len(calls)),
               ('FNH', sum(n > 0 for n in calls.values())), ('BRF', found), ('BRH', hit)):
    if '\n%s:%d\n' % (key, n) not in info:
        print('%s is not %d' % (key, n))
        bad = True
print('%d lines, %d functions, %d directions; %d conditions as gcov has them, %d of them the other way around' % (
    len(have), len(calls), found, compared, turned))
sys.exit(bad)
