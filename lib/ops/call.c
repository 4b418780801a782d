// SPDX-License-Identifier: MIT
/* Calls, see call.h. */
#include <string.h>

#include "call.h"

const char *vnpu_op_call_check(const void *call, size_t size)
{
	const struct vnpu_op_call *head = call;
	size_t at = 0, length;
	unsigned int i;

	if (size < sizeof(*head) || size > VNPU_OP_CALL_MAX ||
	    head->size != size)
		return "its size is wrong";
	if (head->version != VNPU_OP_CALL_VERSION)
		return "it has another version; install vnpu-core together with the libraries";
	if (!memchr(head->name, 0, sizeof(head->name)))
		return "its name has no end";
	for (i = 0; i < head->steps; i++)
		if (!vnpu_op_call_step(head, &at, &length))
			return "it has fewer steps than it says";
	return at == size || (!at && size == sizeof(*head)) ?
		       NULL : "it has bytes behind the last step";
}

const void *vnpu_op_call_step(const struct vnpu_op_call *call, size_t *at,
			      size_t *size)
{
	size_t begin = *at ? *at : sizeof(*call);
	const char *step = (const char *)call + begin;
	uint32_t length;

	if (call->size - begin < sizeof(length))
		return NULL;
	memcpy(&length, step, sizeof(length));
	if (length < offsetof(struct vnpu_op_launch, tensor) ||
	    length % sizeof(uint64_t) || length > call->size - begin)
		return NULL;
	*at = begin + length;
	*size = length;
	return step;
}
