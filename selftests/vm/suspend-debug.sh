#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Suspend on the debug kernel, which cannot hibernate, with two processors.
exec "$(dirname "$0")/suspend.py" -2 debug
