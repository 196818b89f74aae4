# SPDX-License-Identifier: BSD-3-Clause
"""index_big.py DIR MIB: a snapshot with a raw ETMv4 stream of that size: a loop of two instructions, and each
4 KiB a synchronisation, a timestamp, a context and an address. Timestamps are 1000 apart; every 1000th
synchronisation has an event before it. Prints the last timestamp."""
import os
import struct
import sys

BLOCK = 4096
ASYNC = bytes(11) + b"\x80"


def block(i):
    ts = 1000 * (i + 1)
    stamp = bytes([2]) + bytes((ts >> 7 * k & 0x7F) | 0x80 for k in range(8)) + bytes([ts >> 56 & 0xFF])
    head = ASYNC + b"\x01\x00" + stamp + b"\x81\xb0" + struct.pack("<I", 0x100 + i // 5000) + b"\x95\x00"
    tail = b"\x71\xf7" if i % 1000 == 999 else b"\xf7\xf7"
    return head + b"\xf7" * (BLOCK - len(head) - len(tail)) + tail


def main():
    folder, blocks = sys.argv[1], (int(sys.argv[2]) << 20) // BLOCK
    files = {
        "snapshot.ini": "[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=cpu.ini\ndevice1=etm.ini\n\n"
                        "[trace]\nmetadata=trace.ini\n",
        "cpu.ini": "[device]\nname=cpu_0\nclass=core\ntype=ARM-AA64\n\n[dump1]\nfile=mem.bin\naddress=0x0\n",
        "etm.ini": "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4\n\n[regs]\nTRCCONFIGR=0x841\n"
                   "TRCTRACEIDR=0x10\nTRCIDR0=0x28000ea1\nTRCIDR1=0x4100f440\nTRCIDR2=0x488\nTRCIDR8=0x0\n",
        "trace.ini": "[trace_buffers]\nbuffers=b0\n\n[b0]\nname=ETB_0\nfile=trace.bin\nformat=source_data\n\n"
                     "[source_buffers]\nETM_0=ETB_0\n\n[core_trace_sources]\ncpu_0=ETM_0\n",
    }
    os.mkdir(folder)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    with open(os.path.join(folder, "mem.bin"), "wb") as f:
        f.write(struct.pack("<II", 0xD503201F, 0x17FFFFFF))
    with open(os.path.join(folder, "trace.bin"), "wb") as f:
        for i in range(blocks):
            f.write(block(i))
    print(1000 * blocks)


main()
