#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh - the binary interfaces of the libraries are those in tests/data/libcstrace*.abi.
for name in libcstrace libcstrace-files libcstrace-perf; do
	scripts/abi compare "$BUILD/$name.so" || exit
done
