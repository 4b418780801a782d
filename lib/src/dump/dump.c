// SPDX-License-Identifier: MIT
/* The dump of the process, and the calls that begin and end it; see dump.h. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_dump.h"
#include "acl/acl_rt.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/textfile.h"
#include "dump.h"

enum owner {
	NO_OWNER,
	OWNER_INIT,		/* aclInit() */
	OWNER_CALL,		/* aclmdlInitDump() */
};

/* A leaf lock, which protects the next two. */
static pthread_mutex_t dump_mutex = PTHREAD_MUTEX_INITIALIZER;
static enum owner owner;
static struct vnpu_dump *current;	/* with a reference, or NULL */

static atomic_bool has_operators;	/* of the current dump */

void vnpu_dump_lock(void)
{
	pthread_mutex_lock(&dump_mutex);
}

void vnpu_dump_unlock(void)
{
	pthread_mutex_unlock(&dump_mutex);
}

void vnpu_dump_put(struct vnpu_dump *dump)
{
	while (dump && atomic_fetch_sub(&dump->refs, 1) == 1) {
		struct vnpu_dump *previous = dump->previous;

		vnpu_dump_free(dump);
		dump = previous;
	}
}

struct vnpu_dump *vnpu_dump_get(void)
{
	struct vnpu_dump *dump;

	vnpu_dump_lock();
	dump = current;
	if (dump)
		atomic_fetch_add(&dump->refs, 1);
	vnpu_dump_unlock();
	return dump;
}

bool vnpu_dump_has_operators(void)
{
	return atomic_load_explicit(&has_operators, memory_order_relaxed);
}

/* Change the owner; return false if it is not @from. */
static bool change_owner(enum owner from, enum owner to)
{
	bool is_right;

	vnpu_dump_lock();
	is_right = owner == from;
	if (is_right)
		owner = to;
	vnpu_dump_unlock();
	return is_right;
}

/* Free the dumps to which only the dump after them has a reference. */
static void drop_unused_locked(void)
{
	struct vnpu_dump **at = &current;

	while (*at) {
		struct vnpu_dump *dump = *at;

		if (atomic_load(&dump->refs) > 1) {
			at = &dump->previous;
			continue;
		}
		*at = dump->previous;
		vnpu_dump_free(dump);
	}
}

/*
 * Make a dump the current one.  If the owner is not @expected, drop the reference
 * to the dump and return false.
 */
static bool set_current(enum owner expected, struct vnpu_dump *dump)
{
	bool is_right;

	vnpu_dump_lock();
	is_right = owner == expected;
	if (is_right) {
		drop_unused_locked();
		/* Models may still have the one before. */
		dump->previous = current;
		current = dump;
		atomic_store(&has_operators, dump->operators);
	}
	vnpu_dump_unlock();
	if (!is_right)
		vnpu_dump_put(dump);
	return is_right;
}

/* End the current dump and those before; return false for another owner. */
static bool end(enum owner expected)
{
	struct vnpu_dump *dump = NULL;
	bool is_right;

	vnpu_dump_lock();
	is_right = owner == expected;
	if (is_right) {
		dump = current;
		current = NULL;
		owner = NO_OWNER;
		atomic_store(&has_operators, false);
	}
	vnpu_dump_unlock();
	for (struct vnpu_dump *each = dump; each; each = each->previous)
		atomic_store(&each->has_ended, true);
	vnpu_dump_put(dump);
	return is_right;
}

aclError vnpu_dump_configure(const char *file, const char *text)
{
	struct vnpu_dump *dump;
	aclError ret = vnpu_dump_parse(file, text, &dump);

	if (ret || !dump)
		return ret;
	if (change_owner(NO_OWNER, OWNER_INIT)) {
		set_current(OWNER_INIT, dump);
		return ACL_SUCCESS;
	}
	vnpu_dump_put(dump);
	return vnpu_error(ACL_ERROR_DUMP_ALREADY_RUN,
		"\"%s\" configures a dump, but aclmdlInitDump began one; call aclmdlFinalizeDump first",
		file);
}

void vnpu_dump_drop(void)
{
	end(OWNER_INIT);
}

aclError aclmdlInitDump(void)
{
	VNPU_CALL();

	if (change_owner(NO_OWNER, OWNER_CALL))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_DUMP_ALREADY_RUN,
		"aclmdlInitDump or the configuration of aclInit began a dump before; call aclmdlFinalizeDump, or remove \"dump\" from that configuration");
}

static aclError not_begun(void)
{
	return vnpu_error(ACL_ERROR_DUMP_NOT_RUN,
		"aclmdlInitDump was not called, or aclmdlFinalizeDump ended the dump; call aclmdlInitDump first");
}

/* Read a configuration, and report that it has no dump. */
static aclError read_config(const char *path, struct vnpu_dump **dump)
{
	char *text;
	int err = vnpu_text_read(path, &text);
	aclError ret;

	if (err == -ENOMEM)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
			"no host memory to read \"%s\"", path);
	if (err)
		return vnpu_error(ACL_ERROR_INVALID_FILE,
			"dumpCfgPath = \"%s\" cannot be read (%s); pass a readable JSON file",
			path, strerrordesc_np(-err));
	ret = vnpu_dump_parse(path, text, dump);
	free(text);
	if (ret || *dump)
		return ret;
	return vnpu_error(ACL_ERROR_INVALID_DUMP_CONFIG,
		"\"%s\" configures no dump of operators that succeed; use {\"dump\": {\"dump_path\": \"FOLDER\", \"dump_list\": [{}]}}",
		path);
}

aclError aclmdlSetDump(const char *dumpCfgPath)
{
	VNPU_CALL();
	struct vnpu_dump *dump;
	aclError ret;

	if (!dumpCfgPath)
		return vnpu_error_null("dumpCfgPath");
	/* Before aclmdlInitDump(), the file is not read. */
	if (!change_owner(OWNER_CALL, OWNER_CALL))
		return not_begun();
	ret = read_config(dumpCfgPath, &dump);
	if (ret)
		return ret;
	return set_current(OWNER_CALL, dump) ? ACL_SUCCESS : not_begun();
}

aclError aclmdlFinalizeDump(void)
{
	VNPU_CALL();

	return end(OWNER_CALL) ? ACL_SUCCESS : not_begun();
}

const char *acldumpGetPath(acldumpType dumpType)
{
	const char *path = NULL;

	/* There are no files about operators that fail. */
	if (dumpType != DATA_DUMP && dumpType != OVERFLOW_DUMP)
		return NULL;
	vnpu_dump_lock();
	if (current)
		path = current->path;
	vnpu_dump_unlock();
	return path;
}

static bool has_layer(const struct vnpu_dump_model *model, const char *layer)
{
	for (size_t i = 0; i < model->count; i++)
		if (!strcmp(model->layers[i], layer))
			return true;
	return !model->count;
}

bool vnpu_dump_has(const struct vnpu_dump *dump, const char *model,
		   const char *file, const char *layer)
{
	for (size_t i = 0; i < dump->nr_models; i++) {
		const char *name = dump->models[i].name;

		if (name && strcmp(name, model) && strcmp(name, file))
			continue;
		if (!layer || has_layer(&dump->models[i], layer))
			return true;
	}
	return false;
}

bool vnpu_dump_has_run(const struct vnpu_dump *dump, uint64_t run)
{
	for (size_t i = 0; i < dump->nr_ranges; i++)
		if (dump->ranges[i].first <= run && run <= dump->ranges[i].last)
			return true;
	return !dump->nr_ranges;
}
