#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Trace without an operating system: software trace alone, firmware.
exec "$(dirname "$0")/software_alone.py" --tool "$PERF_CSTRACE"
