#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""branch_lists.py COMMAND ARG...: another reader of simpleperf's branch lists, and comparisons of what is made of them.

same RECORDED LISTED MESSAGES [PROGRAM]
	compares two AutoFDO texts of one binary: of a recording, and of its branch lists. They differ in what MESSAGES, stderr
	of making the lists, says, and by so much. Lists are divided behind each ISB of PROGRAM, whose code is A64.
walk LISTS PATH PROGRAM TEXT
	walks the A64 code of PROGRAM along the lists of the binary PATH as simpleperf's inject does, and compares the
	AutoFDO text that this gives with TEXT (--address=vaddr).
capture PACKETS PATH LISTS [START SIZE VADDR]
	makes lists of packets (dump --packets --format=opencsd) as simpleperf does, without any code: of the atoms from
	one Address packet to the next. The program PATH is linked to its addresses, or its SIZE bytes at START have the
	ELF address VADDR.
behind LISTS LISTED RECORDED MESSAGES
	checks what is made of lists of a recorder with a return stack: each branch of LISTS is in the AutoFDO text LISTED,
	which has no branch and no target that RECORDED has not, or in the number of those behind an indirect branch in MESSAGES.
"""
import collections
import re
import struct
import sys


# ---- protocol buffers, and the forms of branch lists ---------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def binaries(message):
    """[(path, build-id, type, kernel address, {address: {bits: count}})]"""
    out = []
    for number, value in fields(message):
        if number != 2:
            continue
        path, build_id, kind, kernel, lists = "", "", 0, 0, collections.defaultdict(collections.Counter)
        for n, v in fields(value):
            if n == 1:
                path = v.decode()
            elif n == 2:
                build_id = v.decode()
            elif n == 3:
                f = list(fields(v))
                address = dict(f).get(1, 0)
                for _, branches in (x for x in f if x[0] == 2):
                    b = dict(fields(branches))
                    bits = "".join(str(b[1][i >> 3] >> (i & 7) & 1) for i in range(b[2]))
                    lists[address][bits] += b[3]
            elif n == 4:
                kind = v
            elif n == 5:
                kernel = dict(fields(v)).get(1, 0)
        out.append((path, build_id, kind, kernel, lists))
    return out


def read(data):
    if not data.startswith(b"simpleperf:EtmBranchList"):
        assert data.startswith(b"\x0a\x18simpleperf:EtmBranchList"), data[:32]
        return binaries(data)
    version, packed = struct.unpack_from("<IB", data, 24)
    assert (version, packed) == (1, 0), (version, packed)
    at, out = 29, []
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        out += binaries(data[at + 4:at + 4 + size])
        at += 4 + size
    assert at == len(data)
    return out


# ---- AutoFDO's text ------------------------------------------------------------------------------

def autofdo(text):
    lines = iter(text.splitlines())
    ranges = {tuple(int(x, 16) for x in a.split("-")): int(n) for a, n in
              (next(lines).split(":") for _ in range(int(next(lines))))}
    assert next(lines) == "0"
    edges = {tuple(int(x, 16) for x in a.split("->")): int(n) for a, n in
             (next(lines).split(":") for _ in range(int(next(lines))))}
    return ranges, edges


def said(messages, what):
    m = re.search(r"cannot say all: ([0-9,']+) " + what, messages)
    return int(re.sub("[,']", "", m.group(1))) if m else 0


def divided(ranges, program):
    """The ranges, each of which ends at an ISB."""
    first, fetch = code(program)
    out = collections.Counter()
    for (start, last), n in ranges.items():
        for pc in range(start, last, 4):
            op = fetch(pc + first)
            if op is not None and op & 0xFFFFF0FF == 0xD50330DF:
                out[start, pc] += n
                start = pc + 4
        out[start, last] += n
    return out


def same(recorded, listed, messages, program=None):
    (ra, ea), (rb, eb) = autofdo(open(recorded).read()), autofdo(open(listed).read())
    messages = open(messages).read()
    if program:
        ra = divided(ra, program)
    new = [x for x in rb if rb[x] > ra.get(x, 0)]
    if new:
        sys.exit(f"{len(new)} ranges of the lists have more executions than the recording, as {new[0][0]:x}-{new[0][1]:x}")
    cut = sum(ra.values()) - sum(rb.values())
    by_source = [collections.Counter(), collections.Counter()]
    for total, edges in zip(by_source, (ea, eb)):
        for (source, _), n in edges.items():
            total[source] += n
    if by_source[0] != by_source[1]:
        sys.exit("branches have other counts: " + str((by_source[0] - by_source[1] or by_source[1] - by_source[0]).most_common(1)))
    moved = 0
    for (source, target), n in eb.items():
        more = n - ea.get((source, target), 0)
        if more > 0 and target:
            sys.exit(f"{source:x}->{target:x} is in the lists only")
        moved += max(more, 0)
    for what, n in (("indirect branches inside", moved), ("executions end behind", cut)):
        if said(messages, what) != n:
            sys.exit(f"{what}: the messages have {said(messages, what)}, the profiles differ by {n}")
    print(f"equal: {len(rb)} ranges, {len(eb)} edges; {moved} branches without targets, {cut} executions cut")


def behind(lists, listed, recorded, messages):
    (ra, ea), (rb, eb) = autofdo(open(recorded).read()), autofdo(open(listed).read())
    branches = sum(len(bits) * n for b in read(open(lists, "rb").read()) for by_bits in b[4].values()
                   for bits, n in by_bits.items())
    m = re.search("([0-9,']+) branches are behind an indirect branch", open(messages).read())
    lost = int(re.sub("[,']", "", m.group(1))) if m else 0
    if sum(rb.values()) + lost != branches:
        sys.exit(f"{branches} branches: {sum(rb.values())} in ranges, {lost} behind indirect branches")
    # behind an exception a list begins inside of a recorded range
    by_last = [collections.Counter(), collections.Counter()]
    for total, ranges in zip(by_last, (rb, ra)):
        for (_, last), n in ranges.items():
            total[last] += n
    more = by_last[0] - by_last[1] or collections.Counter({x: n for x, n in eb.items() if x[1] and n > ea.get(x, 0)})
    if more:
        sys.exit("the lists have branches that were not recorded, as " + str(more.most_common(1)))
    print(f"{branches} branches of packets: {lost} behind an indirect branch")


# ---- simpleperf's writer -------------------------------------------------------------------------

def capture(packets, path, out, start="0", size=str(1 << 64), vaddr="0"):
    lists, at, bits = collections.defaultdict(collections.Counter), None, ""
    start, size, vaddr = (int(x, 0) for x in (start, size, vaddr))

    def flush():
        nonlocal bits
        if bits and at is not None and 0 <= at - start < size:
            lists[at - start + vaddr][bits] += 1
        bits = ""

    for line in open(packets):
        m = re.search(r"\tI_(\w+) : .*?; ?(.*)", line)
        if not m:
            flush()		# another buffer, or AUX record
            at = None
        elif m.group(1).startswith("ADDR_"):
            flush()
            at = int(re.search("Addr=0x([0-9A-F]+)", line).group(1), 16)
        elif m.group(1).startswith("ATOM_"):
            bits += m.group(2).strip().replace("E", "1").replace("N", "0")
    flush()

    def number(v):
        o = bytearray()
        while v > 0x7F:
            o.append(v & 0x7F | 0x80)
            v >>= 7
        return bytes(o) + bytes([v])

    def data(n, v):
        return number(n << 3 | 2) + number(len(v)) + v

    body = data(1, path.encode())
    for address, by_bits in lists.items():
        inner = number(8) + number(address)
        for b, n in by_bits.items():
            packed = int(b[::-1], 2).to_bytes((len(b) + 7) // 8, "little")
            inner += data(2, data(1, packed) + number(16) + number(len(b)) + number(24) + number(n))
        body += data(3, inner)
    message = data(2, body)
    with open(out, "wb") as f:
        f.write(b"simpleperf:EtmBranchList" + struct.pack("<IBI", 1, 0, len(message)) + message)


# ---- simpleperf's reader -------------------------------------------------------------------------

def segments(program):
    assert program[:4] == b"\x7fELF" and program[4] == 2
    at, = struct.unpack_from("<Q", program, 32)
    size, number = struct.unpack_from("<HH", program, 54)
    for i in range(number):
        kind, flags, offset, vaddr, _, filesz = struct.unpack_from("<IIQQQQ", program, at + i * size)
        if kind == 1:
            yield vaddr, offset, filesz, flags & 1


def code(path):
    """The address of the first segment, and what reads an instruction at an address."""
    program = open(path, "rb").read()
    parts = list(segments(program))

    def fetch(pc):
        for vaddr, offset, filesz, executable in parts:
            if executable and vaddr <= pc and pc + 4 <= vaddr + filesz:
                return struct.unpack_from("<I", program, pc - vaddr + offset)[0]
        return None

    return parts[0][0], fetch


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def classify(op, pc):
    """('direct', target), ('indirect', None), ('other P0', None) or None"""
    if op & 0xFF000000 == 0x54000000 or op & 0x7E000000 == 0x34000000:
        return "direct", pc + 4 * signed(op >> 5 & 0x7FFFF, 19)
    if op & 0x7E000000 == 0x36000000:
        return "direct", pc + 4 * signed(op >> 5 & 0x3FFF, 14)
    if op & 0x7C000000 == 0x14000000:
        return "direct", pc + 4 * signed(op & 0x3FFFFFF, 26)
    if op & 0xFE000000 == 0xD6000000:
        return "indirect", None
    if op & 0xFFFFF0FF == 0xD50330DF:
        return "other P0", None
    return None


def walk(lists, path, program, text):
    first, fetch = code(program)
    ranges, edges = collections.Counter(), collections.Counter()
    for p, _, _, _, addresses in read(open(lists, "rb").read()):
        if p != path:
            continue
        for address, branches in addresses.items():
            for bits, count in branches.items():
                pc, target = address, 0
                for taken in bits:
                    begin = pc
                    while (op := fetch(pc)) is not None and not (found := classify(op, pc)):
                        pc += 4
                    if op is None:
                        break
                    kind, to = found
                    ranges[begin, pc] += count
                    if kind != "other P0" and taken == "1":
                        edges[pc, to or 0] += count
                    # it keeps the target of the last direct branch behind everything that was taken
                    target = to if to is not None else target
                    pc = target if taken == "1" else pc + 4
    got = autofdo(open(text).read())
    want = {(a - first, b - first): n for (a, b), n in ranges.items()}, collections.Counter()
    for (a, b), n in edges.items():
        want[1][a - first, b - first if fetch(b) is not None else 0] += n
    if got != want:
        for name, g, w in (("range", got[0], want[0]), ("edge", got[1], want[1])):
            for k in sorted(set(g) | set(w)):
                if g.get(k) != w.get(k):
                    sys.exit(f"{name} {k[0]:x} {k[1]:x}: {g.get(k)} of perf-cstrace, {w.get(k)} of the lists")
    print(f"another reader: {len(want[0])} ranges, {len(want[1])} edges")


if __name__ == "__main__":
    {"same": same, "walk": walk, "capture": capture, "behind": behind}[sys.argv[1]](*sys.argv[2:])
