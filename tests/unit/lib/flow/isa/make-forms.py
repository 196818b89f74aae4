#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make-forms.py: assembles the sources in forms.txt with GNU as and writes their opcodes there."""
import os
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SLOT = 32
HEAD = {
    "A64": [".arch armv8.8-a+tme+mops+hbc"],
    "A32": [".syntax unified", ".arch armv8-a", ".arch_extension sec", ".arch_extension virt",
            ".arch_extension crc", ".arch_extension idiv", ".fpu crypto-neon-fp-armv8", ".arm"],
    "T32": [".syntax unified", ".arch armv8-a", ".arch_extension sec", ".arch_extension virt",
            ".arch_extension crc", ".fpu crypto-neon-fp-armv8", ".thumb", ".p2align 2"],
    "T32M": [".syntax unified", ".arch armv8.1-m.main", ".arch_extension mve.fp", ".thumb"],
}

def assemble(cpu, sources, pcs):
    """First instruction of each source as its bytes."""
    text = list(HEAD[cpu])
    for i, (source, pc) in enumerate(zip(sources, pcs)):
        text.append(".org %d" % (SLOT * i + pc))
        text += source
    text.append(".org %d" % (SLOT * len(sources)))
    tool = "aarch64-linux-gnu-" if cpu == "A64" else "arm-linux-gnueabihf-"
    with tempfile.TemporaryDirectory() as tmp:
        obj, raw = os.path.join(tmp, "o"), os.path.join(tmp, "b")
        quiet = [] if cpu == "A64" else ["-mno-warn-deprecated"]
        subprocess.run([tool + "as", *quiet, "-o", obj, "-"], input="\n".join(text) + "\n", text=True, check=True)
        relocs = subprocess.run([tool + "objdump", "-r", obj], capture_output=True, text=True, check=True).stdout
        if "R_A" in relocs:
            raise SystemExit("%s: relocations left:\n%s" % (cpu, relocs))
        subprocess.run([tool + "objcopy", "-O", "binary", "-j", ".text", obj, raw], check=True)
        data = open(raw, "rb").read()
    return [data[SLOT * i + pc:SLOT * (i + 1)] for i, pc in enumerate(pcs)]


def opcode(isa, data):
    if isa != "T32":
        return struct.unpack_from("<I", data)[0]
    first, second = struct.unpack_from("<HH", data)
    return first << 16 | (second if first >> 11 >= 0x1d else 0)


def main():
    name = os.path.join(HERE, "forms.txt")
    lines = open(name).read().splitlines()
    forms = [(i, [p.strip() for p in line.split(";")]) for i, line in enumerate(lines) if line.strip() and line[0] != "#"]
    for cpu in HEAD:
        mine = []
        for i, part in forms:
            name_of_set = part[0].split()[0]
            if cpu == ("T32M" if name_of_set.startswith("t32m") else name_of_set[:3].upper()):
                mine.append((i, name_of_set, part))
        codes = assemble(cpu, [part[1:-1] for _, _, part in mine], [2 if s == "t32@2" else 0 for _, s, _ in mine])
        for (i, s, part), data in zip(mine, codes):
            lines[i] = "; ".join(["%s %08x" % (s, opcode(cpu[:3], data))] + part[1:])
    with open(name, "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
