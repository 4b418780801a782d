# SPDX-License-Identifier: GPL-2.0-only
#
# vnpu-vm needs no build; each of its tests boots a machine of its own.

HOST_TESTS	+= selftests/vm/vnpu-vm-test.sh selftests/vm/suspend.py
FAULTS_HOST_TESTS += selftests/vm/detectors.sh selftests/vm/suspend-debug.sh
LONG_TESTS	+= $(addprefix selftests/vm/,vnpu-vm-test.sh detectors.sh \
			suspend-debug.sh)
