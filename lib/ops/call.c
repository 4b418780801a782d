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
