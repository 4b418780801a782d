/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the bottlenecks of a program: shares of time, and advice.
 */
#ifndef VNPU_PROF_ANALYSE_H
#define VNPU_PROF_ANALYSE_H

#include "profile.h"

/**
 * struct shares - how a device spent the time from its first task to its last
 * @device: number of the device
 * @begin: start of the first task
 * @span: the time, in ns
 * @cores: with at least one launch
 * @models: with runs of models and no launch; a profile has no kernels of models
 * @memory: with copies and fills, and none of these
 * @communication: with tasks of HCCL alone
 * @idle: without any task
 * @memory_bytes: copied and filled bytes
 * @longest: the operator or kernel with the largest sum of times, or NULL
 * @longest_ns: that sum
 * @gap_stream: stream with the task that waited longest without a reason, and
 * @gap_ns: for how long
 * @gap_name: its name, or NULL
 */
struct shares {
	uint32_t device;
	uint64_t begin;
	uint64_t span;
	uint64_t cores;
	uint64_t models;
	uint64_t memory;
	uint64_t communication;
	uint64_t idle;
	uint64_t memory_bytes;
	const char *longest;
	uint64_t longest_ns;
	uint32_t gap_stream;
	uint64_t gap_ns;
	const char *gap_name;
};

enum bottleneck {
	BOTTLENECK_MEMORY,
	BOTTLENECK_CORES,
	BOTTLENECK_COMMUNICATION,
	BOTTLENECK_SCHEDULING,
	BOTTLENECKS,
};

/**
 * analyse() - measure the shares of each device
 * @profile: the profile
 * @count: set to the number of devices
 *
 * Return: an array that the caller frees, or NULL without memory.
 */
struct shares *analyse(const struct profile *profile, size_t *count);

/* Check whether runs of models hide what the cores do. */
bool shares_hide_cores(const struct shares *shares);

/* The percentage of the time that says whether there is a bottleneck. */
double bottleneck_percent(const struct shares *shares, enum bottleneck which);

/*
 * Check for a bottleneck.  @threshold: percentage above which there is one, below
 * which for cores; negative for 90, 70, 30 and 15.
 */
bool bottleneck_is(const struct shares *shares, enum bottleneck which,
		   double threshold);

const char *bottleneck_name(enum bottleneck which);

/* Make the advice for a bottleneck, which the caller frees; or NULL. */
char *bottleneck_advice(const struct shares *shares, enum bottleneck which);

#endif /* VNPU_PROF_ANALYSE_H */
