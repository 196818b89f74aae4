# SPDX-License-Identifier: BSD-3-Clause
"""shown.py - lines of output as golden texts have them: the folder of the test as DIR, the program's version as VERSION."""
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
with open(os.path.join(ROOT, "include", "cstrace", "version.h"), encoding="utf-8") as header:
    VERSION = ".".join(re.findall(r"#define CST_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)", header.read()))


def shown(line, folder):
    return line.rstrip().replace(folder, "DIR").replace("cstrace " + VERSION, "cstrace VERSION")
