#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Recordings, program files and snapshots that are damaged or of another kind.
exec python3 tests/cli/bad_input.py
