#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""script_code.py TOOL TRUTH: the fields of `script` that are about code, against binutils, executed instructions and a
call stack made of the branches."""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from tap import Bad, run_cases

TOOL, TRUTH = sys.argv[1:3]
SYMFS = os.path.join(TRUTH, "symfs")
OBJDUMP = {"a64": "aarch64-linux-gnu-objdump", "a32": "arm-linux-gnueabihf-objdump", "t32": "arm-linux-gnueabihf-objdump"}


def recording(number):
    return glob.glob("%s/%s-*/perf.data" % (TRUTH, number))[0]


def script(number, *options, want=(0,)):
    """The lines of a listing of a truth set."""
    run = subprocess.run([TOOL, "script", "-i", recording(number), "--symfs", SYMFS, *options], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, timeout=300)
    if run.returncode not in want:
        raise Bad("script %s: exit %d\n%s" % (" ".join(options), run.returncode, run.stderr[-500:]))
    return run.stdout.splitlines()


def program(number):
    """The one program of sets 01, 05 and 06, and the instruction set that it is named after."""
    for line in script(number, "--itrace=c", "-F", "addr,dso")[1:2]:
        path = SYMFS + re.search(r"\((/\S+)\)", line).group(1)
        return path, path.rsplit(".", 1)[1]
    raise Bad("no calls in set %s" % number)


def disassembly(number):
    """address -> (bytes in the order of memory, mnemonic) by objdump."""
    path, isa = program(number)
    text = subprocess.run([OBJDUMP[isa], "-d", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        row = re.match(r"\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*\t(\S+)", line)
        if row:
            words = row.group(2).split()
            code = b"".join(bytes.fromhex(word)[::-1] for word in words)
            found[int(row.group(1), 16)] = code.hex(" "), row.group(3)
    return found


def executed(number):
    """The addresses of all instructions, in their order."""
    return [int(line, 16) for line in script(number, "--itrace=i0nse", "-F", "ip")]


def instructions(number):
    def case(_folder):
        code, n = disassembly(number), 0
        for line in script(number, "--insn-trace"):
            row = re.search(r"\s([0-9a-f]+) \S+ \(\S+\) insn: ([0-9a-f ]+)$", line)
            if not row:
                raise Bad("no instruction in: " + line)
            want = code.get(int(row.group(1), 16))
            if not want or want[0] != row.group(2):
                raise Bad("%s\nobjdump: %s" % (line, want))
            n += 1
        if n != len(executed(number)) or n < 10000:
            raise Bad("%d instructions" % n)
        return "%d instructions" % n
    return case


def texts(number):
    """libcapstone reads one instruction at a time: it does not know the condition that an IT instruction gives it, and takes
    the T32 form for one that sets flags. Of some extensions, which differ by its version, it has no text."""
    def case(_folder):
        code, seen, without = disassembly(number), {}, set()
        for line in script(number, "--insn-trace=disasm"):
            row = re.search(r"\s([0-9a-f]+) \S+ \(\S+\)\t\t(insn: [0-9a-f ]+$|[a-z]\S*)", line)
            if not row:
                raise Bad("no text in: " + line)
            seen[int(row.group(1), 16)] = row.group(2)
        wrong, same = [], 0
        for address, mnemonic in sorted(seen.items()):
            data, want = code[address]
            if mnemonic.startswith("insn:"):
                without.add(want)
                if mnemonic != "insn: " + data:
                    wrong.append("%x: %s, objdump: %s" % (address, mnemonic, data))
            elif plain(mnemonic) == plain(want) or plain(mnemonic) == plain(want) + "s":
                same += 1
            elif not any({plain(mnemonic), plain(want)} <= names for names in ALIASES):
                wrong.append("%x: %s, objdump: %s" % (address, mnemonic, want))
        if wrong or len(without) > 8 or same < 0.8 * len(seen):
            raise Bad("\n".join(wrong) + "\n%d of %d the same, without text: %s" % (same, len(seen), sorted(without)))
        return "%d of %d by the same name; without text: %s" % (same, len(seen), " ".join(sorted(without)) or "none")
    return case


CONDITION = r"(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)$"
# Names of one instruction, of which binutils and libcapstone prefer different ones.
ALIASES = ({"mov", "movz", "movn", "orr", "movs", "movw"}, {"mov", "lsl", "lsr", "asr", "ror"}, {"movs", "lsls", "lsrs", "asrs"},
           {"lsl", "lsr", "asr", "ubfx", "sbfx", "ubfm", "sbfm", "ubfiz", "sbfiz"}, {"bfi", "bfxil", "bfm", "bfc"},
           {"cset", "csinc", "cinc"}, {"push", "stmdb", "str"}, {"pop", "ldm", "ldmia", "ldr"}, {"stm", "stmia"},
           {"hint", "nop", "bti", "paciasp", "autiasp"}, {"add", "adr", "addw"}, {"sub", "subw"}, {"umov", "mov"},
           {"neg", "negs", "rsb", "rsbs"}, {"bhs", "bcs"}, {"blo", "bcc"})


def plain(name):
    """Without width and condition. A condition is a suffix but of names that end like one."""
    name = re.sub(r"\.[nw]$", "", name)
    stem = re.sub(r"^(b\.|[a-z]{2,}?)" + CONDITION, r"\1", name)
    return name if name in ("teq", "svc", "mls", "smmls", "bls", "movs", "muls", "subs", "adds", "cbne", "blo", "bhs", "bcc", "bcs") else stem


def passed(number, options, period):
    """The code of the branch stack of each sample ends what was executed up to it. The end of an AUX fragment is a sample,
    too, after less than a period."""
    def case(_folder):
        path = executed(number)
        place, lines, total, exact = -1, None, 0, 0
        for line in script(number, "--itrace=i%dil16e" % period, "-F", "ip,%s" % options) + [None]:
            if line is not None and not re.match(r" +[0-9a-f]+$", line):
                row = re.match(r"\t([0-9a-f]{16})\t", line)
                if row:
                    lines.append(int(row.group(1), 16))
                continue
            if lines:
                later = next((at for at in range(min(place + period, len(path) - 1), place, -1)
                              if path[max(0, at + 1 - len(lines)):at + 1] == lines), None)
                if not later:
                    raise Bad("after instruction %d: %s" % (place, " ".join("%x" % a for a in lines)))
                exact += later == place + period
                place = later
                total += len(lines)
            elif lines is not None:
                place += period
            lines = []
        if total < 10000 or exact < 0.9 * len(path) / period:
            raise Bad("%d instructions, %d samples of a whole period" % (total, exact))
        return "%d instructions" % total
    return case


def source_lines(_folder):
    """Of a file with DWARF, addr2line's; of code without, the file's name and the address."""
    path, _ = program("01")
    lines = script("01", "--itrace=i100i", "-F", "ip,srcline")
    pairs = sorted({(int(ip, 16), line.strip()) for ip, line in zip(lines[0::2], lines[1::2])})
    text = subprocess.run(["aarch64-linux-gnu-addr2line", "-e", path], input="".join("%x\n" % ip for ip, _ in pairs),
                          stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    with_line = 0
    for (ip, got), place in zip(pairs, text):
        place = re.sub(r" \(discriminator \d+\)$", "", os.path.basename(place))
        want = "sort.a64[%x]" % ip if re.search(r":[0?]$", place) else place
        if got != want:
            raise Bad("%x: %s, addr2line: %s" % (ip, got, want))
        with_line += want == place
    if with_line < 10:
        raise Bad("%d places with lines" % with_line)
    return "%d places, %d with lines" % (len(pairs), with_line)


def calls(_folder):
    """The depth of each line is that of a stack made of the branches."""
    depth, stack, want = 0, [], []
    for line in script("01", "--itrace=b", "-F", "flags,ip,addr"):
        row = re.match(r" +(\S.*?) +([0-9a-f]+) => +([0-9a-f]+)$", line)
        kind, source, target = row.group(1), int(row.group(2), 16), int(row.group(3), 16)
        if kind == "call":
            stack.append(source + 4)
            want.append(("call", len(stack), source))
        elif kind == "return":
            depth = len(stack)
            if target in stack[-64:]:
                while stack.pop() != target:
                    pass
            want.append(("return", len(stack) + 1, source))
            depth = len(stack)
    got = []
    for line in script("01", "--call-ret-trace", "-F", "-comm,-tid,-cpu,-time,-dso,+ip,-sym,-symoff"):
        row = re.match(r"  (call|return) +?(?= {4}|\S)", line)
        if not row:
            continue
        name = re.match(r" {2}(call|return) *", line).group(1)
        rest = line[24:]
        # a place without a name, as a stub of the linker in a static program, is an address of 16 columns
        word = rest.split()[0]
        columns = 16 - len(word) if re.fullmatch("[0-9a-f]{6,16}", word) else 0
        got.append((name, (len(rest) - len(rest.lstrip()) - columns) // 4, int(rest.split()[-1], 16)))
    if got != want:
        for i, (a, b) in enumerate(zip(got, want)):
            if a != b:
                raise Bad("line %d: %s, by the branches %s" % (i, a, b))
        raise Bad("%d lines, %d calls and returns" % (len(got), len(want)))
    return "%d calls and returns, up to %d deep" % (len(got), max(depth for _, depth, _ in got))


sys.exit(run_cases([
    ("each instruction of set 01 is what objdump finds there", instructions("01")),
    ("and of set 05 (A32)", instructions("05")),
    ("and of set 06 (T32)", instructions("06")),
    ("the text of each instruction is objdump's, A64", texts("01")),
    ("A32", texts("05")),
    ("T32", texts("06")),
    ("brstackinsn: what was executed before each sample, A64", passed("01", "brstackinsn", 1000)),
    ("A32", passed("05", "brstackinsn", 1000)),
    ("T32", passed("06", "brstackinsn", 1000)),
    ("brstackdisasm", passed("01", "brstackdisasm", 777)),
    ("source lines are addr2line's", source_lines),
    ("calls are indented by their depth", calls),
]))
