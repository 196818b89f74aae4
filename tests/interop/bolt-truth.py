#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bolt-truth.py FLOW BINARY PROFILE: are the lines of a profile for perf2bolt --pa those of the executed flow, to the
last one? Of the linker's stubs (PLT) only calls of them are expected, where BINARY has section headers to tell them.
Lines T and R are taken apart into a branch and a range; those that have both must have run one behind the other as
often as they say."""
import collections
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data"))
import profile_text

INSN, EXC, MAP = 1, 2, 6
DIRECT, INDIRECT = 1, 2
TAKEN, RET = 1, 8
NONE = 2 ** 64 - 1              # in a line T: no branch, or no range


class Elf(profile_text.Elf):
    def vaddr(self, offset):
        return next(v + offset - o for o, v, n, _ in self.load if o <= offset < o + n)


class Place:
    """Addresses of a run to addresses in the binary; 0 outside."""
    def __init__(self, elf, image):
        self.elf, self.image, self.maps, self.known = elf, image, [], {}

    def add(self, image, start, length, offset):
        self.maps = [m for m in self.maps if m[0] >= start + length or m[1] <= start]
        self.maps.append((start, start + length, offset if image == self.image else None))
        self.known = {}

    def __getitem__(self, pc):
        if pc not in self.known:
            self.known[pc] = next((self.elf.vaddr(offset + pc - start) for start, end, offset in self.maps
                                   if start <= pc < end and offset is not None), 0)
        return self.known[pc]


def executed(flow, place):
    """Lines (kind, a, b): times; and of ranges behind a branch (from, first, last): times."""
    data = open(flow, 'rb').read()
    out, behind = collections.Counter(), collections.Counter()
    source = branch = None          # the branch that led to the open range; the last one
    first = last = 0                # of the open range; a first of 0: there is none, or it is outside
    resume = None                   # where an exception returns to
    led = 'F'                       # what led to the open range
    target = None                   # what led to the target of the last branch, until it is executed
    for kind, _, size, klass, flags, _, _, _, _, num, pc, nxt, aux in struct.iter_unpack('<8B2I3Q', data[8:]):
        if kind == MAP:
            place.add(num, pc, nxt, aux)
        elif kind == EXC:
            resume = pc
        elif kind == INSN:
            at = place[pc]
            if resume not in (None, pc):        # the kernel went on elsewhere
                if first:
                    out[led, first, last] += 1
                    behind[source, first, last] += 1
                first, led, source = 0, 'f', 0
                if at:
                    out['B', 0, at] += 1
            elif target:
                led, source = target, branch
            if not first:
                first = at
            resume = target = None
            last = at
            if klass not in (DIRECT, INDIRECT) or not flags & TAKEN:
                continue
            if first:
                out[led, first, last] += 1
                behind[source, first, last] += 1
            to, branch = place[nxt], at
            if at or to:
                out['B', at, to] += 1
            target = 'f' if not at or flags & RET else 'F'
            first = 0
    if first:
        out[led, first, last] += 1
        behind[source, first, last] += 1
    return out, behind


def without_stubs(lines, elf):
    out = collections.Counter()
    for (kind, a, b), n in lines.items():
        if not elf.in_stub(a):
            out[kind, a, b] += n
        elif kind == 'B' and b and not elf.in_stub(b):
            out[kind, 0, b] += n
    return collections.Counter({(kind, a, b): n for (kind, a, b), n in out.items()
                                if not (kind == 'B' and not a and elf.in_stub(b))})


def profile(path, behind):
    """The lines; `behind`: (from, first, last) of the T lines that have both."""
    out = collections.Counter()
    sizes = {'B': 5, 'F': 4, 'f': 4, 'T': 5, 'R': 5}
    for line in open(path):
        kind, *words = line.split()
        if len(words) + 1 != sizes.get(kind) or kind == 'B' and words[3] != '0' or kind == 'R' and words[0] != '0':
            sys.exit(f'{path}: not a line for perf2bolt: {line}')
        a, b, last = (int(w, 16) for w in words[:3])
        if kind in 'BFf':
            out[kind, a, b] += int(words[2])
            continue
        times = int(words[3])
        if kind == 'T' and a != NONE:
            out['B', a, b] += times
        if last != NONE:
            out['f' if kind == 'R' or not a else 'F', b, last] += times
        if kind == 'T' and NONE not in (a, last):
            behind[a, b, last] += times
    return out


def wrong_traces(got, behind, elf):
    """Traces that did not run as often. The branches in stubs are outside."""
    ran = collections.Counter()
    for (source, first, last), n in behind.items():
        ran[0 if source and elf.in_stub(source) else source, first, last] += n
    return [(k, ran[k], n) for k, n in sorted(got.items()) if ran[k] != n]


def main():
    flow, binary, path = sys.argv[1:]
    elf = Elf(binary)
    image = next(int(line.split('\t')[0]) for line in open(flow + '.images')
                 if line.rstrip('\n').split('\t')[1] == binary)
    lines, behind = executed(flow, Place(elf, image))
    traces = collections.Counter()
    want, got = without_stubs(lines, elf), profile(path, traces)
    bad = sorted(k for k in want.keys() | got.keys() if want[k] != got[k])
    for k in bad[:10]:
        print('%s %x %x: executed %d times, profile says %d' % (*k, want[k], got[k]))
    wrong = wrong_traces(traces, behind, elf)
    for k, ran, n in wrong[:10]:
        print('T %x %x %x: executed %d times, profile says %d' % (*k, ran, n))
    kinds = collections.Counter(k[0] if k[0] != 'B' or k[1] else 'B 0' for k in got)
    print(', '.join(f'{n} lines {k}' for k, n in sorted(kinds.items())) + f'; {len(traces)} traces')
    sys.exit(bool(bad or wrong or not got))


main()
