#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Cycles of functions are those that the model of the trace unit counted.
exec python3 tests/cli/cycles.py
