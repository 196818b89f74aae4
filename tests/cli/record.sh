#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perf-cstrace record: its plans for saved machines, and a recording from perf to the package that is copied.
exec python3 tests/cli/record.py
