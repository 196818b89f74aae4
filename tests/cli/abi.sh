#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh - the binary interfaces of the libraries are those in tests/data/libcstrace.abi and libcstrace-files.abi.
scripts/abi compare "$BUILD/libcstrace.so" && exec scripts/abi compare "$BUILD/libcstrace-files.so"
