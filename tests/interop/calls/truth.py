#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""truth.py LOG PROGRAM[=RECORDED-NAME]...: the tree of calls that a program's own log (log.h) shows.

Prints `F FILE OFFSET NAME` for each function of the log, with its offset in the file, then `T DEPTH NAME CALLS` for each
calling context, depth first. The programs have symbols and may be position-independent.
"""
import os
import struct
import subprocess
import sys

ENTER, EXIT, UNWIND = 1, 2, 3


class Program:
    def __init__(self, arg):
        path, _, name = arg.partition("=")
        self.name = name or os.path.basename(path)
        self.symbols, self.loads, self.base = {}, [], None
        for line in subprocess.check_output(["readelf", "-sW", path], text=True).splitlines():
            word = line.split()
            if len(word) == 8 and word[3] == "FUNC" and word[6] != "UND":
                self.symbols[int(word[1], 16)] = word[7]
        for line in subprocess.check_output(["readelf", "-lW", path], text=True).splitlines():
            word = line.split()
            if word and word[0] == "LOAD":
                self.loads.append([int(w, 16) for w in (word[1], word[2], word[4])])

    def offset(self, vaddr):
        for offset, start, size in self.loads:
            if start <= vaddr < start + size:
                return vaddr - start + offset
        raise ValueError("%x is not in %s" % (vaddr, self.name))

    def place(self, addresses):
        """Finds the base at which the most of the addresses are functions."""
        best = 0
        for addr in addresses:
            for vaddr in self.symbols:
                base = addr - vaddr
                if base < 0 or base & 0xfff:
                    continue
                fits = sum(a - base in self.symbols for a in addresses)
                if fits > best:
                    best, self.base = fits, base


def read_log(path):
    with open(path, "rb") as log:
        data = log.read()
    return [struct.unpack_from("<IIQ", data, at) for at in range(0, len(data), 16)]


def main():
    records = read_log(sys.argv[1])
    programs = [Program(arg) for arg in sys.argv[2:]]
    names, rest = {}, {what for _, kind, what in records if kind != UNWIND}
    for program in programs:
        program.place(sorted(rest))
        for addr in sorted(rest):
            name = program.symbols.get(addr - (program.base or 0))
            if name:
                names[addr] = name
                print("F %s %x %s" % (program.name, program.offset(addr - program.base), name))
        rest -= set(names)
    if rest:
        sys.exit("no function at " + " ".join(hex(a) for a in sorted(rest)))
    root = [0, {}]
    stacks = {}
    for thread, kind, what in records:
        stack = stacks.setdefault(thread, [root])
        if kind == ENTER:
            node = stack[-1][1].setdefault(names[what], [0, {}])
            node[0] += 1
            stack.append(node)
        elif kind == EXIT:
            stack.pop()
        else:
            del stack[what + 1:]

    def show(node, depth):
        for name in sorted(node[1], key=str.encode):
            print("T %d %s %d" % (depth, name, node[1][name][0]))
            show(node[1][name], depth + 1)

    show(root, 0)


main()
