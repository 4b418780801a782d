/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A core in the process of the test.  It implements the services of kernels, runs
 * the blocks of a launch as fibers of one thread, and records their reports.
 */
#ifndef ASCENDC_HARNESS_H
#define ASCENDC_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vnpu/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Results of launches, as AscendCL has them. */
#define HARNESS_OK		0
#define HARNESS_INVALID		107000
#define HARNESS_EXCEPTION	507015
#define HARNESS_TIMEOUT		507014	/* blocks wait for each other */

/**
 * struct harness_report - the reports of the last launch
 * @kind: VNPU_FAULT_* of the exception, or 0
 * @block: the block of it
 * @file: source file of an assertion, or an empty string
 * @line: its line
 * @text: the sentence
 * @findings: mistakes that did not end the launch
 * @finding: the first of them
 * @finding_kind: its VNPU_FAULT_*
 * @finding_address: its address in device memory, or 0
 * @output: the text that blocks printed
 */
struct harness_report {
	uint32_t kind;
	uint32_t block;
	char file[256];
	uint32_t line;
	char text[512];
	unsigned int findings;
	char finding[512];
	uint32_t finding_kind;
	uint64_t finding_address;
	char output[8192];
};

/* In which order blocks run. */
enum harness_order {
	HARNESS_FORWARD,
	HARNESS_BACKWARD,
	HARNESS_RANDOM,
};

extern struct harness_report harness_report;
extern enum harness_order harness_order;

/* Find kernels and images of registered units. */
const struct vnpu_kernel *harness_find(const char *symbol);
const struct vnpu_image *harness_image(const char *source_end);

#ifdef __cplusplus
}
#endif

#endif /* ASCENDC_HARNESS_H */
