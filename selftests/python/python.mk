# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the Python module and of the package above it. "make check" runs those
# that are quick; "make check-python" runs all.

PY_TESTS	:= $(addprefix selftests/python/,device.py package.py offline.py \
	fuzz.py arrays.py examples.py)
PY_HOST_TESTS	:= $(addprefix selftests/python/,table.py describe.py fuzz.py)
# Only the checks build these, because they need Python's headers.
PY_NEED		:= python-files $(B)/selftests/lib/kernels.o $(B)/cann/bin/atc \
	$(B)/bin/vnpu-model

PY_DEVICE_TESTS	:= $(addprefix selftests/python/,device.py package.py offline.py)

TESTS += $(PY_DEVICE_TESTS)
SLOW_TESTS += $(PY_DEVICE_TESTS)
HOST_TESTS += $(PY_HOST_TESTS)
