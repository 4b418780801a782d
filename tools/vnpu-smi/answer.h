/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: helpers to parse the driver's answers.
 */
#ifndef VNPU_SMI_ANSWER_H
#define VNPU_SMI_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include <netlink/attr.h>
#include <netlink/genl/genl.h>

#include <linux/vnpu_netlink.h>

#include "cmd.h"

static inline enum smi_exit fail_memory(void)
{
	return fail(SMI_FAILED, "out of memory");
}

static inline enum smi_exit fail_answer(const char *what)
{
	return fail(SMI_FAILED, "the driver's answer about %s is malformed",
		    what);
}

static inline bool has_all(struct nlattr **tb, const int *types, size_t count)
{
	while (count--)
		if (!tb[types[count]])
			return false;
	return true;
}

#define HAS_ALL(tb, ...)						\
	has_all(tb, (const int[]){ __VA_ARGS__ },			\
		sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

/* Iterate over the attributes of one type that may occur many times. */
#define for_each_attr_of_type(pos, msg, wanted, rem)			\
	nla_for_each_attr(pos, genlmsg_attrdata(nlmsg_data(msg), 0),	\
			  genlmsg_attrlen(nlmsg_data(msg), 0), rem)	\
		if (nla_type(pos) == (wanted))

#endif /* VNPU_SMI_ANSWER_H */
