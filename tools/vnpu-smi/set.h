/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi set: the interface of its types.
 */
#ifndef VNPU_SMI_SET_H
#define VNPU_SMI_SET_H

#include "cmd.h"
#include "out.h"

struct set_type;

/**
 * struct set_request - what the command line asks for
 * @type: what is to be set
 * @has_id: @id, the device, is given
 * @has_resource: @resource, VNPU_QUOTA_RESOURCE_*, is given
 * @has_limit: @limit, in bytes or how many, is given
 * @is_removal: the limit is to be removed
 * @has_ms: @ms, milliseconds, is given
 * @scope: VNPU_QUOTA_SCOPE_* that it applies to, or VNPU_QUOTA_SCOPE_NONE
 * @scope_id: the number of the client, user or cgroup
 */
struct set_request {
	const struct set_type *type;
	struct table_options form;
	bool is_sure;
	bool has_id;
	uint32_t id;
	bool has_resource;
	uint32_t resource;
	bool has_limit;
	uint64_t limit;
	bool is_removal;
	uint32_t scope;
	uint64_t scope_id;
	bool has_ms;
	uint32_t ms;
};

/**
 * struct set_type - something that can be set
 * @name: what -t selects it by
 * @check: is the request complete
 * @run: do it, and print how it is then
 * @csv: what it prints
 */
struct set_type {
	const char *name;
	enum smi_exit (*check)(const struct set_request *r);
	enum smi_exit (*run)(const struct set_request *r, struct out *o);
	const struct csv_list *csv;
};

enum smi_exit set_compact(const struct set_request *r, struct out *o);
enum smi_exit set_reset(const struct set_request *r, struct out *o);
enum smi_exit set_op_timeout(const struct set_request *r, struct out *o);
enum smi_exit set_op_timeout_check(const struct set_request *r);

extern const struct csv_list set_compact_csv[];
extern const struct csv_list set_reset_csv[];
extern const struct csv_list set_quota_csv[];
extern const struct csv_list set_op_timeout_csv[];

/* Take the values of the options that a quota has. */
enum smi_exit set_quota_take_scope(struct set_request *r, uint32_t scope,
				   const char *text);
enum smi_exit set_quota_take_resource(struct set_request *r, const char *text);
enum smi_exit set_quota_take_limit(struct set_request *r, const char *text);
enum smi_exit set_quota_check(const struct set_request *r);
enum smi_exit set_quota(const struct set_request *r, struct out *o);

#endif /* VNPU_SMI_SET_H */
