#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""isa-objdump.py PROG FILE...: disassembles programs with objdump and checks that PROG --classify gives
each instruction the class and the target that its mnemonic says. `random:SET:SEED:COUNT` instead of a
file stands for made-up instructions; with `l` after the set, or `memory:` before a file, loads and stores
count, too. Prints what differs; exit 1 if anything does.
"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

LIMIT = 3 << 20		# bytes of code looked at in one file, unless all is asked for
CONDS = "eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al"
LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f ]+?) *\t(\S+)(?:\t(.*))?$")
DATA = ("mov|mvn|add|adc|sub|sbc|rsb|rsc|and|orr|eor|bic|orn|lsl|lsr|asr|ror|rrx|adr|addw|subw")
DP = re.compile(r"^(%s)(s?)(%s)?$" % (DATA, CONDS))
BRANCH = re.compile(r"^b(%s)?$" % CONDS)
CALL = re.compile(r"^bl(%s)?$" % CONDS)
BLX = re.compile(r"^blx(ns)?(%s)?$" % CONDS)
BX = re.compile(r"^bx[j]?(ns)?(%s)?$" % CONDS)
BLOCK = re.compile(r"^(pop|ldm(ia|ib|da|db|fd|ea|ed|fa)?)(%s)?$" % CONDS)
LOAD = re.compile(r"^ldr(t)?(%s)?$" % CONDS)
# with what other coprocessors made of LDC and STC
LOADS = re.compile(r"^(v?ld|v?pop|swp|fld|vlldm|cfldr|wldr|lfm)")
STORES = re.compile(r"^(v?st|v?push|srs|fst|vlstm|cfstr|wstr|sfm)")
LOOPS = {"le", "letp", "wls"}
CP15 = {"cr5, {4}": "isb", "cr10, {4}": "barrier", "cr10, {5}": "barrier"}


def target(operands):
    """The address that the operands end in, as objdump prints it."""
    match = re.search(r"(?:^|[, ])(?:0x)?([0-9a-f]+)(?: <[^>]*>)?$", operands)
    return match.group(1).lstrip("0") or "0"


def class_a64(name, ops):
    if name in ("b", "cbz", "cbnz", "tbz", "tbnz") or name.startswith(("b.", "bc.")):
        return "branch " + target(ops)
    if name == "bl":
        return "branch+link " + target(ops)
    if name in ("br", "ret", "retaa", "retab", "braa", "brab", "braaz", "brabz"):
        return "indirect"
    if name in ("blr", "blraa", "blrab", "blraaz", "blrabz"):
        return "indirect+link"
    if name in ("eret", "eretaa", "eretab"):
        return "indirect+eret"
    if name in ("dsb", "dmb", "ssbb", "pssbb", "dfb"):
        return "barrier"
    if name in ("wfe", "wfi", "wfet", "wfit"):
        return "wfx"
    return name if name in ("isb", "tstart") else "other"


def class_m(name, ops, addr):
    """What only the M profile has; None for the rest."""
    base = name.split(".")[0]
    if base in LOOPS or base == "wlstp":
        return "branch " + target(ops)
    if base in ("bf", "bfx", "bfl", "bflx", "bfcsel"):
        # objdump prints how far ahead of the program counter; 0 is not a branch future
        ahead = int(ops.split(",")[0], 16)
        return "other+future %x" % (int(addr, 16) + 4 + ahead) if ahead else "other"
    return None


def class_memory(name):
    if LOADS.match(name):
        return "load"
    return "store" if STORES.match(name) else "other"


def class_arm(name, ops):
    name = re.sub(r"\.[nw]$", "", name)
    if BRANCH.match(name) or name in ("cbz", "cbnz"):
        return "branch " + target(ops)
    if CALL.match(name):
        return "branch+link " + target(ops)
    if BLX.match(name):
        return "indirect+link" if re.match(r"(r\d|ip|sp|lr|pc|fp|sl|sb)", ops) else \
            "branch+link " + target(ops) + " switch"
    if BX.match(name) or name in ("tbb", "tbh"):
        return "indirect"
    if BLOCK.match(name) and re.search(r"\bpc\}", ops):
        return "indirect+eret" if ops.endswith("^") else "indirect"
    if LOAD.match(name) and ops.startswith("pc,"):
        return "indirect"
    if name.startswith(("rfe", "eret")):
        return "indirect+eret"
    dp = DP.match(name)
    if dp and ops.startswith("pc,"):
        return "indirect+eret" if dp.group(2) else "indirect"
    if name in ("isb", "wfe", "wfi") or re.match(r"^wf[ei](%s)$" % CONDS, name):
        return "isb" if name == "isb" else "wfx"
    if name in ("dsb", "dmb", "ssbb", "pssbb"):
        return "barrier"
    if name.startswith("mcr"):
        match = re.match(r"^(?:p?15), 0, \S+, cr7, (cr\d+, \{\d\})", ops)
        if match and name[3:] in [""] + CONDS.split("|"):
            return CP15.get(match.group(1), "other")
    return "other"


def lenient(isa, code, name, ops):
    """objdump takes some encodings for an instruction that the architecture does not."""
    op = int(code, 16)
    if name == "clrm" or "<und>" in name or "??" in name or "<illegal" in ops:
        return True
    # CLRM of the M profile; halfwords loaded to PC are hints
    if op & 0xffff0000 == 0xe89f0000 or isa == "t32" and op & 0xfe70f000 == 0xf830f000:
        return True
    # LDC2 and STC2 of these coprocessors stand where vector arithmetic is
    if re.match(r"(ld|st)c2", name) and 8 <= op >> 8 & 15 <= 13:
        return True
    # loads and stores of coprocessors with neither index nor write back are other instructions, or none
    if op & 0x0fa00000 == 0x0c000000 and (isa == "a32" or op >> 29 == 7) and (LOADS.match(name) or STORES.match(name)):
        return True
    if isa == "a32":
        # MSR has zeros in 7:4, where other values are BX and its neighbours.
        return name.startswith("msr") and not op & 0x02000000 and op & 0xf0
    # Wide data processing cannot write PC but for SUBS PC, LR; the register form of LDR has zeros in 11:6.
    return op >> 27 >= 0x1d and (
        DP.match(re.sub(r"\.w$", "", name)) and ops.startswith("pc,") and op & 0xfff0d000 != 0xf3d08000 or
        op & 0xfff0f800 == 0xf850f000 and op & 0x7c0)


def instructions(listing, arch, memory, m_profile):
    """(set, address, opcode, class, text) of each line that is an instruction."""
    for line in listing:
        match = LINE.match(line.rstrip("\n"))
        if not match:
            continue
        addr, code, name, ops = match.groups()
        rest = ops or ""
        if name.startswith(".") or "undefined" in line.lower() or "UNPREDICTABLE" in line or "illegal" in line:
            continue
        ops = re.split(r"\s+(?:;|//|@)", rest)[0].strip()
        if arch == "a64":
            yield "a64", addr, code, class_a64(name, ops), line
            continue
        groups = code.split()
        isa = "a32" if len(groups) == 1 and len(code) == 8 else "t32"
        # what only the M profile has, objdump shows for every one
        code = "".join(groups) if isa == "a32" or len(groups) > 1 else groups[0] + "0000"
        if lenient(isa, code, name, ops) or not m_profile and re.match(r"(sg|tta?t?|vscclrm)$", name):
            continue
        cls = m_profile and class_m(name, ops, addr) or class_arm(name, ops)
        if memory and cls == "other":
            cls = class_memory(name)
        yield isa + "m" * m_profile + "l" * memory, addr, code, cls, line


def disassemble(path, whole):
    arch = "a64" if struct.unpack_from("<H", open(path, "rb").read(20), 18)[0] == 183 else "arm"
    tool = ("aarch64-linux-gnu-" if arch == "a64" else "arm-linux-gnueabihf-") + "objdump"
    args = [tool, "-d", "-j", ".text"]
    if not whole:
        for line in subprocess.run([tool, "-h", path], capture_output=True, text=True, check=True).stdout.splitlines():
            word = line.split()
            if len(word) > 3 and word[1] == ".text":
                args.append("--stop-address=0x%x" % (int(word[3], 16) + min(int(word[2], 16), LIMIT)))
    return arch, args + [path]


def m_profile_word(rnd):
    """Low overhead loops, branch futures, vector and other loads and stores."""
    word = rnd.getrandbits(32)
    first, second = word >> 16, word & 0xffff
    kind = rnd.randrange(4)
    if kind == 0:
        return 0xf000 | first & (0x7ff if first & 0x1000 else 0x7f), second & 0x0ffe | 0xc001 | (first & 0x800) << 2
    if kind == 1:
        return 0xec00 | first & 0x11ff, second & 0xf1ff | 0x1e00
    if kind == 2:
        return 0xe800 | first & 0x1ff, second
    return 0xf800 | first & 0x1ff, second


def made_up(spec, tmp):
    _, isa, seed, count = spec.split(":")
    isa = isa.rstrip("l")
    rnd = random.Random(int(seed))
    path = os.path.join(tmp, "random.bin")
    with open(path, "wb") as f:
        for _ in range(int(count)):
            word = rnd.getrandbits(32)
            if isa == "a64" and rnd.random() < 0.7:
                word = word & 0xe3ffffff | 0x14000000
            if isa == "a32" and rnd.random() < 0.4:
                word |= 0x0000f000
            if isa == "t32m":
                f.write(struct.pack("<HH", *m_profile_word(rnd)))
            elif isa == "t32":
                first, second = word >> 16, word & 0xffff
                if rnd.random() < 0.5:
                    first |= 0xe800
                if rnd.random() < 0.4:
                    second |= 0xf000
                if first >> 11 < 0x1d:
                    second = 0xbf00
                f.write(struct.pack("<HH", first, second))
            else:
                f.write(struct.pack("<I", word))
    if isa == "a64":
        return "a64", ["aarch64-linux-gnu-objdump", "-D", "-b", "binary", "-m", "aarch64", path]
    return "arm", ["arm-linux-gnueabihf-objdump", "-D", "-b", "binary", "-m", "arm"] + \
        (["-Mforce-thumb"] if isa == "t32" else ["-Mforce-thumb", "-m", "armv8.1-m.main"] if isa == "t32m" else []) + \
        [path]


def check(prog, spec, whole, tmp):
    memory = spec.startswith("memory:") or spec.startswith("random:") and spec.split(":")[1].endswith("l")
    m_profile = spec.startswith("random:t32m")
    arch, args = made_up(spec, tmp) if spec.startswith("random:") else disassemble(spec.split(":")[-1], whole)
    source = os.path.join(tmp, "in")
    want = []
    with subprocess.Popen(args, stdout=subprocess.PIPE, text=True, errors="replace") as dis, open(source, "w") as f:
        for isa, addr, code, cls, line in instructions(dis.stdout, arch, memory, m_profile):
            f.write("%s %s %s\n" % (isa, addr, code))
            want.append((addr, cls, line))
    with open(source) as f:
        got = subprocess.run([prog, "--classify"], stdin=f, capture_output=True, text=True, check=True).stdout.splitlines()
    name = os.path.basename(spec)
    if not want or len(got) != len(want):
        print("%s: %d instructions, %d answers" % (name, len(want), len(got)))
        return 1
    bad = [(w, g) for w, g in zip(want, got) if "%s %s" % (w[0], w[1]) != g]
    for w, g in bad[:10]:
        print("%s: want %s, got %s: %s" % (name, w[1], g.split(" ", 1)[1], w[2].strip()))
    waypoints = sum(w[1] != "other" for w in want)
    print("%s: %d instructions, %d waypoints and barriers, %d differ" % (name, len(want), waypoints, len(bad)))
    return len(bad)


def main():
    prog, specs = sys.argv[1], sys.argv[2:]
    whole = os.environ.get("CSTRACE_NIGHTLY") == "1"
    with tempfile.TemporaryDirectory() as tmp:
        bad = sum(check(prog, spec, whole, tmp) for spec in specs)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
