/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi inject: what its command line and the faults share.
 */
#ifndef VNPU_SMI_INJECT_H
#define VNPU_SMI_INJECT_H

#include <linux/vnpu.h>
#include <linux/vnpu_netlink.h>

#include "cmd.h"
#include "out.h"

/* Of engines: any. */
#define NO_CLASS	UINT32_MAX

/* VNPU_INJECT_KIND_* and VNPU_ENGINE_CLASS_*, as many as there are. */
#define INJECT_KINDS	(VNPU_INJECT_KIND_ACCESS_FAULT + 1)
#define INJECT_CLASSES	(VNPU_ENGINE_CLASS_VECTOR + 1)

extern const char *const inject_kinds[INJECT_KINDS];
extern const char *const inject_classes[INJECT_CLASSES];

enum inject_action { INJECT_LIST, INJECT_SET, INJECT_CLEAR };

/**
 * struct fault - a fault, as it is asked for or as the driver tells it
 * @client: 0 for any
 * @class: NO_CLASS for any
 * @nth: 0 if it is not said, or has happened
 * @every: 0 if it happens once
 * @ppm: 0 if its occasions are counted
 * @addr: 0 of one that is at none
 */
struct fault {
	uint32_t device;
	uint32_t kind;
	uint32_t class;
	uint64_t client;
	uint64_t nth;
	uint64_t every;
	uint64_t ppm;
	uint64_t seed;
	uint64_t delay_us;
	uint64_t addr;
	uint64_t hits;
};

struct fault_list {
	struct fault *items;
	size_t count;
};

/* What the command line asks for. */
struct inject_request {
	enum inject_action action;
	struct table_options form;
	bool is_sure;
	bool has_id;
	bool has_kind;
	bool has_seed;
	struct fault fault;
	struct fault_list list;	/* what the driver tells */
};

/* Do what is asked for, and print the faults that are told. */
enum smi_exit inject_run(struct inject_request *r);

#endif /* VNPU_SMI_INJECT_H */
