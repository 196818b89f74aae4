# SPDX-License-Identifier: BSD-3-Clause
"""The sample recording with the build-id of its program, which it does not have."""
import os
import struct

from tap import Bad

SAMPLE = os.path.abspath("tests/data/sample.perf.data")
PROGRAM = os.path.abspath("tests/data/symfs/opt/cstrace-sample/sample.a64")
PATH = "opt/cstrace-sample/sample.a64"
ID = "206c0270ee5701f65b1cb0bc52fd48fa427d4289"
BY_ID = ".build-id/%s/%s" % (ID[:2], ID[2:])


def with_build_id(path):
    """The sample as a recorder with build-ids writes it: HEADER_BUILD_ID is added to its header."""
    data = bytearray(open(SAMPLE, "rb").read())
    at, size = struct.unpack_from("<QQ", data, 40)
    features, table = int.from_bytes(data[72:104], "little"), at + size
    if features & 4:
        raise Bad("the sample has build-ids")
    name = b"/" + PATH.encode() + bytes(64 - len(PATH) - 1)
    event = struct.pack("<IHHI", 67, 2, 36 + len(name), 0xffffffff) + bytes.fromhex(ID) + bytes(4) + name
    number, before = bin(features).count("1"), bin(features & 3).count("1")
    sections = [list(struct.unpack_from("<QQ", data, table + 16 * i)) for i in range(number)]
    for one in sections:
        one[0] += 16
    sections.insert(before, [len(data) + 16, len(event)])
    data[72:104] = (features | 4).to_bytes(32, "little")
    with open(path, "wb") as f:
        f.write(data[:table] + b"".join(struct.pack("<QQ", *one) for one in sections) + data[table + 16 * number:] + event)
