// SPDX-License-Identifier: MIT
/* Chains of shared buffers, see mbuf.c. */
#include "base/error.h"
#include "base/fork.h"
#include "base/handle.h"
#include "mbuf_internal.h"

#define CHAIN_MAX	128

/* As vnpu_mbuf_find(), for the head of a chain. */
static aclError head_find(aclrtMbuf handle, struct vnpu_mbuf **found)
{
	aclError ret = vnpu_mbuf_find("headBuf", handle, found);

	if (ret || (*found)->head == *found)
		return ret;
	vnpu_mbuf_unlock();
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"headBuf = %p is inside a chain; pass the first buffer of the chain",
		handle);
}

static uint32_t chain_length(const struct vnpu_mbuf *mbuf)
{
	uint32_t length = 0;

	for (; mbuf; mbuf = mbuf->next)
		length++;
	return length;
}

aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf)
{
	VNPU_CALL();
	struct vnpu_mbuf *head, *added;
	const char *why = NULL;
	aclError ret;

	if (!buf)
		return vnpu_error_null("buf");
	ret = head_find(headBuf, &head);
	if (ret)
		return ret;
	added = vnpu_handle_find(VNPU_HANDLE_MBUF, buf);
	if (!added)
		why = "is not a buffer, or was freed; pass one of aclrtAllocBuf or aclrtCopyBufRef";
	else if (added->head == head)
		why = "is in this chain already; a buffer can be in one chain, once";
	else if (added->head != added)
		why = "is inside another chain; pass the first buffer of that chain";
	else if (chain_length(head) + chain_length(added) > CHAIN_MAX)
		why = "makes the chain longer than 128 buffers";
	if (!why) {
		struct vnpu_mbuf *tail = head;

		while (tail->next)
			tail = tail->next;
		tail->next = added;
		vnpu_mbuf_set_head(head);
	}
	vnpu_mbuf_unlock();
	return why ? vnpu_error(ACL_ERROR_RT_PARAM_INVALID, "buf = %p %s", buf,
				why) : ACL_SUCCESS;
}

aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf *buf)
{
	VNPU_CALL();
	struct vnpu_mbuf *mbuf;
	uint32_t length;
	aclError ret;

	if (!buf)
		return vnpu_error_null("buf");
	ret = head_find(headBuf, &mbuf);
	if (ret)
		return ret;
	length = chain_length(mbuf);
	if (index < length) {
		for (uint32_t i = 0; i < index; i++)
			mbuf = mbuf->next;
		*buf = vnpu_u64_to_ptr(mbuf->handle);
	}
	vnpu_mbuf_unlock();
	if (index < length)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"index = %u: the chain has %u buffers", index, length);
}

aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num)
{
	VNPU_CALL();
	struct vnpu_mbuf *mbuf;
	aclError ret;

	if (!num)
		return vnpu_error_null("num");
	ret = head_find(headBuf, &mbuf);
	if (ret)
		return ret;
	*num = chain_length(mbuf);
	vnpu_mbuf_unlock();
	return ACL_SUCCESS;
}
