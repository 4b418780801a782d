/* SPDX-License-Identifier: MIT */
/*
 * From steps to a program: the planner of libvnpu places buffers in the work
 * memory, by the steps between which they live.
 */
#ifndef GRAPH_MEMORY_MEMORY_H
#define GRAPH_MEMORY_MEMORY_H

#include "build/build.h"

/* Flags of memory_write(). */
#define MEMORY_NO_REUSE	0x1	/* each buffer has memory of its own */

/**
 * struct memory_report - what was planned
 * @buffers: number of buffers in the work memory
 * @in_place: those that took over the memory of an input
 * @plain: bytes that all of them take
 * @peak: bytes of work memory
 * @weights: bytes of constants
 */
struct memory_report {
	uint32_t buffers;
	uint32_t in_place;
	uint64_t plain;
	uint64_t peak;
	uint64_t weights;
};

/**
 * memory_write() - plan the memory, and write the program
 * @b: the lowered graph
 * @flags: MEMORY_*
 * @report: filled
 * @program: set to the program, to be freed by free()
 * @size: set to its bytes
 *
 * Return: 0 or the error of the graph.
 */
int memory_write(struct build *b, unsigned int flags,
		 struct memory_report *report, void **program, size_t *size);

#endif
