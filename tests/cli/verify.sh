#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Rules of the architecture that a trace violates.
exec "$(dirname "$0")/verify.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
