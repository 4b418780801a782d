// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments of the library's fuzzer: handles and addresses that were valid
 * once, sizes, and keys.
 *
 * A thread that passes a handle to another one must order that, as programs do.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "library.h"

#define POOL		24
#define TOKEN_POOL	8

/* Threads overwrite each other's entries. */
static void *pool[KINDS][POOL];

static pthread_mutex_t token_mutex = PTHREAD_MUTEX_INITIALIZER;
static char token_pool[TOKENS][TOKEN_POOL][TOKEN_BYTES];

uint64_t below(struct worker *w, uint64_t limit)
{
	return rng_below(&w->r, limit);
}

int small(struct worker *w)
{
	return (int)below(w, 12) - 2;
}

uint64_t size_of(struct worker *w)
{
	static const uint64_t odd[] = {
		0, 1, 63, 64, 4095, 4096, 4097, 2 << 20, 1ULL << 40,
		1ULL << 63, ~0ULL, ~0ULL - 4095,
	};

	if (!below(w, 4))
		return 2 << 20;
	return below(w, 8) ? 1 + below(w, 1 << below(w, 20)) :
			     odd[below(w, 12)];
}

/* Objects that no reset frees would fill the machine, or use up a limit. */
static void drop(enum kind kind, void *handle)
{
	switch (kind) {
	case PINNED:
		aclrtFreeHost(handle);
		break;
	case STREAM_CONFIG:
		aclrtDestroyStreamConfigHandle(handle);
		break;
	case ALLOCATOR:
		aclrtAllocatorDestroyDesc(handle);
		break;
	case PROF_CONFIG:
		aclprofDestroyConfig(handle);
		break;
	case STAMP:
		aclprofDestroyStamp(handle);
		break;
	case STEP:
		aclprofDestroyStepInfo(handle);
		break;
	case DATA_BUFFER:
		aclDestroyDataBuffer(handle);
		break;
	case DATASET:
		aclmdlDestroyDataset(handle);
		break;
	case MODEL_DESC:
		aclmdlDestroyDesc(handle);
		break;
	case TENSOR_DESC:
		aclDestroyTensorDesc(handle);
		break;
	case LOAD_CONFIG:
		aclmdlDestroyConfigHandle(handle);
		break;
	case RUN_CONFIG:
		aclmdlDestroyExecConfigHandle(handle);
		break;
	case AIPP:
		aclmdlDestroyAIPP(handle);
		break;
	case OP_ATTR:
		aclopDestroyAttr(handle);
		break;
	case OP:
		aclopDestroyHandle(handle);
		break;
	case HEAP:
		vnpu_pool_destroy(handle);
		break;
	default:
		break;
	}
}

void keep(struct worker *w, enum kind kind, void *handle)
{
	void *old = __atomic_exchange_n(&pool[kind][below(w, POOL)], handle,
					__ATOMIC_ACQ_REL);

	w->latest[kind] = handle;
	if (old)
		drop(kind, old);
}

aclError keep_if(struct worker *w, aclError ret, enum kind kind, void *handle)
{
	if (!ret && handle)
		keep(w, kind, handle);
	return ret;
}

void drop_all(void)
{
	for (int kind = 0; kind < KINDS; kind++) {
		for (int i = 0; i < POOL; i++) {
			if (pool[kind][i])
				drop(kind, pool[kind][i]);
			pool[kind][i] = NULL;
		}
	}
}

/*
 * Usually a handle of the right kind, which another thread may destroy at this
 * moment. Half of the time it is the caller's latest, and for streams often the
 * default one, as most objects of other contexts would be refused.
 */
void *handle(struct worker *w, enum kind kind)
{
	void *const garbage[] = {
		NULL, (void *)1, (void *)8, (void *)-1, w->host, stdout,
		(void *)0xdeadbeefcafef00d, (void *)handle,
	};

	if (!below(w, 40))
		return garbage[below(w, 8)];
	if (!below(w, 40))
		kind = below(w, KINDS);
	if (kind == STREAM && !below(w, 4))
		return NULL;
	if (below(w, 2))
		return w->latest[kind];
	return __atomic_load_n(&pool[kind][below(w, POOL)], __ATOMIC_ACQUIRE);
}

/* For calls that only look up an address. */
void *any(struct worker *w)
{
	return handle(w, below(w, KINDS));
}

/* Memory of a device, which may be freed; NULL if there was none. */
void *device_address(struct worker *w)
{
	uint8_t *mem = __atomic_load_n(&pool[DEVICE_MEM][below(w, POOL)],
				       __ATOMIC_ACQUIRE);

	if (below(w, 2))
		mem = w->latest[DEVICE_MEM];
	return mem ? mem + 8 * below(w, 16) : NULL;
}

void token_keep(struct worker *w, enum token token, const void *bytes)
{
	char *place = token_pool[token][below(w, TOKEN_POOL)];

	pthread_mutex_lock(&token_mutex);
	memcpy(place, bytes, TOKEN_BYTES);
	pthread_mutex_unlock(&token_mutex);
}

/* A copy for the caller, sometimes with a byte changed.  A key ends with 0. */
void *token(struct worker *w, enum token token)
{
	const char *place = token_pool[token][below(w, TOKEN_POOL)];

	pthread_mutex_lock(&token_mutex);
	memcpy(w->token, place, TOKEN_BYTES);
	pthread_mutex_unlock(&token_mutex);
	if (!below(w, 10))
		w->token[below(w, 65)] ^= (char)(1 << below(w, 8));
	w->token[TOKEN_BYTES - 1] = 0;
	return w->token;
}

const char *path_of(const char *name)
{
	static __thread char path[64];

	snprintf(path, sizeof(path), "/tmp/vnpu-fuzz-library-%d%s", getpid(),
		 name);
	return path;
}

void remove_files(void)
{
	DIR *dir = opendir(path_of(""));
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	rmdir(path_of(""));
}
