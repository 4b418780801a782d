/* SPDX-License-Identifier: MIT */
/* Shared buffers: the interface between mbuf.c and mbuf_chain.c. */
#ifndef VNPU_LIB_MBUF_INTERNAL_H
#define VNPU_LIB_MBUF_INTERNAL_H

#include <stdint.h>

#include "acl/acl_rt_mbuf.h"

#define VNPU_MBUF_USER_DATA	96

/* An area of device memory. */
struct vnpu_mbuf_area {
	unsigned int refs;		/* buffers that refer to it */
	uint32_t device;
	uint64_t size;
	void *ptr;
};

struct vnpu_mbuf {
	struct vnpu_mbuf *all_next, **all_link;	/* list of all buffers */
	uint64_t handle;
	struct vnpu_mbuf_area *area;
	uint64_t length;		/* of the valid data */
	struct vnpu_mbuf *head;		/* of the chain; itself if alone */
	struct vnpu_mbuf *next;		/* in the chain */
	unsigned char user[VNPU_MBUF_USER_DATA];
};

/* Look up a buffer; on success the lock is held. */
aclError vnpu_mbuf_find(const char *name, aclrtMbuf handle,
			struct vnpu_mbuf **found);

/* Make @head the head of a chain that begins with it. */
void vnpu_mbuf_set_head(struct vnpu_mbuf *head);

#endif /* VNPU_LIB_MBUF_INTERNAL_H */
