// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of libvnpu about streams, errors and copies, for programs that run
 * libvnpu-op without a device: the test of it, and the preloaded device of
 * selftests/llama.  The work of a stream is done when the call that submits it
 * returns.
 */
#include <string.h>

#include "acl/acl.h"

aclError aclrtSynchronizeStream(aclrtStream stream)
{
	(void)stream;
	return ACL_SUCCESS;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
	(void)level;
	return ACL_SUCCESS;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
	(void)stream;
	*flags = 0;
	return ACL_SUCCESS;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream,
				aclmdlRICaptureStatus *status, aclmdlRI *model)
{
	(void)stream;
	*status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	*model = NULL;
	return ACL_SUCCESS;
}

aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t size,
		     aclrtMemcpyKind kind)
{
	(void)kind;
	if (size > room)
		return ACL_ERROR_INVALID_PARAM;
	memmove(to, from, size);
	return ACL_SUCCESS;
}
