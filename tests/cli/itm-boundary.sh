#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ITM without synchronisation packets, frames without synchronisation: made here, and captures of microcontrollers.
exec python3 tests/cli/itm_boundary.py
