/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be said of a call that fail_nth makes to fail, and its world. */
#ifndef SELFTESTS_LIB_FAIL_NTH_CALLS_H
#define SELFTESTS_LIB_FAIL_NTH_CALLS_H

#include "acl-stream.h"
#include "acl/acl_rt_memory_soma.h"
#include "vnpu.h"

#define KEY_LENGTH	65

/* What calls make and use; what is not NULL is there. */
struct world {
	struct work work;
	uint64_t client;
	aclrtContext context;
	aclrtStream stream;
	aclrtEvent event;
	aclrtNotify notify, imported;
	aclrtCntNotify counter;
	aclrtMemPool pool;
	aclrtDrvMemHandle physical, second;
	void *dev, *host, *reserved, *managed, *registered, *pooled;
	bool is_mapped, is_profiled;
	char key[KEY_LENGTH], notify_key[KEY_LENGTH];
	uint64_t number;
	aclrtMemFabricHandle fabric;
	uint8_t *own;		/* memory of the process, AREA bytes */
	uint8_t small[256];
	int file;
};

/**
 * struct sweep - a call that is to fail
 * @name: for reports
 * @before: makes what it needs, or NULL
 * @call: the call alone
 * @is_partial: a call that fails may have done a part: some bytes of a copy, or
 *	all but tell what it took back
 */
struct sweep {
	const char *name;
	aclError (*before)(struct world *w);
	aclError (*call)(struct world *w);
	bool is_partial;
};

/* Ends the handle @field of the world if the call does not fail. */
#define END(w, field, call) ({						\
	aclError _err = (call);						\
									\
	if (!_err)							\
		(w)->field = NULL;					\
	_err;								\
})

#define CALL(_name, ...)						\
static aclError call_##_name(struct world *w)				\
{									\
	__VA_ARGS__							\
}

#endif
