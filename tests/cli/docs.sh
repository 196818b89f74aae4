#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every command line, option, field and letter that README.md, Kconfig-notes.md and the man page name.
exec python3 tests/cli/docs.py
