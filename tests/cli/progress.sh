#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Messages of progress: on a terminal, of a command that takes long, and not between lines that go to the same terminal.
exec python3 tests/cli/progress.py
