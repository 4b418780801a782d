// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi set -t quota: limit what a client, user or cgroup may have.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <linux/magic.h>
#include <linux/vnpu.h>

#include "answer.h"
#include "collect.h"
#include "info.h"
#include "session.h"
#include "set.h"

static bool parse_id(const char *text, uint64_t *id)
{
	return !text[strspn(text, "0123456789")] && parse_size(text, id);
}

/* A cgroup is known to the kernel by the inode of its directory. */
static enum smi_exit find_cgroup(const char *path, uint64_t *id)
{
	struct statfs fs;
	struct stat st;

	if (stat(path, &st) || statfs(path, &fs))
		return fail(SMI_FAILED, "cannot find cgroup '%s': %s", path,
			    strerror(errno));
	if (fs.f_type != CGROUP2_SUPER_MAGIC || !S_ISDIR(st.st_mode))
		return fail(SMI_FAILED, "'%s' is not a directory of cgroup2",
			    path);
	*id = st.st_ino;
	return SMI_OK;
}

enum smi_exit set_quota_take_scope(struct set_request *r, uint32_t scope,
				   const char *text)
{
	if (r->scope)
		return fail(SMI_USAGE,
			    "only one of '--client', '--uid' and '--cgroup' is allowed");
	r->scope = scope;
	if (scope == VNPU_QUOTA_SCOPE_CGROUP && strchr(text, '/'))
		return find_cgroup(text, &r->scope_id);
	if (!parse_id(text, &r->scope_id))
		return fail(SMI_USAGE, "'%s' is not the number of a %s", text,
			    quota_scope_word(scope));
	return SMI_OK;
}

enum smi_exit set_quota_take_limit(struct set_request *r, const char *text)
{
	if (r->has_limit)
		return fail(SMI_USAGE, "option '--limit' is given twice");
	if (!parse_size(text, &r->limit))
		return fail(SMI_USAGE,
			    "option '--limit' needs a size, not '%s'",
			    text);
	r->has_limit = true;
	return SMI_OK;
}

enum smi_exit set_quota_take_resource(struct set_request *r, const char *text)
{
	if (r->has_resource)
		return fail(SMI_USAGE, "option '--resource' is given twice");
	if (!quota_find_resource(text, &r->resource))
		return fail(SMI_USAGE,
			    "unknown resource '%s': it is memory, streams, events, counters, bindings, objects, sync-files, host-memory or threads",
			    text);
	r->has_resource = true;
	return SMI_OK;
}

static enum smi_exit check_device(const struct set_request *r)
{
	if (!quota_is_of_host(r->resource))
		return r->has_id ? SMI_OK :
		       fail(SMI_USAGE,
			    "option '-i' is needed; see 'vnpu-smi set --help'");
	if (r->has_id)
		return fail(SMI_USAGE,
			    "%s belong to no device: they take no '-i'",
			    quota_resource_word(r->resource));
	if (r->scope == VNPU_QUOTA_SCOPE_CGROUP)
		return fail(SMI_USAGE,
			    r->resource == VNPU_QUOTA_RESOURCE_THREADS ?
			    "'--cgroup' does not limit %s: use '--uid'" :
			    "'--cgroup' does not limit %s: use '--uid', or memory.max of the cgroup",
			    quota_resource_word(r->resource));
	return SMI_OK;
}

enum smi_exit set_quota_check(const struct set_request *r)
{
	enum smi_exit status = check_device(r);

	if (status)
		return status;
	if (!r->scope)
		return fail(SMI_USAGE,
			    "one of '--client', '--uid' and '--cgroup' is needed; see 'vnpu-smi set --help'");
	if (r->has_limit == r->is_removal)
		return fail(SMI_USAGE,
			    "one of '--limit' and '--remove' is needed; see 'vnpu-smi set --help'");
	return SMI_OK;
}

static enum smi_exit confirm_limit(const struct set_request *r)
{
	const bool is_bytes = quota_is_in_bytes(r->resource);
	const char *resource = quota_resource_word(r->resource);
	const char *scope = quota_scope_word(r->scope);
	char where[32] = "";

	if (!quota_is_of_host(r->resource))
		snprintf(where, sizeof(where), " on device %" PRIu32, r->id);
	if (r->is_removal)
		return confirm(r->is_sure, "Remove the limit of %s of %s %"
			       PRIu64 "%s?", resource, scope, r->scope_id,
			       where);
	if (r->resource == VNPU_QUOTA_RESOURCE_HOST_MEMORY)
		return confirm(r->is_sure, "Limit %s %" PRIu64 " to %" PRIu64
			       " bytes of host memory?", scope, r->scope_id,
			       r->limit);
	return confirm(r->is_sure, "Limit %s %" PRIu64 " to %" PRIu64
		       " %s%s?", scope, r->scope_id, r->limit,
		       is_bytes ? "bytes" : resource, where);
}

/* What is asked for, and the answer. */
struct exchange {
	const struct set_request *request;
	uint32_t device;
	struct quota quota;
};

static int put_request(struct nl_msg *msg, const void *arg)
{
	const struct set_request *r = ((const struct exchange *)arg)->request;

	if ((r->has_id && nla_put_u32(msg, VNPU_A_QUOTA_DEV_ID, r->id)) ||
	    nla_put_u32(msg, VNPU_A_QUOTA_RESOURCE, r->resource) ||
	    nla_put_u32(msg, VNPU_A_QUOTA_SCOPE, r->scope) ||
	    nla_put_u64(msg, VNPU_A_QUOTA_ID, r->scope_id) ||
	    (r->has_limit &&
	     nla_put_u64(msg, VNPU_A_QUOTA_LIMIT, r->limit)))
		return -NLE_MSGSIZE;
	return 0;
}

static enum smi_exit take_answer(struct nlmsghdr *msg, void *arg)
{
	struct exchange *x = arg;

	return take_quota(msg, &x->device, &x->quota);
}

const struct csv_list set_quota_csv[] = {
	{ NULL, "", "device,removed,resource,scope,id,limit,used,refused" },
	{ 0 }
};

static void show(struct out *o, const struct exchange *x)
{
	out_object(o, NULL);
	if (quota_is_of_host(x->quota.resource))
		out_string(o, "device", "NPU ID", NULL);
	else
		out_uint(o, "device", "NPU ID", x->device);
	out_bool(o, "removed", "Removed", x->request->is_removal);
	info_out_quota(o, &x->quota);
	out_object_end(o);
}

enum smi_exit set_quota(const struct set_request *r, struct out *o)
{
	struct exchange exchange = { .request = r };
	const struct question question = {
		.command = r->is_removal ? VNPU_CMD_QUOTA_REMOVE :
					   VNPU_CMD_QUOTA_SET,
		.put = put_request,
		.record = take_answer,
		.arg = &exchange,
		.not_found = r->is_removal ? "quota" :
			     quota_scope_word(r->scope),
	};
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	status = confirm_limit(r);
	if (!status)
		status = session_ask(&s, &question);
	session_close(&s);
	if (!status)
		show(o, &exchange);
	return status;
}
