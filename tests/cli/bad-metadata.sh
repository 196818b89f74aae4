#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a recording says about processes and code, when it is absurd.
exec python3 tests/cli/bad_metadata.py
