#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shipped sample cut at every 64th byte, and with single bits flipped in headers and metadata.
exec python3 tests/cli/bad_input.py
