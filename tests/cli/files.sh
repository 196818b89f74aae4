#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files of the user: none is replaced, read forever, copied by mistake or left behind.
exec python3 tests/cli/files.py
