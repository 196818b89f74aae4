#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# event-samples: transactions, instrumentation and events of generated traces as samples, in script, inject and perf.
last=12
[ -z "${CSTRACE_NIGHTLY:-}" ] || last=200
exec "$(dirname "$0")/event_samples.py" "${PERF_CSTRACE:-build/perf-cstrace}" "${CST_GEN:-build/tests/gen/cst-gen}" 1 $last
