#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh - the binary interfaces of the libraries are those in tests/data/libcstrace*.abi, and break nothing of the version
# before, which the repository has.
for name in libcstrace libcstrace-files libcstrace-perf; do
	scripts/abi compare "$BUILD/$name.so" || exit
done
[ -e .git ] || exit 0
scripts/abi since "$BUILD"
code=$?
# a history that does not reach back, or descriptions of another architecture
[ $code = 77 ] || exit $code
