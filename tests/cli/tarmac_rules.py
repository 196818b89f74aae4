#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tarmac_rules.py FILE...: lines of Tarmac text against the rules that other readers follow, written down independently of lib/tarmac.

The rules are what Tarmac Trace Utilities accept, as facts: words of letters, digits and _ - . #; the characters : ( ) [ ] , < >
alone; time, unit, a processor called cpu...; then IT, IS, IF, ES, R, M..., R01 to W08, LD, ST, E, EXC, or any other word with any
text; X is of the specification. Prints each line that breaks one and ends with 1. --insns prints "OUTCOME ADDRESS OPCODE ISA" of each instruction instead.
"""
import re
import sys

UNITS = {"clk", "ns", "cs", "cyc", "tic", "ps"}
TOKEN = re.compile(r"\s*(?:([A-Za-z0-9_\-.#]+)|([:()\[\],<>]))")
# Bytes of a register of a class, and how many there are; a class without numbers has one.
CLASSES = {"r": (4, 16), "w": (4, 31), "x": (8, 31), "e": (8, 31), "v": (16, 32), "q": (16, 32), "d": (8, 32), "s": (4, 32), "wsp": (4, 1),
           "xsp": (8, 1), "psr": (4, 1), "fpscr": (4, 1), "fpsr": (4, 1), "vpr": (4, 1), "msp": (4, 1), "lr": (4, 1)}


class Broken(Exception):
    pass


class Line:
    def __init__(self, text):
        self.text, self.pos = text, 0
        self.next()

    def next(self):
        before = getattr(self, "tok", None)
        rest = self.text[self.pos:]
        if not rest.strip():
            self.tok, self.start = "", len(self.text)
            return before
        match = TOKEN.match(self.text, self.pos)
        if not match:
            # what stands here may be the free text of a record
            self.tok, self.start = None, self.pos + len(rest) - len(rest.lstrip())
            return before
        self.tok = match.group(1) or match.group(2)
        self.start, self.pos = match.end() - len(self.tok), match.end()
        return before

    def want(self, what, test):
        if self.tok is None or not test(self.tok):
            raise Broken("column %d: expected %s" % (self.start + 1, what))
        return self.next()


def is_hex(tok):
    return bool(re.fullmatch(r"[0-9A-Fa-f]+", tok or ""))


def is_physical(tok):
    return is_hex(re.sub(r"_N?S$", "", tok or ""))


def is_value(tok):
    return bool(re.fullmatch(r"[0-9A-Fa-f_\-]+", tok or ""))


def isa_and_mode(line, es, no_mode):
    isa = line.want("an instruction set", lambda t: t in ("A", "T", "O", "X", "T16", "T32"))
    if not (no_mode and len(isa) > 1):
        line.want("a mode", lambda t: t and t not in ":()[],<>")
        line.want("':'", lambda t: t == ":")
    return isa, es and line.tok == "CCFAIL"


def insn(line, kind):
    line.next()
    if kind == "ES":
        if line.tok in ("EXC", "Reset"):
            return None
        line.want("'('", lambda t: t == "(")
        address = line.want("an address", is_hex)
        line.want("':'", lambda t: t == ":")
        opcode = line.want("an opcode", lambda t: is_hex(t) or re.fullmatch("-+", t))
        line.want("')'", lambda t: t == ")")
        isa, failed = isa_and_mode(line, True, False)
        return "FAIL" if "-" in opcode else "IS" if failed else "IT", address, opcode, isa
    bracket, pair = None, False
    if line.tok == "(":
        line.next()
        bracket = line.want("a number", is_hex)
        if line.tok == ":":
            pair = True
            line.next()
            line.want("a number", is_hex)
        line.want("')'", lambda t: t == ")")
    address = line.want("an address", is_hex)
    if line.tok == ":":
        line.next()
        line.want("a physical address", is_physical)
        if line.tok == ",":
            line.next()
            line.want("a physical address", is_physical)
    if line.tok in ("A", "T", "O", "T16", "T32"):
        address, opcode = bracket, address
    else:
        opcode = line.want("an opcode", is_hex)
    isa, _ = isa_and_mode(line, False, pair)
    return kind, address, opcode, isa


def register(line):
    line.next()
    name = line.want("a register", bool)
    if name in ("DC", "IC", "TLBI", "AT"):
        return
    if line.tok == "(":
        line.next()
        line.want("a bank", bool)
        line.want("')'", lambda t: t == ")")
    match = re.match(r"([A-Za-z]+)(\d*)", name)
    base, number = (match.group(1).lower(), match.group(2)) if match else ("", "")
    size, count = CLASSES.get(base, (0, 0))
    if (count > 1) != bool(number) or (number and int(number) >= count):
        size = 0
    skipped = 0
    if line.tok == "<":
        line.next()
        high = int(line.want("a bit", str.isdigit))
        line.want("':'", lambda t: t == ":")
        low = int(line.want("a bit", str.isdigit))
        line.want("'>'", lambda t: t == ">")
        if high % 8 != 7 or low % 8 or low > high or high >= 8 * size:
            raise Broken("a range of bits that the register does not have")
        skipped = size - (high + 1 - low) // 8
    digits = ""
    while len(digits) < 2 * (size - skipped):
        if line.tok == "" and digits and (not digits.strip("0") or not digits.strip("-")):
            return
        digits += line.want("the value", is_value).replace("_", "")
        if line.tok == ":":
            line.next()
    if not size:
        line.want("the value", is_value)


def access(line, word):
    line.next()
    if line.tok == "X":
        line.next()
    line.want("an address", is_hex)
    if line.tok == ":":
        line.next()
        line.want("a physical address", is_physical)
    if line.tok == "(":
        line.next()
        line.want("ABORTED", lambda t: t == "ABORTED")
        line.want("')'", lambda t: t == ")")
        return
    data = line.want("data", lambda t: is_hex(t.replace("_", ""))).replace("_", "")
    size = re.search(r"\d+", word)
    if size and int(data, 16) >> 8 * int(size.group()):
        raise Broken("more data than the size says")


def diagram(line):
    line.next()
    line.want("an address", is_hex)
    left = 32
    while left > 0:
        word = line.want("16 bytes", lambda t: re.fullmatch(r"[0-9A-Fa-f.#]+", t))
        if len(word) % 2 or not all(re.fullmatch(r"[0-9A-Fa-f]{2}|\.\.|##", word[i:i + 2]) for i in range(0, len(word), 2)):
            raise Broken("expected each byte to be two digits, .. or ##")
        left -= len(word)
    if left:
        raise Broken("expected exactly 16 bytes")


def check(text):
    """What kind of line it is, and of instructions what they say."""
    line = Line(text)
    if line.tok and line.tok.isdigit():
        line.next()
        if line.tok in UNITS:
            line.next()
    elif line.tok and re.fullmatch(r"\d+(%s)" % "|".join(UNITS), line.tok):
        line.next()
    if line.tok and line.tok.startswith("cpu"):
        line.next()
    word = line.tok or ""
    if word in ("IT", "IS", "IF", "ES"):
        return insn(line, word)
    if word == "R":
        register(line)
    elif word in ("LD", "ST"):
        diagram(line)
    elif re.fullmatch(r"[RW]0[1248]|M[A-Z]?[RW]\d+.*", word):
        access(line, word)
    return None


def main():
    show = "--insns" in sys.argv
    bad = 0
    for path in sys.argv[1:]:
        if path == "--insns":
            continue
        with open(path, encoding="utf-8") as lines:
            for number, text in enumerate(lines, 1):
                try:
                    said = check(text.rstrip("\r\n"))
                except Broken as why:
                    print("%s:%d: %s: %s" % (path, number, why, text.rstrip()))
                    bad += 1
                    continue
                if show and said:
                    print(said[0], "%x" % int(said[1], 16), said[2], said[3])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
