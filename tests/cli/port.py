# SPDX-License-Identifier: BSD-3-Clause
"""Frames as a trace port sends them and as a DSTREAM probe stores them."""
FSYNC, HSYNC = b"\xff\xff\xff\x7f", b"\xff\x7f"


def tpiu(parts, rng, half=True):
    out = bytearray(FSYNC)
    for part in parts:
        for at in range(0, 16, 2):
            if half and rng.random() < 0.05:
                out += HSYNC
            out += part[at:at + 2]
        while rng.random() < 0.3:
            out += FSYNC
    return bytes(out)


def dstream(data):
    data += FSYNC * (-len(data) % 504 // 4) if len(data) % 504 else b""
    return b"".join(data[i:i + 504] + bytes(8) for i in range(0, len(data), 504))
