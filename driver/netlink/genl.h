/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of the netlink family share. */
#ifndef VNPU_GENL_H
#define VNPU_GENL_H

#include <linux/uidgid.h>
#include <net/genetlink.h>

#include "core/allocator.h"
#include "mem/pages.h"
#include "genl_gen.h"

struct vnpu_client;
struct vnpu_device;

/* Each attribute set that names a device has the device's id as its first. */
#define VNPU_A_REQUEST_DEVICE	1

static_assert(VNPU_A_DEV_ID == VNPU_A_REQUEST_DEVICE);
static_assert(VNPU_A_MEM_DEV_ID == VNPU_A_REQUEST_DEVICE);
static_assert(VNPU_A_QUOTA_DEV_ID == VNPU_A_REQUEST_DEVICE);

/* Add the attributes of an answer to @skb. Return 0 or -EMSGSIZE. */
typedef int (*vnpu_nl_fill_t)(struct sk_buff *skb, void *arg);

struct vnpu_device *vnpu_nl_device_get(struct genl_info *info);
bool vnpu_nl_sees_uid(struct netlink_callback *cb, kuid_t uid);
pid_t vnpu_nl_visible_pid(struct netlink_callback *cb,
			  const struct vnpu_client *client);
int vnpu_nl_reply(struct genl_info *info, size_t size, vnpu_nl_fill_t fill,
		  void *arg);
int vnpu_nl_reply_in(struct genl_info *info, struct sk_buff *skb, int ret,
		     vnpu_nl_fill_t fill, void *arg);
void vnpu_nl_send_event(u8 cmd, vnpu_nl_fill_t fill, void *arg);
void vnpu_nl_send_device_event(struct vnpu_device *dev, u64 client, u8 cmd,
			       vnpu_nl_fill_t fill, void *arg);

/* Describe the struct vnpu_device @arg: a vnpu_nl_fill_t. */
int vnpu_fill_dev(struct sk_buff *skb, void *arg);

/* The page size of each class, in bytes. */
extern const u64 vnpu_class_sizes[VNPU_PAGE_CLASSES];

/*
 * Add an attribute as nla_put() does, for a payload that needs no padding. The
 * nested calls inside nla_put() would take half of the time of an answer about
 * many clients.
 */
static __always_inline int vnpu_nl_put(struct sk_buff *skb, int type,
				       const void *value, int length)
{
	const int size = nla_attr_size(length);
	struct nlattr *attr;

	if (skb_tailroom(skb) < size)
		return -EMSGSIZE;
	attr = __skb_put(skb, size);
	attr->nla_type = type;
	attr->nla_len = size;
	memcpy(nla_data(attr), value, length);
	return 0;
}

/* Add a 64-bit number as nla_put_u64_64bit() does. */
static inline int vnpu_nl_put_u64(struct sk_buff *skb, int type, u64 value,
				  int pad)
{
	if (nla_align_64bit(skb, pad))
		return -EMSGSIZE;
	return vnpu_nl_put(skb, type, &value, sizeof(value));
}

/* Add a 32-bit number as nla_put_u32() does. */
static inline int vnpu_nl_put_u32(struct sk_buff *skb, int type, u32 value)
{
	return vnpu_nl_put(skb, type, &value, sizeof(value));
}

#endif
