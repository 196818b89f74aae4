#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# history: time follows the number of records about maps, memory what is mapped at a time.
set -eu
exec python3 "$(dirname "$0")/history.py" measure "${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}"
