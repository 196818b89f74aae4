#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""line_truth.py INFO PROGRAM FLOW [--objdump NAME] [--traced-only]: lines and branches of a tracefile against what the emulator
executed, by objdump's line table and listing of the same program.

The code at an address is of the line of the last row for it. A line was executed if an instruction of it was: one that has no
condition, or a call or a return whose condition held. Of other instructions under a condition, of conditional selects and
compares the trace shows only that they were reached: a line that has no others is reached, and the tracefile says so. Under the
condition of a call or a return behind it, an instruction is as that. A conditional branch has a pair of BRDA, executed or not."""
import argparse
import bisect
import collections
import os
import re
import struct
import subprocess
import sys

INSN, DIRECT, INDIRECT = 1, 1, 2
TAKEN, COND, LINK, RET, ERET = 1, 2, 4, 8, 16
CONDITIONS = 'eq ne cs cc mi pl vs vc hi ls ge lt gt le'.split()
SELECTS = set('csel csinc csinv csneg cset csetm cinc cinv cneg ccmp ccmn fcsel fccmp fccmpe'.split())
A64_BRANCHES = re.compile(r'b\.\w+|cbn?z|tbn?z')
Insn = collections.namedtuple('Insn', 'at size text cond branch select it')


def output(*argv):
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE).stdout.decode()


def rows(objdump, program):
    """[(begin, end, file, line)] of the line table, line 0 left out."""
    found, last = [], None
    for text in output(objdump, '--dwarf=decodedline', program).splitlines():
        m = re.match(r'(\S.*?)\s+(\d+|-)\s+(0x[0-9a-f]+|0)(?:\s+\d+)?(?:\s+x)?(?:\s+END)?\s*$', text)
        if not m:
            continue
        at = int(m[3], 16)
        if last and at > last[0] and last[2]:
            found.append((last[0], at, last[1], last[2]))
        last = None if m[2] == '-' else (at, os.path.basename(m[1]), int(m[2]))
    return sorted(found)


def listing(objdump, program, begin, end):
    """The instructions of [begin, end), by address."""
    insns, block, a64 = {}, [], 'aarch64' in output(objdump, '-f', program)
    for text in output(objdump, '-d', '-z', '--start-address=%d' % begin, '--stop-address=%d' % end, program).splitlines():
        m = re.match(r' *([0-9a-f]+):\t([0-9a-f ]+?) *\t(\S+)(.*)', text)
        if not m or m[3].startswith('.'):
            block = []
            continue
        at, code, name = int(m[1], 16), m[2].replace(' ', ''), m[3].split('.')[0] if not a64 else m[3]
        size, cond, it, branch = len(code) // 2, None, re.fullmatch(r'i(t[te]*)', name), False
        thumb = not a64 and (' ' in m[2] or size == 2)
        if it:
            base = CONDITIONS.index(m[4].split()[0]) if m[4].split()[0] != 'al' else None
            block = [None if base is None else base ^ (c == 'e') for c in it[1]]
        elif thumb and block:
            cond = block.pop(0)
            branch = cond is not None and name.startswith('b') and (name[1:] in CONDITIONS or name == 'b')
        elif thumb:
            branch = name in ('cbz', 'cbnz') or (name[0] == 'b' and name[1:] in CONDITIONS)
        elif a64:
            branch = bool(A64_BRANCHES.fullmatch(name))
        else:
            word = int(code, 16)
            cond = word >> 28 if word >> 28 < 14 else None
            to_pc = re.match(r'\s+(?!lr)' if name.startswith('bx') else r'\s+pc, (?!lr)', m[4])
            branch = cond is not None and (word >> 24 & 15 == 10 or bool(to_pc))
        insns[at] = Insn(at, size, m[3] + m[4], cond, branch, name in SELECTS or name.startswith('vsel'), bool(it))
    return insns


def flow(path):
    """{address: [executions, taken]} and {address: flags}"""
    record, seen, flags = struct.Struct('<8B2I3Q'), {}, {}
    with open(path, 'rb') as f:
        data = f.read()
    for r in record.iter_unpack(memoryview(data)[8:]):
        if r[0] == INSN:
            n = seen.setdefault(r[10], [0, 0])
            n[0] += 1
            if r[3] in (DIRECT, INDIRECT):
                n[1] += r[4] & TAKEN
                flags[r[10]] = r[4]
    return seen, flags


def states(insns, seen, flags):
    """{address: True, False or None if it is not traced}, of the addresses that were reached"""
    state, known = {}, None
    for at in sorted(seen, reverse=True):
        i, (_, taken) = insns[at], seen[at]
        if at in flags and i.cond is not None and flags[at] & (LINK | RET | ERET):
            state[at] = taken > 0
            known = at, i.cond, taken > 0
        elif known and at + i.size == known[0] and (i.it or (i.cond == known[1] and at not in flags and not i.select)):
            state[at] = known[2]
            known = at, known[1], known[2]
        else:
            state[at] = None if i.it or i.select or (i.cond is not None and at not in flags) else True
            known = None
    return state


def main():
    p = argparse.ArgumentParser()
    p.add_argument('info')
    p.add_argument('program')
    p.add_argument('flow')
    p.add_argument('--objdump', default='objdump')
    p.add_argument('--traced-only', action='store_true')
    a = p.parse_args()
    table = rows(a.objdump, a.program)
    begins = [r[0] for r in table]
    first, last = table[0][0], max(r[1] for r in table)
    insns = listing(a.objdump, a.program, first, last)
    seen, flags = flow(a.flow)
    seen = {at: n for at, n in seen.items() if first <= at < last}
    state = states(insns, seen, flags)

    def line_of(at):
        k = bisect.bisect_right(begins, at) - 1
        return table[k][2:] if k >= 0 and at < table[k][1] else None

    want = {r[2:]: False for r in table}
    for at, s in state.items():
        line = line_of(at)
        if line and s is not False and want[line] is not True:
            want[line] = s
    branches = collections.defaultdict(list)
    for at, i in insns.items():
        if i.branch and line_of(at):
            n = seen.get(at)
            branches[line_of(at)].append((n[0] - n[1], n[1]) if n else None)
    have, reached, ways = {}, set(), collections.defaultdict(list)
    for text in open(a.info):
        key, _, rest = text.strip().partition(':')
        if key == 'SF':
            name = os.path.basename(rest)
        elif key == 'DA':
            have[name, int(rest.split(',')[0])] = int(rest.split(',')[1])
        elif key == '#untraced':
            line, n = map(int, rest.split(','))
            count = have[name, line]
            if a.traced_only and not count or not a.traced_only and count == n:
                reached.add((name, line))
        elif key == 'BRDA':
            line, _, branch, n = rest.split(',')
            if branch == '0':
                way = n
            else:
                ways[name, int(line)].append(None if n == '-' else (int(way), int(n)))
    bad = 0
    for line in sorted(want.keys() | have.keys()):
        s = want.get(line)
        if line not in want or line not in have or (line in reached) != (s is None) or \
                (have[line] > 0) != (s is True or (s is None and not a.traced_only)):
            print('%s:%d: executed %s, tracefile %s%s' % (*line, s, have.get(line), ' reached' * (line in reached)))
            bad += 1
    for line in sorted(branches.keys() | ways.keys()):
        if sorted(branches[line], key=str) != sorted(ways[line], key=str):
            print('%s:%d: branches executed %s, tracefile %s' % (*line, branches[line], ways[line]))
            bad += 1
    print('%s: %d lines, %d executed, %d reached only; %d branches, %d executed; %d differences' % (
        os.path.basename(a.program), len(want), sum(s is True for s in want.values()), sum(s is None for s in want.values()),
        sum(map(len, branches.values())), sum(b is not None for v in branches.values() for b in v), bad))
    sys.exit(bad > 0)


main()
