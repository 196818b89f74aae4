#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files that belong to a program (debug files, split and shared DWARF, caches) are found, proven and bounded.
exec python3 tests/cli/finder.py
