#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compressed records that expand without end.
exec python3 tests/cli/expand.py
