#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""names.py: recordings whose names hold every byte, and what may come of them.

    names.py make IN.data IN.elf OUT.data DIR [TEXT]   the recording with such names everywhere, its program below DIR;
                                                       TEXT instead of all bytes, without / in the name of the file
    names.py text FILE...        no control characters, UTF-8, no line that a name began
    names.py shown FILE          the escaped names are in it
    names.py json FILE           one object, or one a line; every string of it is text
    names.py kept FILE           thread and file keep their names in this perf.data
"""
import json
import os
import re
import struct
import sys

# A name of a file may not hold 0 and /. The escape sequences change a terminal's title and colour.
BYTES = b"\x1b]0;title\x07\x1b[31m" + bytes(c for c in range(1, 256) if c != ord("/"))[:200]
REST = b"\xc2\x9b2J\nINJECTED " + bytes(range(201, 256))
COMM, FILE, SYMBOL = BYTES + REST[-40:], b"/opt/" + BYTES + b"/" + REST, REST + BYTES
MMAP, COMM_RECORD, MMAP2, AUXTRACE, AUXTRACE_INDEX = 1, 3, 10, 71, 18
STRINGS = (3, 4, 5)
CMDLINE, EVENT_DESC = 11, 12


def padded(name, to=8):
    return name + b"\0" * (to - len(name) % to)


def string(text):
    text = padded(text, 64)
    return struct.pack("<I", len(text)) + text


def record(data, at, name_at, name):
    kind, misc, size = struct.unpack_from("<IHH", data, at)
    old = data[at + name_at:at + size]
    length = old.index(b"\0") // 8 * 8 + 8
    body = data[at + 8:at + name_at] + padded(name) + old[length:]
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def new_name(kind, old):
    if kind == COMM_RECORD:
        return 16, COMM
    return (40 if kind == MMAP else 72), FILE if b"sample" in old else None


def event_desc(data):
    nr, size = struct.unpack_from("<II", data)
    out, at = data[:8], 8
    for _ in range(nr):
        ids, length = struct.unpack_from("<II", data, at + size)
        out += data[at:at + size + 4] + string(BYTES)
        at += size + 8 + length
        out += data[at:at + 8 * ids]
        at += 8 * ids
    return out


def feature(bit, data):
    if bit in STRINGS:
        return string(BYTES)
    if bit == CMDLINE:
        return struct.pack("<I", 2) + string(BYTES) + string(REST)
    return event_desc(data) if bit == EVENT_DESC else data


def rename_recording(data):
    head = list(struct.unpack_from("<8s8Q4Q", data))
    start, length = head[5], head[6]
    table, features = start + length, {}
    for bit in range(256):
        if head[9 + bit // 64] >> bit % 64 & 1:
            where, size = struct.unpack_from("<QQ", data, table)
            table += 16
            features[bit] = feature(bit, data[where:where + size])
    features.pop(AUXTRACE_INDEX, None)
    at, out = start, b""
    while at < start + length:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        take = data[at:at + size]
        if kind in (MMAP, MMAP2, COMM_RECORD):
            where, name = new_name(kind, take)
            take = record(data, at, where, name) if name else take
        if kind == AUXTRACE:
            size += struct.unpack_from("<Q", data, at + 8)[0]
            take = data[at:at + size]
        out += take
        at += size
    head[6] = len(out)
    head[9:13] = [sum(1 << bit % 64 for bit in features if bit // 64 == i) for i in range(4)]
    where = start + len(out) + 16 * len(features)
    sections, bodies = b"", b""
    for bit in sorted(features):
        sections += struct.pack("<QQ", where + len(bodies), len(features[bit]))
        bodies += features[bit]
    return struct.pack("<8s8Q4Q", *head) + data[struct.calcsize("<8s8Q4Q"):start] + out + sections + bodies


def rename_symbols(elf):
    """Every function gets the name, in a string table at the end of the file."""
    elf = bytearray(elf)
    shoff, = struct.unpack_from("<Q", elf, 0x28)
    shentsize, shnum = struct.unpack_from("<HH", elf, 0x3a)
    headers = [shoff + i * shentsize for i in range(shnum)]
    symtab, = [h for h in headers if struct.unpack_from("<I", elf, h + 4)[0] == 2]
    strtab = headers[struct.unpack_from("<I", elf, symtab + 0x28)[0]]
    where, size = struct.unpack_from("<QQ", elf, symtab + 0x18)
    names, length = struct.unpack_from("<QQ", elf, strtab + 0x18)
    for at in range(where, where + size, 24):
        if elf[at + 4] & 15 == 2:
            struct.pack_into("<I", elf, at, length)
    table = bytes(elf[names:names + length]) + SYMBOL + b"\0"
    struct.pack_into("<QQ", elf, strtab + 0x18, len(elf), len(table))
    return bytes(elf) + table


def make(data, elf, out, root, words=None):
    global BYTES, REST, COMM, FILE, SYMBOL
    if words:
        BYTES = REST = COMM = SYMBOL = os.fsencode(words)
        FILE = b"/opt/" + BYTES.replace(b"/", b"|")
    with open(data, "rb") as f:
        recording = rename_recording(f.read())
    with open(elf, "rb") as f:
        program = rename_symbols(f.read())
    with open(out, "wb") as f:
        f.write(recording)
    path = os.fsencode(root) + FILE
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as f:
        f.write(program)


def text(*files):
    for name in files:
        with open(name, "rb") as f:
            data = f.read()
        decoded = data.decode("utf-8")
        control = re.search("[\0-\x08\x0b-\x1f\x7f-\x9f]", decoded)
        if control:
            sys.exit("%s: a control character: %r" % (name, decoded[max(0, control.start() - 40):control.end() + 20]))
        injected = re.search("^(INJECTED|\\\\x0b).*", decoded, re.MULTILINE)
        if injected:
            sys.exit("%s: a name began the line %r" % (name, injected[0][:80]))


def shown(name):
    with open(name, "rb") as f:
        data = f.read()
    if b"\\x1b[31m" not in data and b"\\x0aINJECTED" not in data:
        sys.exit("%s: no escaped name in it" % name)


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for k, v in value.items():
            yield from strings([k, v])
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)


def check_json(name):
    with open(name, "rb") as f:
        data = f.read().decode("utf-8")
    try:
        values = [json.loads(data)]
    except ValueError:
        values = [json.loads(line) for line in data.splitlines()]
    found = list(strings(values))
    if not found:
        sys.exit("%s: no string in it" % name)
    for s in found:
        s.encode("latin-1")


def kept(name):
    with open(name, "rb") as f:
        data = f.read()
    for what in (COMM, FILE):
        if what + b"\0" not in data:
            sys.exit("%s: %r is not in it" % (name, what[:20]))


if __name__ == "__main__":
    {"make": make, "text": text, "shown": shown, "json": check_json, "kept": kept}[sys.argv[1]](*sys.argv[2:])
