#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a program printed through an ITM or an STM, taken from the listing in JSON.
exec python3 tests/cli/software_trace.py
