// SPDX-License-Identifier: MIT
/*
 * Sites, see site.h, and the tags of threads.
 *
 * libunwind takes 100 ns for a stack, because it caches how to unwind each
 * function; the C library's backtrace() takes ten times as long.  The library
 * loads libunwind on first use, so a program that never records does not need
 * it.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/local.h"
#include "record.h"

#ifndef UNWINDER		/* a test may disable it */
#define UNWINDER	"libunwind.so.8"
#endif
#define MIN_BUCKETS	1024

typedef int (*unwinder)(void **frames, int size);

static _Atomic(unwinder) unwind = backtrace;

/* By hash, and by number; protected by the profiler's lock. */
static struct vnpu_site **buckets, **sites;
static uint32_t nr_buckets;			/* a power of two */
static uint32_t nr_sites, max_sites;

/* A tag, which is never freed. */
struct tag {
	struct tag *next;
	char text[];
};

static struct tag *tags[MIN_BUCKETS];	/* by hash, under the lock */
static unsigned int nr_tags;

/* The nested tags of a thread. */
struct nest {
	unsigned int depth;
	const char *texts[VNPU_PROFILE_TAG_DEPTH];
};

static _Thread_local void *thread_nest;		/* a struct nest, or NULL */

/*
 * No thread waits for the one that does this, because that one waits for the
 * dynamic loader, which may run a constructor that allocates.
 */
void vnpu_stack_init(void)
{
	static atomic_bool is_done;
	void *library, *symbol, *frame;

	if (atomic_load(&is_done))
		return;
	library = dlopen(UNWINDER, RTLD_NOW | RTLD_LOCAL);
	symbol = library ? dlsym(library, "unw_backtrace") : NULL;
	if (symbol)
		atomic_store(&unwind, (unwinder)symbol);
	/* The first call of either loads or allocates something. */
	atomic_load(&unwind)(&frame, 1);
	atomic_store(&is_done, true);
}

void vnpu_stack_capture(struct vnpu_stack *stack)
{
	unwinder how = atomic_load_explicit(&unwind, memory_order_relaxed);

	stack->nr_frames = how(stack->frames, VNPU_SITE_DEPTH);
	if (stack->nr_frames < 0)
		stack->nr_frames = 0;
}

static uint64_t hash_of(const struct vnpu_stack *stack, const char *tag)
{
	uint64_t hash = vnpu_ptr_to_u64(tag);

	for (int i = 0; i < stack->nr_frames; i++) {
		hash ^= vnpu_ptr_to_u64(stack->frames[i]);
		hash *= 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 29;
	}
	return hash;
}

static bool is_site(const struct vnpu_site *site, uint64_t hash,
		    const struct vnpu_stack *stack, const char *tag)
{
	return site->hash == hash && site->tag == tag &&
	       site->nr_frames == (uint32_t)stack->nr_frames &&
	       !memcmp(site->frames, stack->frames,
		       site->nr_frames * sizeof(site->frames[0]));
}

/* Make room for one more site, and shorten chains if there is memory for it. */
static bool grow(void)
{
	uint32_t count = nr_sites < MIN_BUCKETS ? MIN_BUCKETS : 2 * nr_sites;
	struct vnpu_site **more, **link;

	if (nr_sites < max_sites && nr_buckets)
		return true;
	more = reallocarray(sites, count, sizeof(*more));
	if (!more)
		return false;
	sites = more;
	max_sites = count;

	more = calloc(count, sizeof(*more));
	if (!more)
		return nr_buckets;
	free(buckets);
	buckets = more;
	nr_buckets = count;
	for (uint32_t i = 0; i < nr_sites; i++) {
		link = &buckets[sites[i]->hash & (nr_buckets - 1)];
		sites[i]->next = *link;
		*link = sites[i];
	}
	return true;
}

static struct vnpu_site *site_create(const struct vnpu_stack *stack,
				     const char *tag, uint64_t hash)
{
	size_t length = stack->nr_frames * sizeof(stack->frames[0]);
	struct vnpu_site *site, **link;

	if (!grow())
		return NULL;
	site = calloc(1, sizeof(*site) + length);
	if (!site)
		return NULL;
	site->hash = hash;
	site->tag = tag;
	site->nr_frames = stack->nr_frames;
	memcpy(site->frames, stack->frames, length);
	sites[nr_sites] = site;
	site->number = ++nr_sites;
	link = &buckets[hash & (nr_buckets - 1)];
	site->next = *link;
	*link = site;
	return site;
}

struct vnpu_site *vnpu_site_get(const struct vnpu_stack *stack, const char *tag)
{
	uint64_t hash = hash_of(stack, tag);
	struct vnpu_site *site = NULL;

	if (nr_buckets)
		site = buckets[hash & (nr_buckets - 1)];
	while (site && !is_site(site, hash, stack, tag))
		site = site->next;
	return site ? site : site_create(stack, tag, hash);
}

struct vnpu_site *vnpu_site_next(uint32_t after)
{
	return after < nr_sites ? sites[after] : NULL;
}

const char *vnpu_tag_current(void)
{
	const struct nest *nest = thread_nest;

	return nest && nest->depth ? nest->texts[nest->depth - 1] : "";
}

/* Get the single copy of a text; NULL beyond the limit. */
static const char *tag_intern(const char *text)
{
	uint64_t hash = 0;
	struct tag **link, *tag;
	size_t length;

	for (length = 0; text[length]; length++)
		hash = hash * 31 + (unsigned char)text[length];
	link = &tags[hash % ARRAY_SIZE(tags)];
	for (tag = *link; tag; tag = tag->next)
		if (!strcmp(tag->text, text))
			return tag->text;
	if (nr_tags == VNPU_PROFILE_TAGS)
		return NULL;
	tag = malloc(sizeof(*tag) + length + 1);
	if (!tag)
		return NULL;
	memcpy(tag->text, text, length + 1);
	tag->next = *link;
	*link = tag;
	nr_tags++;
	return tag->text;
}

aclError vnpu_profile_push_tag(const char *tag)
{
	VNPU_CALL();
	const char *outer = vnpu_tag_current(), *interned;
	char text[VNPU_PROFILE_TAG_MAX + 1];
	size_t used = strlen(outer);
	struct nest *nest;

	if (!tag)
		return vnpu_error_null("tag");
	if (!*tag)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"tag is empty; pass a name for the work of the thread");
	for (const char *c = tag; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"tag has a control character; use one line of text");
	nest = vnpu_local_get(&thread_nest, sizeof(*nest));
	if (!nest)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
			"no host memory for the tags of this thread");
	if (nest->depth == VNPU_PROFILE_TAG_DEPTH)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"the thread has %u tags already; call vnpu_profile_pop_tag for those that have ended",
			nest->depth);
	if (used + !!used + strlen(tag) > VNPU_PROFILE_TAG_MAX)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"tag is longer than %d bytes, including its outer tags; use a shorter one",
			VNPU_PROFILE_TAG_MAX);

	memcpy(text, outer, used);
	if (used)
		text[used++] = '/';
	strcpy(text + used, tag);
	vnpu_profile_lock();
	interned = tag_intern(text);
	vnpu_profile_unlock();
	if (!interned)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
			"no memory for a tag, or there are already %d different ones; use fewer, without numbers in them",
			VNPU_PROFILE_TAGS);
	nest->texts[nest->depth++] = interned;
	return ACL_SUCCESS;
}

aclError vnpu_profile_pop_tag(void)
{
	VNPU_CALL();
	struct nest *nest = thread_nest;

	if (!nest || !nest->depth)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"the thread has no tag; call vnpu_profile_push_tag first");
	nest->depth--;
	return ACL_SUCCESS;
}
