// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz libvnpu: random calls by several threads at once, with handles that are
 * valid, stale, of another kind or missing. A call returns an error code or
 * succeeds. Sanitizers, with which this program and the library are built,
 * detect any harm. The calls are in library_*.c; selftests/lib/symbols.sh
 * checks that none is missing.
 *
 * Pointers that must be valid according to the headers are valid. A pool is
 * destroyed while no thread is in a call on it, as its header requires. So that
 * devices are also reset under threads that are in calls, half of the time
 * there are no pools.
 *
 * All tasks are cancelled many times a second, so that nothing waits for ever;
 * a thread that does not return nevertheless is a failure.
 *
 * VNPU_FUZZ_SECONDS is the time; VNPU_SEED repeats the choices of each thread.
 * When a sanitizer ends the program, it prints the last calls of each thread.
 */
#include <sanitizer/common_interface_defs.h>

#include "library.h"

#define PATIENCE_S	60

uint64_t thread_ids[THREADS];

static struct worker workers[THREADS];

#ifdef __SANITIZE_THREAD__
/*
 * libunwind, which memory profiling loads, takes a lock as a thread ends when
 * this sanitizer has already forgotten the thread, and crashes. Without it
 * backtrace() is used.
 */
void *__real_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
	return strstr(file, "libunwind") ? NULL : __real_dlopen(file, mode);
}
#endif

/* A program has to do this; it matters only for pools. */
static pthread_rwlock_t pools_lock =
	PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

/*
 * Objects that other calls use are created more often. The last ones are pools.
 */
static const struct call *const families[] = {
	make_calls, make_calls, make_calls, destroy_calls, copy_calls,
	memory_calls, buffer_calls, share_calls, stream_calls, event_calls,
	device_calls, process_calls, prof_calls, plan_calls, snapshot_calls,
	kernel_calls, model_calls, offline_calls, op_calls, heap_calls, heap_calls,
};

#define FAMILIES	(sizeof(families) / sizeof(families[0]))
#define OF_POOLS	2

static const struct call *choose(struct worker *w)
{
	const struct call *family = families[below(w, w->has_pools ?
							 FAMILIES :
							 FAMILIES - OF_POOLS)];
	size_t count = 0;

	while (family[count].name)
		count++;
	return &family[below(w, count)];
}

static void do_call(struct worker *w)
{
	const struct call *call = choose(w);
	unsigned int at = w->at % RECENT;
	aclError ret;

	__atomic_store_n(&w->results[at], -1, __ATOMIC_RELAXED);
	__atomic_store_n(&w->recent[at], call->name, __ATOMIC_RELAXED);
	__atomic_store_n(&w->at, w->at + 1, __ATOMIC_RELEASE);
	if (w->has_pools && call->ends_pools)
		pthread_rwlock_wrlock(&pools_lock);
	else if (w->has_pools)
		pthread_rwlock_rdlock(&pools_lock);
	ret = call->fn(w);
	if (w->has_pools)
		pthread_rwlock_unlock(&pools_lock);
	__atomic_store_n(&w->results[at], ret, __ATOMIC_RELAXED);
	w->calls++;
	w->refused += ret != ACL_SUCCESS;
	if (ret < 0 || (ret && ret < 100000)) {
		w->bad = ret;
		w->bad_call = call->name;
	}
}

static void print_recent(const struct worker *w)
{
	unsigned int at = __atomic_load_n(&w->at, __ATOMIC_ACQUIRE);
	unsigned int i = at > RECENT ? at - RECENT : 0;
	aclError ret;

	for (; i < at; i++) {
		ret = __atomic_load_n(&w->results[i % RECENT],
				      __ATOMIC_RELAXED);
		fprintf(stderr, "# thread %d, call %u: %s ", (int)(w - workers),
			i, __atomic_load_n(&w->recent[i % RECENT],
					   __ATOMIC_RELAXED));
		if (ret == -1)
			fputs("has not returned\n", stderr);
		else
			fprintf(stderr, "returned %d\n", ret);
	}
}

static void print_all(void)
{
	for (int i = 0; i < THREADS; i++)
		print_recent(&workers[i]);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	__atomic_store_n(&thread_ids[w - workers], pthread_self(),
			 __ATOMIC_RELAXED);
	aclrtSetDevice(0);
	while (now_ms() < w->until)
		do_call(w);
	vnpu_arena_destroy(w->arena);
	vnpu_plan_destroy(w->fits);
	vnpu_plan_destroy(w->plan);
	return NULL;
}

/* Waits without a limit end when their tasks are cancelled. */
static void cancel(void)
{
	if (aclrtDeviceTaskAbort(0, 1000))
		aclrtSetDevice(0);
	usleep(50000);
}

static void cancel_until(uint64_t until)
{
	while (now_ms() < until)
		cancel();
}

static bool join(pthread_t thread)
{
	uint64_t end = now_ms() + PATIENCE_S * 1000;
	int ret;

	while ((ret = pthread_tryjoin_np(thread, NULL)) && now_ms() < end)
		cancel();
	return !ret;
}

/* Memory that the library still has after everything was reset. */
static bool all_is_back(size_t before)
{
	size_t free_size = 0, total;
	const char *message;
	aclError ret;

	vnpu_pool_set_default(NULL);
	drop_all();
	aclrtSetDevice(0);
	aclrtResetDeviceForce(0);
	aclGetRecentErrMsg();
	ret = aclrtSetDevice(0);
	if (!ret)
		ret = aclrtGetMemInfo(ACL_HBM_MEM, &free_size, &total);
	message = aclGetRecentErrMsg();
	if (ret)
		printf("# %d: %s\n", ret, message ? message : "");
	if (free_size != before)
		printf("# %zu bytes were free, %zu are\n", before, free_size);
	return free_size == before;
}

static bool begin(struct rng *r, pthread_t *threads, bool has_pools,
		  uint64_t until)
{
	for (int i = 0; i < THREADS; i++) {
		struct worker *w = &workers[i];
		uint8_t *host = w->host;

		*w = (struct worker){
			.r = { rng_next(r) | 1 },
			.host = host,
			.until = until,
			.has_pools = has_pools,
		};
	}
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, work, &workers[i]))
			return false;
	}
	return true;
}

static bool end(pthread_t *threads)
{
	unsigned long made = 0, refused = 0;
	bool good = true;

	for (int i = 0; i < THREADS; i++) {
		if (!join(threads[i])) {
			fprintf(stderr, "# thread %d does not come back\n", i);
			print_all();
			abort();
		}
		made += workers[i].calls;
		refused += workers[i].refused;
		if (workers[i].bad) {
			good = false;
			printf("# %s returned %d\n", workers[i].bad_call,
			       workers[i].bad);
		}
	}
	printf("# library: %lu calls by %d threads, %lu refused\n", made,
	       THREADS, refused);
	return good;
}

static bool print_result(bool good, const char *what, bool has_pools)
{
	static int number;

	printf("%s %d %s%s\n", good ? "ok" : "not ok", ++number, what,
	       has_pools ? ", with pools" : "");
	return good;
}

static bool run(struct rng *r, size_t free_size, bool has_pools, uint64_t ms)
{
	uint64_t until = now_ms() + ms;
	pthread_t threads[THREADS];
	bool good;

	if (!begin(r, threads, has_pools, until))
		exit(1);
	cancel_until(until);
	good = print_result(end(threads),
		    "every call returns an error code or succeeds",
		    has_pools);
	return print_result(all_is_back(free_size), "a reset frees everything",
		    has_pools) && good;
}

int main(void)
{
	const uint64_t ms = env_u64("VNPU_FUZZ_SECONDS", 10) * 1000;
	size_t free_size, total;
	struct rng r;
	bool good;

	puts("1..4");
	setlinebuf(stdout);
	r = rng_init();
	__sanitizer_set_death_callback(print_all);
	if (aclInit(NULL) || aclrtSetDevice(0) ||
	    aclrtGetMemInfo(ACL_HBM_MEM, &free_size, &total))
		return 1;
	for (int i = 0; i < THREADS; i++) {
		workers[i].host = aligned_alloc(PAGE_BYTES, HOST_BYTES);
		if (!workers[i].host)
			return 1;
		memset(workers[i].host, 0, HOST_BYTES);
	}
	good = run(&r, free_size, false, ms / 2);
	good = run(&r, free_size, true, ms / 2) && good;
	for (int i = 0; i < THREADS; i++)
		free(workers[i].host);
	remove_files();
	aclFinalize();
	return good ? 0 : 1;
}
