#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Commands with a small stack, few descriptors, and a standard output that cannot be closed.
exec python3 tests/cli/limits.py
