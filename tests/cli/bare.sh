#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Trace without a recording: files of bytes, program files and registers decode as the snapshot of the same trace does.
exec python3 tests/cli/bare.py
