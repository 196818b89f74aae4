#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What can be recorded on machines whose files are saved (tests/data/targets), hostile trees, this machine, and the collector.
# With REBASE=1 what the command prints of the saved machines is written anew.
exec python3 tests/cli/check.py
