#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""extract-snapshot.py SNAPSHOT DIR: in DIR/args the arguments for ocsd_decode and cst_decode that say what a snapshot
holds: one buffer of frames, ETMv4 or ETE sources, and the dumps of the first core."""
import configparser
import os
import re
import sys

KINDS = {"ETM4": "etmv4", "ETE": "ete"}
REGISTERS = ("TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCDEVARCH")


def read(path):
    ini = configparser.ConfigParser(delimiters=("=",), strict=False, interpolation=None)
    ini.optionxform = str
    ini.read(path)
    return ini


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: extract-snapshot.py SNAPSHOT DIR")
    snapshot, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    trace = read(os.path.join(snapshot, "trace.ini"))
    buffer = trace[trace["trace_buffers"]["buffers"].split(",")[0]]
    if buffer["format"] != "coresight":
        sys.exit("%s: found format %s, expected frames" % (snapshot, buffer["format"]))
    data = os.path.join(snapshot, buffer["file"])
    sources, maps = [], []
    for name in read(os.path.join(snapshot, "snapshot.ini"))["device_list"].values():
        device = read(os.path.join(snapshot, name))
        if device["device"]["class"] == "trace_source":
            registers = {re.sub(r"\(.*", "", k): v for k, v in device["regs"].items()}
            sources += [KINDS[device["device"]["type"]]] + [registers.get(r, "0") for r in REGISTERS]
        elif device["device"]["class"] == "core" and not maps:
            for dump in (device[s] for s in device.sections() if s.startswith("dump")):
                path = os.path.join(snapshot, dump["file"])
                offset = dump.get("offset", "0")
                length = dump.get("length", str(os.path.getsize(path) - int(offset, 0)))
                maps += [dump["address"], length, offset, path]
    words = ["frames", data, str(os.path.getsize(data)), str(len(sources) // (1 + len(REGISTERS)))] + sources + maps
    with open(os.path.join(folder, "args"), "w") as out:
        out.write("\n".join(words) + "\n")


main()
