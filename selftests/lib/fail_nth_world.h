/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects of calls that are made to fail. */
#ifndef SELFTESTS_LIB_FAIL_NTH_WORLD_H
#define SELFTESTS_LIB_FAIL_NTH_WORLD_H

#include "acl-stream.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "acl/acl_dump.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_ext.h"
#include "acl/acl_rt_memory_soma.h"
#include "fail_nth.h"
#include "vnpu.h"

#define KEY_LENGTH	65

/* Members that are not NULL exist. */
struct world {
	enum nth_kind kind;
	struct work work;
	uint64_t client;
	/* a client that does not belong to the library */
	int probe;
	aclrtContext context;
	aclrtStream stream;
	aclrtStreamConfigHandle *config;
	aclrtAllocatorDesc allocator;
	aclrtEvent event;
	aclrtNotify notify, imported;
	aclrtCntNotify counter;
	aclmdlRI model;
	bool is_captured;	/* work.a */
	aclrtTaskGrp group;
	aclmdlRICondHandle condition;
	aclrtStream model_stream;
	aclmdlRITask model_task;
	aclmdlRI parts[2];
	aclrtStream persistent;
	aclrtLabel label;
	aclrtLabelList label_list;
	bool is_updating;	/* work.b */
	aclrtMemPool pool;
	aclrtDrvMemHandle physical, second;
	aclDataBuffer *data;
	aclopAttr *attr;
	aclrtMbuf mbuf, appended;
	void *dev, *host, *reserved, *managed, *registered, *pooled;
	bool is_mapped, is_profiled, is_tagged, is_begun, is_hooked;
	char key[KEY_LENGTH], notify_key[KEY_LENGTH];
	uint64_t number;
	aclrtMemFabricHandle fabric;
	uint8_t *own;		/* memory of the process, AREA bytes */
	uint8_t small[256];
	int file;

	aclprofConfig *prof;
	void *stamp;
	aclprofStepInfo *step;
	uint32_t range;
	bool is_recorded;	/* aclprofInit() */

	struct vnpu_plan *plan, *fits;
	struct vnpu_arena *arena;
	vnpu_pool_t heap;
	void *block;
	struct vnpu_pool_objects objects;

	uint32_t offline;	/* number of a model, or 0 */
	aclmdlDesc *desc;
	aclmdlDataset *dataset;
	aclTensorDesc *tensor;
	aclmdlConfigHandle *load_config;
	aclmdlExecConfigHandle *run_config;
	aclmdlAIPP *aipp;

	aclrtBinary raw;
	aclrtBinHandle bin, other_bin;
	aclrtFuncHandle func;
	aclrtArgsHandle args;
	aclrtParamHandle param;
};

/* A unique name: of a directory, or with @file of a file in it. */
static inline const char *path_of(const char *file)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/vnpu-fail-nth-%d%s", getpid(),
		 file);
	return path;
}

/* Remove the directory, and all files in it. */
static inline void remove_files(void)
{
	DIR *dir = opendir(path_of(""));
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path_of(""));
}

static inline void clean_profile(const struct world *w)
{
	if (w->is_profiled)
		vnpu_profile_stop();
	if (w->is_tagged)
		vnpu_profile_pop_tag();
	if (w->range)
		aclprofRangeStop(w->range);
	while (w->stamp && !aclprofPop())
		;
	if (w->is_recorded)
		aclprofFinalize();
	if (w->stamp)
		aclprofDestroyStamp(w->stamp);
	aclprofDestroyStepInfo(w->step);
	if (w->prof)
		aclprofDestroyConfig(w->prof);
}

static inline void clean_plan(const struct world *w)
{
	vnpu_arena_destroy(w->arena);
	vnpu_plan_destroy(w->fits);
	vnpu_plan_destroy(w->plan);
	if (w->heap) {
		vnpu_pool_set_default(NULL);
		vnpu_pool_destroy(w->heap);
	}
}

static inline uint32_t on_snapshot(int32_t device, void *args)
{
	(void)device;
	(void)args;
	return 0;
}

static inline void clean_buffer(const struct world *w)
{
	aclopDestroyAttr(w->attr);
	if (w->data)
		aclDestroyDataBuffer(w->data);
	if (w->appended)
		aclrtFreeBuf(w->appended);
	if (w->mbuf)
		aclrtFreeBuf(w->mbuf);
	if (w->is_hooked)
		aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_BACKUP_PRE,
						on_snapshot);
}

static inline void clean_offline(const struct world *w)
{
	if (w->dataset)
		aclmdlDestroyDataset(w->dataset);
	if (w->desc)
		aclmdlDestroyDesc(w->desc);
	if (w->load_config)
		aclmdlDestroyConfigHandle(w->load_config);
	if (w->run_config)
		aclmdlDestroyExecConfigHandle(w->run_config);
	if (w->aipp)
		aclmdlDestroyAIPP(w->aipp);
	aclDestroyTensorDesc(w->tensor);
	if (w->offline)
		aclmdlUnload(w->offline);
}

static inline void clean_kernel(const struct world *w)
{
	if (w->raw)
		aclrtDestroyBinary(w->raw);
	if (w->bin)
		aclrtBinaryUnLoad(w->bin);
	if (w->other_bin)
		aclrtBinaryUnLoad(w->other_bin);
}

static inline void clean_memory(const struct world *w)
{
	/* A key is valid until all processes that have opened it close it. */
	while (w->key[0] && !aclrtIpcMemClose(w->key))
		;
	if (w->is_mapped)
		aclrtUnmapMem(w->reserved);
	if (w->pooled)
		aclrtMemPoolFreeAsync(w->pooled, w->work.a);
	aclrtSynchronizeStream(w->work.a);
	if (w->pool)
		aclrtMemPoolDestroy(w->pool);
	if (w->reserved)
		aclrtReleaseMemAddress(w->reserved);
	if (w->physical)
		aclrtFreePhysical(w->physical);
	if (w->second)
		aclrtFreePhysical(w->second);
	if (w->dev)
		aclrtFree(w->dev);
	if (w->managed)
		aclrtFree(w->managed);
	if (w->host)
		aclrtFreeHost(w->host);
	if (w->registered)
		aclrtHostUnregister(w->registered);
}

static inline void clean_stream(const struct world *w)
{
	if (w->event)
		aclrtDestroyEvent(w->event);
	if (w->imported)
		aclrtDestroyNotify(w->imported);
	if (w->notify)
		aclrtDestroyNotify(w->notify);
	if (w->counter)
		aclrtCntNotifyDestroy(w->counter);
	if (w->config)
		aclrtDestroyStreamConfigHandle(w->config);
	if (w->allocator)
		aclrtAllocatorDestroyDesc(w->allocator);
	if (w->stream) {
		aclrtSynchronizeStream(w->stream);
		aclrtProcessReport(1);
		aclrtDestroyStream(w->stream);
	}
	if (w->context) {
		aclrtDestroyContext(w->context);
		aclrtSetDevice(0);
	}
}

static inline void clean_model(struct world *w)
{
	if (w->is_captured)
		aclmdlRICaptureEnd(w->work.a, &w->model);
	if (w->is_updating)
		aclmdlRICaptureTaskUpdateEnd(w->work.b);
	if (w->model)
		aclmdlRIDestroy(w->model);
	if (w->persistent)
		aclrtDestroyStream(w->persistent);
	if (w->label_list)
		aclrtDestroyLabelList(w->label_list);
	if (w->label)
		aclrtDestroyLabel(w->label);
	aclrtSynchronizeStream(w->work.b);
}

/* Destroy all objects that these calls create. */
static inline void world_clean(struct world *w)
{
	clean_model(w);
	aclrtSynchronizeStream(w->work.a);
	clean_profile(w);
	clean_plan(w);
	clean_offline(w);
	clean_buffer(w);
	clean_kernel(w);
	clean_memory(w);
	clean_stream(w);
	if (w->is_begun)
		aclFinalize();
	if (w->file >= 0)
		close(w->file);
	remove_files();
	*w = (struct world){ .kind = w->kind, .work = w->work,
			     .client = w->client, .probe = w->probe,
			     .own = w->own, .file = -1 };
}

#endif
