#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh - the binary interface of the library is the one in tests/data/libcstrace.abi.
exec scripts/abi compare "$BUILD/libcstrace.so"
