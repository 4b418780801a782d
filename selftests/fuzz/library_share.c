// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that share memory, events and notifies between processes; this process
 * shares them with itself, and imports them.
 */
#include <fcntl.h>

#include "library.h"

#define KEY_LENGTH	65

static char *new_token(struct worker *w)
{
	return memset(out(w, 0), 0, TOKEN_BYTES);
}

static aclError token_if(struct worker *w, aclError ret, enum token token,
			 const void *bytes)
{
	if (!ret)
		token_keep(w, token, bytes);
	return ret;
}

#define EXPORT(_name, kind, ...)					\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	char *new = new_token(w);					\
	aclError ret = _name __VA_ARGS__;				\
									\
	return token_if(w, ret, kind, new);				\
}

EXPORT(aclrtIpcMemGetExportKey, MEM_KEY,
       (handle(w, DEVICE_MEM), size_of(w), new, KEY_LENGTH, below(w, 3)))
EXPORT(aclrtNotifyGetExportKey, NOTIFY_KEY,
       (handle(w, NOTIFY), new, KEY_LENGTH, 2 * below(w, 2)))
EXPORT(aclrtIpcGetEventHandle, EVENT_HANDLE, (handle(w, EVENT), (void *)new))
EXPORT(aclrtMemExportToShareableHandle, SHARE_NUMBER,
       (handle(w, PHYSICAL), 0, below(w, 3), (void *)new))

static aclrtMemSharedHandleType share_type(enum token token)
{
	return token == SHARE_NUMBER ? ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT :
				       ACL_MEM_SHARE_HANDLE_TYPE_FABRIC;
}

static enum token share_token(struct worker *w)
{
	return below(w, 2) ? SHARE_NUMBER : SHARE_FABRIC;
}

static aclError fuzz_aclrtMemExportToShareableHandleV2(struct worker *w)
{
	enum token token = share_token(w);
	char *new = new_token(w);
	aclError ret = aclrtMemExportToShareableHandleV2(handle(w, PHYSICAL),
							 below(w, 3),
							 share_type(token),
							 new);

	return token_if(w, ret, token, new);
}

static uint64_t share_number(struct worker *w)
{
	uint64_t number;

	memcpy(&number, token(w, SHARE_NUMBER), sizeof(number));
	return number;
}

static int32_t *pids(struct worker *w)
{
	int32_t *list = out(w, 1);

	list[0] = getpid();
	list[1] = small(w);
	return list;
}

static aclrtServerPid *server_pids(struct worker *w)
{
	aclrtServerPid *list = out(w, 2);

	*list = (aclrtServerPid){ below(w, 2), pids(w), below(w, 3) };
	return list;
}

#define IMPORT(_name, kind, ...)					\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	void *new = NULL;						\
	aclError ret = _name __VA_ARGS__;				\
									\
	return keep_if(w, ret, kind, new);				\
}

IMPORT(aclrtIpcMemImportByKey, DEVICE_MEM,
       (&new, token(w, MEM_KEY), below(w, 3)))
IMPORT(aclrtNotifyImportByKey, NOTIFY,
       (&new, token(w, NOTIFY_KEY), 2 * below(w, 2)))
IMPORT(aclrtIpcOpenEventHandle, EVENT,
       (*(aclrtIpcEventHandle *)token(w, EVENT_HANDLE), &new))
IMPORT(aclrtMemImportFromShareableHandle, PHYSICAL,
       (share_number(w), small(w) / 4, &new))

static aclError fuzz_aclrtMemImportFromShareableHandleV2(struct worker *w)
{
	enum token kind = share_token(w);
	void *new = NULL;
	aclError ret = aclrtMemImportFromShareableHandleV2(token(w, kind),
							   share_type(kind),
							   below(w, 2), &new);

	return keep_if(w, ret, PHYSICAL, new);
}

static aclError fuzz_aclrtMemSetPidToShareableHandleV2(struct worker *w)
{
	enum token kind = share_token(w);

	return aclrtMemSetPidToShareableHandleV2(token(w, kind),
						 share_type(kind), pids(w),
						 below(w, 3));
}

static aclError fuzz_vnpu_mem_export_dmabuf(struct worker *w)
{
	int fd = -1;
	aclError ret = vnpu_mem_export_dmabuf(handle(w, PHYSICAL), below(w, 2),
					      &fd);

	if (!ret)
		close(fd);
	return ret;
}

/* A handle of an export, or a file that is not one. */
static aclError fuzz_vnpu_mem_import_dmabuf(struct worker *w)
{
	void *new = NULL;
	size_t size;
	aclError ret;
	int fd = -1;

	if (vnpu_mem_export_dmabuf(handle(w, PHYSICAL), 0, &fd) &&
	    below(w, 2))
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ret = vnpu_mem_import_dmabuf(fd, &new, &size);
	if (fd >= 0)
		close(fd);
	return keep_if(w, ret, PHYSICAL, new);
}

#define SHARE_ROWS(ROW)							\
	ROW(aclrtMemSetPidToShareableHandle,				\
	    (share_number(w), pids(w), below(w, 3)))			\
	ROW(aclrtIpcMemSetImportPid, (token(w, MEM_KEY), pids(w), below(w, 3))) \
	ROW(aclrtIpcMemImportPidInterServer,				\
	    (token(w, MEM_KEY), server_pids(w), 1))			\
	ROW(aclrtIpcMemSetAttr,						\
	    (token(w, MEM_KEY), ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, below(w, 2))) \
	ROW(aclrtIpcMemClose, (token(w, MEM_KEY)))			\
	ROW(aclrtNotifySetImportPid,					\
	    (handle(w, NOTIFY), pids(w), below(w, 3)))			\
	ROW(aclrtNotifySetImportPidInterServer,				\
	    (handle(w, NOTIFY), server_pids(w), 1))

SHARE_ROWS(ROW_CALL)

const struct call share_calls[] = {
	SHARE_ROWS(ROW_ENTRY)
	CALL(aclrtIpcMemGetExportKey),
	CALL(aclrtNotifyGetExportKey),
	CALL(aclrtIpcGetEventHandle),
	CALL(aclrtMemExportToShareableHandle),
	CALL(aclrtMemExportToShareableHandleV2),
	CALL(aclrtIpcMemImportByKey),
	CALL(aclrtNotifyImportByKey),
	CALL(aclrtIpcOpenEventHandle),
	CALL(aclrtMemImportFromShareableHandle),
	CALL(aclrtMemImportFromShareableHandleV2),
	CALL(aclrtMemSetPidToShareableHandleV2),
	CALL(vnpu_mem_export_dmabuf),
	CALL(vnpu_mem_import_dmabuf),
	{ 0 }
};
