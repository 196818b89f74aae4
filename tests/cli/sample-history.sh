#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# L and G in --itrace: branch stacks and call chains of samples of other events, by the truth of the model.
scenarios="threads:1 threads:2 two-cpus:3 exec:1 dlopen:4 kernel:1 kernel:2 vhe:1 one-sink:2"
[ -z "$CSTRACE_NIGHTLY" ] || for name in threads two-cpus exec fork dlopen kernel vhe vhe-user modules; do
	for seed in 1 2 3 4 5 6 8 9 10 11 12 13 14; do
		scenarios="$scenarios $name:$seed"
	done
done
exec "$(dirname "$0")/sample_history.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN" --perf "${PERF:-perf}" $scenarios
