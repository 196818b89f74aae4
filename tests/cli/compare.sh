#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Executed instructions as Tarmac text, and compared with it.
exec "$(dirname "$0")/compare.py" --tool "$PERF_CSTRACE" --shared "${CSTRACE_SHARED:-../shared}"
