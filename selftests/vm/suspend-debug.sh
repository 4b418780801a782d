#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Suspend on the debug kernel, which cannot hibernate.
exec "$(dirname "$0")/suspend.py" debug
