#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# script-code: what `script` says about code: each instruction is the one that objdump finds there, the code of a branch
# stack is what was executed before the sample, source lines are addr2line's, calls are indented by those that are open.
set -eu
shared=${CSTRACE_SHARED:-../shared}
[ -d "$shared/truth/symfs" ] || { echo "no truth sets in $shared/truth"; exit 77; }
for tool in aarch64-linux-gnu-objdump arm-linux-gnueabihf-objdump aarch64-linux-gnu-addr2line python3; do
	command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
exec python3 "$(dirname "$0")/script_code.py" "${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}" "$shared/truth"
