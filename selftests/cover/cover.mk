# SPDX-License-Identifier: GPL-2.0-only
#
# The lines of the driver that the tests of machines run: "make coverage" runs
# them on the kernel that counts, and writes Documentation/coverage.md, even if
# one of them failed. TESTS= and similar variables reduce them.

COVER_DIR := $(B)/coverage
COVER_COLLECT := selftests/cover/collect.sh
COVER_FARM = $(patsubst %/vnpu.ko,%,$(lastword $(shell \
	ls -tr $(B)/kmod/*-vnpu-gcov/vnpu.ko)))

coverage: check-deps gcov-kernel
	@rm -rf $(COVER_DIR)
	@status=0; TIMEOUT=1200 $(MAKE) --no-print-directory check-parts \
		PARTS=gcov TESTS="$(TESTS) $(COVER_COLLECT)" \
		TESTS_MULTI="$(TESTS_MULTI) $(if $(TESTS_MULTI),$(COVER_COLLECT))" \
		TESTS_TRACE="$(TESTS_TRACE) $(if $(TESTS_TRACE),$(COVER_COLLECT))" || \
		status=1; \
	$(MAKE) --no-print-directory coverage-report || status=1; exit $$status

# Evaluate saved counts again.
coverage-report:
	@selftests/cover/report.py $(COVER_FARM) $(COVER_DIR) \
		Documentation/coverage.md $(wildcard $(B)/check/gcov*.tap)

.PHONY: coverage coverage-report
