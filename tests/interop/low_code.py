#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""low_code.py TOOL OBJDUMP ELF: lines of a program that has code from a low address on, where the linker also left the lines of what it
discarded. Each instruction of used() is executed 7 times, in a count file; the tracefile has the lines of used() and start(), by
objdump's sequences for the addresses of these functions, and both functions."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
import count_file

FILE, ARM, BUILD_ID, T32, TIMES = 0, 40, 0, 1, 7


def output(*argv):
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE).stdout.decode()


def main():
    tool, objdump, elf = sys.argv[1:]
    functions = {m[3]: (int(m[1], 16), int(m[2], 16)) for m in
                 re.finditer(r"^([0-9a-f]+) .*F \.text\t([0-9a-f]+) (\S+)$", output(objdump, "-t", elf), re.M)}
    assert "used" in functions and "unused" not in functions, functions
    segment = re.search(r"LOAD off +0x([0-9a-f]+) vaddr 0x0+ .*\n +filesz 0x([0-9a-f]+)", output(objdump, "-p", elf))
    offset, size = int(segment[1], 16), int(segment[2], 16)
    wanted, sequence = {}, []
    for m in re.finditer(r"^low_prog\.c +(\d+|-) +(0x[0-9a-f]+|0)\b", output(objdump, "--dwarf=decodedline", elf), re.M):
        sequence.append((int(m[2], 16), m[1]))
        if m[1] != "-":
            continue
        for name, (begin, length) in functions.items():
            if (sequence[0][0], sequence[-1][0]) == (begin, begin + length):
                for (at, line), (after, _) in zip(sequence, sequence[1:]):
                    if after > at:
                        wanted[int(line)] = TIMES * (name == "used") or wanted.get(int(line), 0)
        sequence = []
    code = [int(at, 16) for at in re.findall(r"^ *([0-9a-f]+):\t(?!.*\.word)", output(objdump, "-d", "--disassemble=used", elf), re.M)]
    build_id = b"\x11" * 20
    model, key = count_file.new(), (BUILD_ID, build_id)
    model["binaries"][key] = [FILE, ARM, os.path.basename(elf).encode(), [(offset, size, 0, 1)]]
    wide = sum(b - a == 4 for a, b in zip(code, code[1:]))
    model["counts"][key] = {count_file.RANGE: {(offset + code[0], offset + code[-1], T32, len(code)): TIMES},
                            count_file.ENTRY: {(offset + code[0],): TIMES}}
    assert code[-1] - code[0] == 2 * (len(code) - 1 + wide)
    with open(elf + ".cst", "wb") as f:
        f.write(count_file.write(model))
    info = output(tool, "profile", "-i", elf + ".cst", "--symfs", os.path.dirname(elf), "--format=lcov")
    have = {int(a): int(b) for a, b in re.findall(r"^DA:(\d+),(\d+)$", info, re.M)}
    calls = {b: int(a) for a, b in re.findall(r"^FNDA:(\d+),(.+)$", info, re.M)}
    hit = {line for line, n in have.items() if n}
    print("wanted %s\ntracefile %s, %s" % (sorted(wanted.items()), sorted(have.items()), calls))
    return have.keys() != wanted.keys() or hit != {line for line, n in wanted.items() if n} or calls != {"start": 0, "used": TIMES}


sys.exit(main())
