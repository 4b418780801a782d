/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi inject: declarations that the command line and the faults share.
 */
#ifndef VNPU_SMI_INJECT_H
#define VNPU_SMI_INJECT_H

#include <linux/vnpu.h>
#include <linux/vnpu_netlink.h>

#include "cmd.h"
#include "out.h"

/* Any class of engines. */
#define NO_CLASS	UINT32_MAX

/* The numbers of VNPU_INJECT_KIND_* and VNPU_ENGINE_CLASS_*. */
#define INJECT_KINDS	(VNPU_INJECT_KIND_CORE_GARBAGE + 1)
#define INJECT_CLASSES	(VNPU_ENGINE_CLASS_VECTOR + 1)

extern const char *const inject_kinds[INJECT_KINDS];
extern const char *const inject_classes[INJECT_CLASSES];

enum inject_action { INJECT_LIST, INJECT_SET, INJECT_CLEAR };

/**
 * struct fault - a fault, as requested or as the driver reports it
 * @client: 0 for any
 * @class: NO_CLASS for any
 * @nth: 0 if it is not given, or has happened
 * @every: 0 if it happens once
 * @ppm: 0 if its opportunities are counted
 * @addr: 0 without an address
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

/* The request on the command line. */
struct inject_request {
	enum inject_action action;
	struct table_options form;
	bool is_sure;
	bool has_id;
	bool has_kind;
	bool has_seed;
	struct fault fault;
	struct fault_list list;	/* the answer of the driver */
};

/* Execute the request, and print the faults of the answer. */
enum smi_exit inject_run(struct inject_request *r);

#endif /* VNPU_SMI_INJECT_H */
