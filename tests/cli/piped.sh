#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# profile -i - of a pipe that is cut into pieces.
exec python3 tests/cli/piped.py
