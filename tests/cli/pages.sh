#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lib/README.md: its code compiles and does what it says, and what it names is there.
exec python3 tests/cli/pages.py
