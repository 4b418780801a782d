// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi set -t op-timeout: how long an engine may take for a part of a task.
 *
 * It is a parameter of the module, so that it is of all devices at once.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "set.h"

#define PARAMETER	"/sys/module/vnpu/parameters/hang_timeout_ms"

static enum smi_exit fail_parameter(const char *what)
{
	if (errno == ENOENT)
		return fail(SMI_NO_DRIVER, "the vnpu driver is not loaded");
	return fail(errno == EACCES || errno == EPERM ? SMI_PERMISSION :
							SMI_FAILED,
		    "cannot %s '%s': %s", what, PARAMETER, strerror(errno));
}

static enum smi_exit read_parameter(uint32_t *ms)
{
	FILE *f = fopen(PARAMETER, "re");
	char line[16] = "";

	if (!f)
		return fail_parameter("read");
	if (fgets(line, sizeof(line), f))
		line[strcspn(line, "\n")] = '\0';
	fclose(f);
	return parse_u32(line, ms) ? SMI_OK :
	       fail(SMI_FAILED, "'%s' has malformed contents", PARAMETER);
}

static enum smi_exit write_parameter(uint32_t ms)
{
	FILE *f = fopen(PARAMETER, "we");

	if (!f)
		return fail_parameter("write");
	fprintf(f, "%" PRIu32, ms);
	return fclose(f) ? fail_parameter("write") : SMI_OK;
}

enum smi_exit set_op_timeout_check(const struct set_request *r)
{
	if (r->has_id || r->scope || r->has_limit || r->is_removal)
		return fail(SMI_USAGE,
			    "type op-timeout applies to all devices, and takes only '-d'");
	if (!r->has_ms)
		return fail(SMI_USAGE,
			    "option '-d' is needed; see 'vnpu-smi set --help'");
	return SMI_OK;
}

const struct csv_list set_op_timeout_csv[] = {
	{ NULL, "", "op_timeout_ms,before_ms" },
	{ 0 }
};

enum smi_exit set_op_timeout(const struct set_request *r, struct out *o)
{
	enum smi_exit status;
	uint32_t before;

	status = read_parameter(&before);
	if (!status)
		status = confirm(r->is_sure, "Change the time limit of all engines to %"
				 PRIu32 " ms, from %" PRIu32 " ms?", r->ms,
				 before);
	if (!status)
		status = write_parameter(r->ms);
	if (status)
		return status;
	out_object(o, NULL);
	out_uint(o, "op_timeout_ms", "OP Timeout(ms)", r->ms);
	out_uint(o, "before_ms", "Before(ms)", before);
	out_object_end(o);
	return SMI_OK;
}
