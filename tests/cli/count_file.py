# SPDX-License-Identifier: BSD-3-Clause
"""Count files as cstrace-profile(5) describes them, written from that page alone: reads and writes them, adds them, and makes
random ones.

A model of a file is a dict: totals {name: value}; binaries {id: [type, machine, name, segments]}, id (kind, bytes), segments a list
of (offset, size, address, exec); counts {id: {kind: {key: count}}} with keys (start, last, flags, instructions), (offset, size),
(from, to) and (offset,); nodes {path: [calls, instructions]}, path a tuple of (kind, id of the call's binary or None, from, id of
the function's binary or None, entry)."""
import random
import struct

TOTAL, BINARY, SEGMENT, RANGE, NOT_TAKEN, EDGE, ENTRY, NODE = range(1, 9)
ROOT, CALL, TAIL, EXCEPTION, SIGNAL, CUT = range(6)
MASK = (1 << 64) - 1
OUTSIDE = MASK
MOST = 32768


def saturated(value):
    return min(value, MASK)


def new():
    return {"totals": {}, "binaries": {}, "counts": {}, "nodes": {}}


# ---- bytes ----------------------------------------------------------------------------------------------


def number(value):
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    value &= MASK
    return number((value << 1 ^ (MASK if value >> 63 else 0)) & MASK)


def flagged(value, flag):
    return number(value << 1 | flag)


def digest(d, content):
    padded = content + bytes(-len(content) % 8)
    for w in struct.unpack("<%dQ" % (len(padded) // 8), padded) + (len(content),):
        d = (d ^ w) * 0x9e3779b97f4a7c15 & MASK
        d ^= d >> 29
    return d


def id_order(key):
    return key[0], len(key[1]), key[1]


def number_of(numbers, key):
    """For the order of nodes: none comes last."""
    return 1 << 32 if key is None else numbers[key]


def tree(nodes):
    """Children by path, each node's last step."""
    children = {}
    for path in nodes:
        children.setdefault(path[:-1], []).append(path[-1])
    return children


def node_records(model, numbers):
    children = tree(model["nodes"])
    order = lambda n: (n[0], number_of(numbers, n[1]), n[2], number_of(numbers, n[3]), n[4])
    out, depth_before = [], -1
    stack = [((), n) for n in sorted(children.get((), []), key=order, reverse=True)]
    while stack:
        above, (kind, from_binary, from_, binary, entry) = stack.pop()
        path = above + ((kind, from_binary, from_, binary, entry),)
        parent = above[-1] if above else (0, None, 0, None, 0)
        flags, body = kind, b""
        if from_binary != parent[3]:
            flags |= 8
            body += number(0 if from_binary is None else numbers[from_binary] + 1)
        if from_ == OUTSIDE:
            flags |= 32
        else:
            body += signed(from_ - (0 if flags & 8 or parent[4] == OUTSIDE else parent[4]))
        if binary != from_binary:
            flags |= 16
            body += number(0 if binary is None else numbers[binary] + 1)
        if entry == OUTSIDE:
            flags |= 64
        else:
            body += signed(entry - (0 if flags & 48 else from_))
        calls, insns = model["nodes"][path]
        out.append(number(2 + depth_before - (len(path) - 1)) + bytes([flags]) + body + number(calls) + number(insns))
        depth_before = len(path) - 1
        stack += [(path, n) for n in sorted(children.get(path, []), key=order, reverse=True)]
    return out


def tables(model):
    """(begin of the table, records)"""
    if model["totals"]:
        yield b"\1", [number(len(n)) + n + number(v - 1) for n, v in sorted(model["totals"].items())]
    ids = sorted(model["binaries"], key=id_order)
    numbers = {key: i for i, key in enumerate(ids)}
    records = []
    for key in ids:
        type_, machine, name, segments = model["binaries"][key]
        records.append(number(2 + key[0] + 4 * (len(key[1]) - 1)) + key[1] + bytes([type_]) + number(machine) + number(len(name)) +
                       name)
        before = 0
        for offset, size, address, exec_ in sorted(segments):
            records.append(number(1) + number(offset - before) + number(size) + signed(address - offset) + bytes([exec_]))
            before = offset
    if records:
        yield b"\2", records
    last_binary = 0
    for key in ids:
        counts = model["counts"].get(key, {})
        for kind in (RANGE, NOT_TAKEN, EDGE, ENTRY):
            records, before = [], 0
            for k, count in sorted(counts.get(kind, {}).items()):
                if kind == RANGE:
                    start, last, flags, insns = k
                    body = number(flags + 4 * (insns - 1))
                    if flags & 1:
                        body += number((last - start - 2 * (insns - 1)) // 2)
                    records.append(number(1 + start - before) + body)
                elif kind == NOT_TAKEN:
                    records.append(flagged(1 + k[0] - before, k[1] == 2))
                elif kind == EDGE:
                    away = (k[1] - k[0]) & MASK
                    away = (away << 1 ^ (MASK if away >> 63 else 0)) & MASK
                    records.append(number(1 + k[0] - before) + (flagged(0, 1) if k[1] == OUTSIDE else flagged(away, 0)))
                else:
                    records.append(number(1 + k[0] - before))
                records[-1] += number(count - 1)
                before = k[0]
            if records:
                yield bytes([kind]) + number(numbers[key] - last_binary), records
                last_binary = numbers[key]
    records = node_records(model, numbers)
    if records:
        yield b"\x08", records


def write(model):
    out, block, d, records = [b"CSTCNT\r\n" + struct.pack("<HHI", 1, 16, 0)], b"", 0x243f6a8885a308d3, 0

    def put(content, n):
        nonlocal d
        d = digest(d, content)
        out.append(struct.pack("<HHQ", n, n ^ 0xffff, d) + content)

    between = b""
    for begin, table in tables(model):
        begin = between + begin
        for record in table:
            record, begin, records = begin + record, b"", records + 1
            if len(block) + len(record) > MOST:
                put(block, len(block))
                block = b""
            block += record
        between = b"\0"
    if block:
        put(block, len(block))
    put(struct.pack("<Q", records), 0)
    return b"".join(out)


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self):
        value, shift = 0, 0
        while True:
            b = self.byte()
            value |= (b & 0x7f) << shift
            shift += 7
            if b < 0x80:
                return value

    def signed(self):
        value = self.number()
        return value >> 1 ^ (MASK if value & 1 else 0)


def contents(data):
    """The contents of all blocks; checks what frames them."""
    assert data[:16] == b"CSTCNT\r\n\1\0\x10\0\0\0\0\0", "header"
    at, d, out = 16, 0x243f6a8885a308d3, b""
    while True:
        n, complement, sum_ = struct.unpack_from("<HHQ", data, at)
        content = data[at + 12:at + 12 + (n or 8)]
        d = digest(d, content)
        assert complement == n ^ 0xffff and sum_ == d, "block at %d" % at
        at += 12 + len(content)
        if not n:
            assert at == len(data), "end"
            return out, struct.unpack("<Q", content)[0]
        out += content


def read_counts(b, kind, table, before):
    start = before + b.number() - 1 if kind != NOT_TAKEN else None
    if kind == RANGE:
        v = b.number()
        insns = (v >> 2) + 1
        last = start + (2 * (insns - 1) + 2 * b.number() if v & 1 else 4 * (insns - 1))
        key = start, last, v & 3, insns
    elif kind == NOT_TAKEN:
        v = b.number()
        key = before + (v >> 1) - 1, 2 if v & 1 else 4
    elif kind == EDGE:
        v = b.number()
        away = v >> 1
        key = start, OUTSIDE if v & 1 else (start + (away >> 1 ^ (MASK if away & 1 else 0))) & MASK
    else:
        key = (start,)
    table[key] = b.number() + 1
    return key[0]


def read_node(b, model, ids, path):
    depth = len(path) - (b.number() - 1)
    path = path[:depth]
    parent = path[-1] if path else (0, None, 0, None, 0)
    named = lambda n: ids[n - 1] if n else None
    flags = b.byte()
    from_binary = named(b.number()) if flags & 8 else parent[3]
    base = 0 if flags & 8 or parent[4] == OUTSIDE else parent[4]
    from_ = OUTSIDE if flags & 32 else (base + b.signed()) & MASK
    binary = named(b.number()) if flags & 16 else from_binary
    entry = OUTSIDE if flags & 64 else ((0 if flags & 48 else from_) + b.signed()) & MASK
    path += ((flags & 7, from_binary, from_, binary, entry),)
    model["nodes"][path] = [b.number(), b.number()]
    return path


def read(data):
    content, records = contents(data)
    b, model, ids, path, n, binary = Bytes(content), new(), [], (), 0, 0
    kind = offset = before = 0
    while b.at < len(content):
        if not kind or not content[b.at]:
            b.at += bool(kind)
            kind, before = b.byte(), 0
            if RANGE <= kind <= ENTRY:
                binary += b.number()
                table = model["counts"].setdefault(ids[binary], {}).setdefault(kind, {})
        n += 1
        if kind == TOTAL:
            name = b.take(b.number())
            model["totals"][name] = b.number() + 1
        elif kind == BINARY:
            first = b.number()
            if first == 1:
                offset += b.number()
                model["binaries"][ids[-1]][3].append((offset, b.number(), (offset + b.signed()) & MASK, b.byte()))
                continue
            ids.append(((first - 2) & 3, b.take(((first - 2) >> 2) + 1)))
            type_, machine = b.byte(), b.number()
            model["binaries"][ids[-1]] = [type_, machine, b.take(b.number()), []]
            offset = 0
        elif kind == NODE:
            path = read_node(b, model, ids, path)
        else:
            before = read_counts(b, kind, table, before)
    assert n == records, "number of records"
    return model


# ---- sums -----------------------------------------------------------------------------------------------


def add(models):
    """The sum of (model, weight)."""
    out = new()
    for model, weight in models:
        for name, value in model["totals"].items():
            out["totals"][name] = saturated(out["totals"].get(name, 0) + value * weight)
        for key, (type_, machine, name, segments) in model["binaries"].items():
            mine = out["binaries"].setdefault(key, [type_, machine, name, list(segments)])
            mine[1] = mine[1] or machine
            mine[2] = min(mine[2], name)
            mine[3] = mine[3] or list(segments)
        for key, kinds in model["counts"].items():
            for kind, table in kinds.items():
                mine = out["counts"].setdefault(key, {}).setdefault(kind, {})
                for k, count in table.items():
                    mine[k] = saturated(mine.get(k, 0) + count * weight)
        for path, both in model["nodes"].items():
            mine = out["nodes"].setdefault(path, [0, 0])
            for i in range(2):
                mine[i] = saturated(mine[i] + both[i] * weight)
    return out


# ---- random ones ----------------------------------------------------------------------------------------


class Maker:
    """Models of runs of the same programs: places are drawn from a world, so that they meet."""

    def __init__(self, seed, binaries=6, places=40):
        self.r = random.Random(seed)
        self.world = [self.binary(i, places) for i in range(binaries)]

    def binary(self, i, places):
        r = self.r
        t32 = r.random() < 0.3
        size = 2 if t32 else 4
        starts = sorted(r.sample(range(0, 40 * places * size, size), places))
        ranges = []
        for start in starts:
            insns = r.randint(1, 12)
            wide = r.randint(0, insns - 1) if t32 else 0
            last = start + (2 * (insns - 1 + wide) if t32 else 4 * (insns - 1))
            ranges.append((start, last, (1 if t32 else 0) | r.choice((0, 0, 2)), insns))
        type_ = r.choice((0, 0, 0, 1, 2, 3, 4))
        segments = [] if type_ > 1 else sorted((r.randrange(1 << 20), r.randrange(1 << 20), r.randrange(1 << 40), r.randrange(2))
                                               for _ in range(r.randint(1, 3)))
        return {"id": (r.choice((0, 0, 0, 1, 2)), r.randbytes(r.choice((20, 20, 8, 1)))), "type": type_,
                "machine": r.choice((183, 40)), "segments": segments, "ranges": ranges, "starts": starts,
                "name": ("/usr/lib/lib%d.so" % i).encode()}

    def count(self):
        r = self.r
        return r.choice((1, r.randint(1, 100), r.randint(1, 1 << r.randint(1, 40)), MASK if r.random() < 0.01 else 7))

    def node(self, parent):
        r = self.r
        call = next((b for b in self.world if parent and b["id"] == parent[3]), None)
        callee = r.choice(self.world)
        kind = r.choice((CALL, CALL, CALL, TAIL, EXCEPTION, SIGNAL)) if parent else ROOT
        if parent and r.random() < 0.05:
            return CUT, None, OUTSIDE, None, OUTSIDE
        unknown = r.random() < 0.05
        return (kind, call and call["id"], r.choice(call["starts"]) if call and not unknown else OUTSIDE,
                None if r.random() < 0.05 else callee["id"], OUTSIDE if unknown else r.choice(callee["starts"][:4]))

    def model(self, size=60):
        r, m = self.r, new()
        for name in (b"recordings", b"instructions", b"loss.truncated", b"loss.no_file", b"x" * 30 + b"a", b"x" * 30 + b"b"):
            if r.random() < 0.5:
                m["totals"][name] = self.count()
        for b in self.world:
            if r.random() < 0.3:
                continue
            known = r.random() < 0.8
            m["binaries"][b["id"]] = [b["type"], b["machine"] if known else 0, b["name"] + r.choice((b"", b".1", b".2")),
                                      list(b["segments"]) if known else []]
            tables = m["counts"].setdefault(b["id"], {})
            for _ in range(r.randrange(size)):
                g = r.choice(b["ranges"])
                key = {RANGE: g, NOT_TAKEN: (g[1], 2 if g[2] & 1 else 4), ENTRY: (g[0],),
                       EDGE: (g[1], r.choice((OUTSIDE, r.choice(b["starts"]))))}
                kind = r.choice(list(key))
                # a place has one branch, of one size
                if kind == NOT_TAKEN and sum(x[1] == g[1] for x in b["ranges"]) > 1:
                    continue
                tables.setdefault(kind, {})[key[kind]] = self.count()
        path = ()
        for _ in range(r.randrange(size)):
            path = path[:r.randint(0, len(path))]
            if path and path[-1][0] == CUT:
                path = path[:-1]
            node = self.node(path[-1] if path else None)
            node = tuple(None if i in (1, 3) and x not in m["binaries"] else x for i, x in enumerate(node))
            node = node[:2] + (OUTSIDE if node[1] is None else node[2],) + node[3:4] + (OUTSIDE if node[3] is None else node[4],)
            path += (node,)
            m["nodes"].setdefault(path, [0, 0])
            m["nodes"][path] = [self.count(), r.choice((0, self.count()))]
        return m


def counted(m):
    """True if the model has counts or calls."""
    return bool(m["nodes"]) or any(table for kinds in m["counts"].values() for table in kinds.values())
