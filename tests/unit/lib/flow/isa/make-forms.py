#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make-forms.py: assembles forms.txt with GNU as and writes forms.h beside it."""
import os
import re
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SLOT = 32
SETS = {
    "a64": ("A64", 0, 0), "a64w": ("A64", "CST_ISA_WFX_P0", 0),
    "a32": ("A32", 0, 0), "a32w": ("A32", "CST_ISA_WFX_P0", 0),
    "t32": ("T32", 0, 0), "t32w": ("T32", "CST_ISA_WFX_P0", 0),
    "t32@2": ("T32", 0, 2), "t32m": ("T32", "CST_ISA_M_PROFILE", 0),
    "a32l": ("A32", "CST_ISA_LOAD_P0", 0), "a32s": ("A32", "CST_ISA_STORE_P0", 0),
    "t32l": ("T32", "CST_ISA_LOAD_P0", 0), "t32s": ("T32", "CST_ISA_STORE_P0", 0),
    "t32ml": ("T32", "CST_ISA_M_PROFILE | CST_ISA_LOAD_P0", 0),
    "t32ms": ("T32", "CST_ISA_M_PROFILE | CST_ISA_STORE_P0", 0),
}
HEAD = {
    "A64": [".arch armv8.8-a+tme+mops+hbc"],
    "A32": [".syntax unified", ".arch armv8-a", ".arch_extension sec", ".arch_extension virt",
            ".arch_extension crc", ".arch_extension idiv", ".fpu crypto-neon-fp-armv8", ".arm"],
    "T32": [".syntax unified", ".arch armv8-a", ".arch_extension sec", ".arch_extension virt",
            ".arch_extension crc", ".fpu crypto-neon-fp-armv8", ".thumb", ".p2align 2"],
    "T32M": [".syntax unified", ".arch armv8.1-m.main", ".arch_extension mve.fp", ".thumb"],
}
TYPES = "other branch indirect isb barrier wfx tstart load store".split()
SUBTYPES = {"link": "LINK", "ret": "RET", "eret": "ERET", "implied": "IMPLIED_RET", "future": "FUTURE"}


def read():
    for line in open(os.path.join(HERE, "forms.txt")):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        part = [p.strip() for p in line.split(";")]
        yield part[0], part[1:-1], part[-1].split()


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


def entry(isa, flags, pc, code, source, words):
    fields = dict(type="CST_INSN_" + words[0].upper(), subtype="CST_INSN_PLAIN", cond=0, link=0,
                  next_isa="CST_ISA_" + isa, it_count=0, is_svc=0, disp="0")
    if words[0] not in TYPES:
        raise SystemExit("bad type: %s" % words)
    for word in words[1:]:
        if word in SUBTYPES:
            fields["subtype"] = "CST_INSN_" + SUBTYPES[word]
        elif word == "cond":
            fields["cond"] = 1
        elif word == "pushes":
            fields["link"] = 1
        elif word == "svc":
            fields["is_svc"] = 1
        elif re.fullmatch(r"it[1-4]", word):
            fields["it_count"] = int(word[2])
        elif word in ("to-a32", "to-t32"):
            fields["next_isa"] = "CST_ISA_" + word[3:].upper()
        else:
            fields["disp"] = str(int(word, 0))
    size = 2 if isa == "T32" and code >> 27 < 0x1d else 4
    return "\t{ CST_ISA_%s, %s, %d, 0x%08x, { %d, %s, %s, %d, %d, %s, %d, %d, %s }, \"%s\" }," % (
        isa, flags, pc, code, size, fields["type"], fields["subtype"], fields["cond"], fields["link"],
        fields["next_isa"], fields["it_count"], fields["is_svc"], fields["disp"], "; ".join(source))


def main():
    forms = list(read())
    out = [None] * len(forms)
    for cpu in HEAD:
        mine = [i for i, f in enumerate(forms)
                if (SETS[f[0]][0] if not f[0].startswith("t32m") else "T32M") == cpu]
        codes = assemble(cpu, [forms[i][1] for i in mine], [SETS[forms[i][0]][2] for i in mine])
        for i, data in zip(mine, codes):
            isa, flags, pc = SETS[forms[i][0]]
            out[i] = entry(isa, flags, pc, opcode(isa, data), forms[i][1], forms[i][2])
    with open(os.path.join(HERE, "forms.h"), "w") as f:
        f.write("/* SPDX-License-Identifier: BSD-3-Clause */\n/* Made by make-forms.py from forms.txt. */\n")
        f.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
