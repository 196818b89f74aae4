# SPDX-License-Identifier: BSD-3-Clause
"""DWARF 4 made byte by byte, for what no compiler makes: put into the sections of a program by objcopy."""
import os
import struct
import subprocess

STANDARD = bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
NAME, STMT_LIST, LOW, HIGH, COMP_DIR, FILE, LINE, RANGES = 0x03, 0x10, 0x11, 0x12, 0x1b, 0x3a, 0x3b, 0x55
ENTRY, DWO_NAME, DWO_ID = 0x52, 0x2130, 0x2131
ADDR, DATA4, DATA8, STRING, DATA1, SEC_OFFSET, STRP_ALT = 0x01, 0x06, 0x07, 0x08, 0x0b, 0x17, 0x1f21
UNIT, FUNCTION = 0x11, 0x2e


def uleb(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def abbrev(*entries):
    """entries: (code, tag, has children, [(attribute, form)])"""
    out = b""
    for code, tag, children, attributes in entries:
        out += uleb(code) + uleb(tag) + bytes([children])
        out += b"".join(uleb(a) + uleb(f) for a, f in attributes) + b"\0\0"
    return out + b"\0"


def unit(dies):
    body = struct.pack("<HIB", 4, 0, 8) + dies
    return struct.pack("<I", len(body)) + body


def lines(low, size, rows, name=b"a.c"):
    """A table whose rows go over the code again and again, an instruction each."""
    head = bytes([4, 1, 1]) + struct.pack("<b", 0) + bytes([2, 13]) + STANDARD + b"\0" + name + b"\0\0\0\0\0"
    program, left, per = bytearray(), rows, size // 4 - 2
    while left > 0:
        n = min(per, left)
        # special opcodes: 13 + line advance (0 or 1) + 2 * address advance
        program += b"\0\x09\x02" + struct.pack("<Q", low) + bytes([15 + (i & 1) for i in range(n)]) + b"\x02\x01\0\x01\x01"
        left -= n
    body = struct.pack("<HI", 4, len(head)) + head + bytes(program)
    return struct.pack("<I", len(body)) + body


def put(folder, source, target, sections):
    """Copies a program with other contents of sections; those that it does not have are added."""
    have = subprocess.run(["aarch64-linux-gnu-readelf", "-SW", source], capture_output=True, text=True).stdout
    command = ["aarch64-linux-gnu-objcopy"]
    for number, (name, contents) in enumerate(sections.items()):
        path = os.path.join(folder, "section%d" % number)
        with open(path, "wb") as f:
            f.write(contents)
        command += ["--%s-section" % ("update" if " %s " % name in have else "add"), "%s=%s" % (name, path)]
    subprocess.run(command + [source, target], check=True)
