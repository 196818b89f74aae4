#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples of the man page, from the recording to the result.
exec python3 tests/cli/use_cases.py
