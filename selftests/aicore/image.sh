#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Run image.c with the kernels of kernels.asc.

exec "$B/selftests/aicore/image" "$B/selftests/aicore/kernels.o" \
	selftests/aicore/kernels.asc
