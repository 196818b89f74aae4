#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""many_functions.py N FILE: a count file of N methods of generated code, some with the same number of instructions."""
import sys

import count_file

AARCH64 = 183
JIT, BY_NAME = 3, 2


def main(n, path):
    model = count_file.new()
    for i in range(n):
        key = BY_NAME, i.to_bytes(8, "big")
        name = ("void deep::space<%d>::method_%x(std::vector<int> const&)" % (i % 97, i * 2654435761 % (1 << 32))).encode()
        model["binaries"][key] = [JIT, AARCH64, name, []]
        model["counts"][key] = {count_file.RANGE: {(0, 0, 0, 1): n - i // 3}}
    with open(path, "wb") as f:
        f.write(count_file.write(model))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
