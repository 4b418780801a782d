// SPDX-License-Identifier: GPL-2.0-only
/* Invalid calls of pools, and their messages. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/error_codes/rt_error_codes.h"
#include "pool_test.h"

#define BAD	ACL_ERROR_RT_PARAM_INVALID

static bool says(const char *what)
{
	return strstr(shim_message, what);
}

static bool refuses(struct host *host, struct vnpu_pool_config *config,
		    const char *what)
{
	vnpu_pool_t pool = NULL;

	config->provider = &host->provider;
	EXPECT(vnpu_pool_create(&pool, config) == BAD);
	EXPECT(!pool && says(what));
	vnpu_pool_config_init(config);
	return true;
}

static bool test_config(void)
{
	struct vnpu_pool_provider none = { 0 };
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool = NULL;

	host_init(&host);
	vnpu_pool_config_init(NULL);
	vnpu_pool_config_init(&config);
	EXPECT(config.size == sizeof(config) && config.reuse == 1);
	EXPECT(config.defrag_threshold == 30 && !config.remap);
	EXPECT(vnpu_pool_create(NULL, &config) == ACL_ERROR_INVALID_PARAM);
	EXPECT(vnpu_pool_create(&pool, NULL) == ACL_ERROR_RT_CONTEXT_NULL);
	config.size--;
	EXPECT(refuses(&host, &config, "size"));
	config.type = 2;
	EXPECT(refuses(&host, &config, "type"));
	config.reuse = 2;
	EXPECT(refuses(&host, &config, "reuse"));
	config.learn = 2;
	EXPECT(refuses(&host, &config, "learn"));
	EXPECT(config.stream_reuse == 7);
	config.stream_reuse = 8;
	EXPECT(refuses(&host, &config, "stream_reuse"));
	config.chunk = 1 * MIB;
	EXPECT(refuses(&host, &config, "chunk"));
	config.chunk = 3 * MIB;
	EXPECT(refuses(&host, &config, "chunk"));
	config.chunk = 2048 * MIB;
	EXPECT(refuses(&host, &config, "chunk"));
	config.alignment = 32;
	EXPECT(refuses(&host, &config, "alignment"));
	config.alignment = 96;
	EXPECT(refuses(&host, &config, "alignment"));
	config.alignment = 8192;
	EXPECT(refuses(&host, &config, "alignment"));
	config.remap = 32 << 10;
	EXPECT(refuses(&host, &config, "remap"));
	config.remap = 96 << 10;
	EXPECT(refuses(&host, &config, "remap"));
	config.remap = 4 << 20;
	EXPECT(refuses(&host, &config, "remap"));
	config.defrag_threshold = 101;
	EXPECT(refuses(&host, &config, "defrag_threshold"));
	host.provider.move = NULL;
	config.remap = 64 << 10;
	EXPECT(refuses(&host, &config, "can move"));
	host.provider = none;
	EXPECT(refuses(&host, &config, "provider"));
	return true;
}

static bool test_handles(void)
{
	struct vnpu_pool_stats stats = { .size = sizeof(stats) };
	vnpu_pool_t pool, no[] = { NULL, (void *)1, (void *)0x1ff,
				   (void *)UINTPTR_MAX, NULL };
	struct host host;
	void *p;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	p = vnpu_pool_alloc(pool, 100);
	EXPECT(p);
	EXPECT(!vnpu_pool_destroy(pool));
	EXPECT(!host.mapped && !host.errors);
	no[4] = pool;
	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		EXPECT(!vnpu_pool_alloc(no[i], 100) && says("not a pool"));
		EXPECT(!vnpu_pool_alloc(no[i], 100000));
		EXPECT(!vnpu_pool_alloc(no[i], 10 * MIB));
		EXPECT(!vnpu_pool_alloc_aligned(no[i], 1, 1));
		EXPECT(vnpu_pool_free(no[i], p) == BAD);
		EXPECT(vnpu_pool_free(no[i], NULL) == BAD);
		EXPECT(vnpu_pool_trim(no[i], 0) == BAD);
		EXPECT(vnpu_pool_defragment(no[i], 0) == BAD);
		EXPECT(vnpu_pool_set_limit(no[i], 0) == BAD);
		EXPECT(vnpu_pool_reset_peaks(no[i]) == BAD);
		EXPECT(vnpu_pool_get_stats(no[i], &stats) == BAD);
		EXPECT(vnpu_pool_destroy(no[i]) == BAD);
	}
	return true;
}

static bool test_as_many_as_there_can_be(void)
{
	static struct host hosts[VNPU_POOL_MAX + 1];
	vnpu_pool_t pools[VNPU_POOL_MAX], one_more;
	struct vnpu_pool_config config;
	void *p[VNPU_POOL_MAX];

	for (int i = 0; i < VNPU_POOL_MAX; i++) {
		EXPECT(pool_open(&hosts[i], NULL, 0, &pools[i]));
		p[i] = vnpu_pool_alloc(pools[i], 64);
		EXPECT(p[i]);
	}
	host_init(&hosts[VNPU_POOL_MAX]);
	vnpu_pool_config_init(&config);
	config.provider = &hosts[VNPU_POOL_MAX].provider;
	EXPECT(vnpu_pool_create(&one_more, &config) == ACL_ERROR_BAD_ALLOC);
	EXPECT(!hosts[VNPU_POOL_MAX].length && !hosts[VNPU_POOL_MAX].errors);
	for (int i = 0; i < VNPU_POOL_MAX; i++) {
		int other = (i + 1) % VNPU_POOL_MAX;

		EXPECT(vnpu_pool_free(pools[i], p[other]) == BAD);
		EXPECT(says(other < i ? "not belong to a pool" : "another pool"));
		EXPECT(!vnpu_pool_free(pools[i], p[i]));
		EXPECT(pool_close(&hosts[i], pools[i]));
	}
	return true;
}

static bool test_sizes(void)
{
	struct vnpu_pool_stats stats = { .size = sizeof(stats) };
	struct host host;
	vnpu_pool_t pool;
	uint64_t reserved;
	void *p;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	EXPECT(!vnpu_pool_alloc(pool, 0) && says("size is 0"));
	EXPECT(!vnpu_pool_alloc_aligned(pool, 0, 64));
	EXPECT(!vnpu_pool_alloc(pool, SIZE_MAX) && says("not available"));
	EXPECT(!vnpu_pool_alloc(pool, SIZE_MAX / 2));
	EXPECT(!vnpu_pool_alloc_aligned(pool, 1, 0) && says("power of two"));
	EXPECT(!vnpu_pool_alloc_aligned(pool, 1, 48));
	EXPECT(!vnpu_pool_alloc_aligned(pool, 1, 2048 * MIB));
	for (size_t align = 1; align <= 1024 * MIB; align *= 2) {
		for (size_t size = 1; size < 3 * MIB; size = size * 5 + 3) {
			p = vnpu_pool_alloc_aligned(pool, size, align);
			EXPECT(p && (uintptr_t)p % align == 0);
			EXPECT(!vnpu_pool_free(pool, p));
		}
	}

	EXPECT(vnpu_pool_get_stats(pool, NULL) == ACL_ERROR_INVALID_PARAM);
	stats.size = 7;
	EXPECT(vnpu_pool_get_stats(pool, &stats) == BAD);
	stats.size = sizeof(stats) + 8;
	EXPECT(vnpu_pool_get_stats(pool, &stats) == BAD);
	stats.size = sizeof(stats);
	stats.flags = 1;
	EXPECT(vnpu_pool_get_stats(pool, &stats) == BAD);
	/* A caller whose struct has fewer members. */
	stats.flags = 0;
	stats.size = offsetof(struct vnpu_pool_stats, reserved);
	stats.reserved = reserved = 12345;
	EXPECT(!vnpu_pool_get_stats(pool, &stats));
	EXPECT(stats.reserved == reserved);
	return pool_close(&host, pool);
}

static bool test_bad_frees(void)
{
	static const size_t sizes[] = { 1, 64, 192, 2048, 2049, 5000, 65536,
					65537, 1 * MIB, 2 * MIB + 1, 9 * MIB };
	struct host host;
	vnpu_pool_t pool;
	int here;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	EXPECT(vnpu_pool_free(pool, NULL) == BAD && says("not belong to a pool"));
	EXPECT(vnpu_pool_free(pool, &here) == BAD && says("not belong to a pool"));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *p = vnpu_pool_alloc(pool, sizes[i]), *q;

		EXPECT(p && (uintptr_t)p % 64 == 0);
		memset(p, 0xff, sizes[i]);
		EXPECT(vnpu_pool_free(pool, p + 1) == BAD && says("inside"));
		EXPECT(vnpu_pool_free(pool, p - 1) == BAD);
		EXPECT(vnpu_pool_free(pool, p + 64) == BAD);
		EXPECT(vnpu_pool_free(pool, p + 1024) == BAD);
		q = vnpu_pool_alloc(pool, sizes[i]);
		EXPECT(q && q != p);
		EXPECT(!vnpu_pool_free(pool, p));
		EXPECT(vnpu_pool_free(pool, p) == BAD && says("freed before"));
		EXPECT(!vnpu_pool_free(pool, q));
		EXPECT(vnpu_pool_free(pool, q) == BAD);
		EXPECT(!vnpu_pool_trim(pool, 0));
		EXPECT(vnpu_pool_free(pool, p) == BAD);
	}
	EXPECT(stats_of(pool).bad_frees == 2 + 7 * ARRAY_SIZE(sizes));
	return pool_close(&host, pool);
}

static bool test_objects_refused(void)
{
	struct vnpu_pool_objects kind = { 0 };
	struct host host;
	vnpu_pool_t pool;

	EXPECT(!vnpu_pool_objects_alloc(NULL) && says("NULL"));
	EXPECT(vnpu_pool_objects_free(NULL, &host) == ACL_ERROR_INVALID_PARAM);
	/* A parameter that was never set. */
	EXPECT(!vnpu_pool_objects_alloc(&kind) && says("not a pool"));
	EXPECT(vnpu_pool_objects_free(&kind, &host) == BAD);

	EXPECT(pool_open(&host, NULL, 0, &pool));
	EXPECT(vnpu_pool_objects_init(NULL, pool, 1, 1) ==
	       ACL_ERROR_INVALID_PARAM);
	EXPECT(vnpu_pool_objects_init(&kind, NULL, 1, 1) == BAD);
	EXPECT(vnpu_pool_objects_init(&kind, pool, 0, 1) == BAD);
	EXPECT(vnpu_pool_objects_init(&kind, pool, 65537, 1) == BAD);
	EXPECT(vnpu_pool_objects_init(&kind, pool, SIZE_MAX, 1) == BAD);
	EXPECT(vnpu_pool_objects_init(&kind, pool, 1, 0) == BAD);
	EXPECT(vnpu_pool_objects_init(&kind, pool, 1, 48) == BAD);
	EXPECT(vnpu_pool_objects_init(&kind, pool, 1, 8192) == BAD);
	EXPECT(!kind.pool && !kind.bytes && !kind.kind);

	EXPECT(!vnpu_pool_objects_init(&kind, pool, 100, 1));
	EXPECT(vnpu_pool_objects_free(&kind, NULL) == BAD);
	EXPECT(pool_close(&host, pool));
	EXPECT(!vnpu_pool_objects_alloc(&kind) && says("not a pool"));
	EXPECT(vnpu_pool_objects_free(&kind, &host) == BAD);
	return true;
}

static bool kind_works(vnpu_pool_t pool, size_t size, size_t align)
{
	struct vnpu_pool_objects kind, larger;
	char *p[20], *q;

	EXPECT(!vnpu_pool_objects_init(&kind, pool, size, align));
	EXPECT(kind.pool == pool && kind.bytes >= size && kind.kind);
	EXPECT(kind.bytes % align == 0);
	for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = vnpu_pool_objects_alloc(&kind);
		EXPECT(p[i] && (uintptr_t)p[i] % align == 0);
		memset(p[i], 1, size);
	}
	if (kind.bytes < 65536) {
		EXPECT(!vnpu_pool_objects_init(&larger, pool, kind.bytes + 1,
					       1));
		q = vnpu_pool_objects_alloc(&larger);
		EXPECT(q && larger.kind != kind.kind);
		EXPECT(vnpu_pool_objects_free(&kind, q) == BAD);
		EXPECT(says("of this kind"));
		EXPECT(vnpu_pool_objects_free(&larger, p[0]) == BAD);
		EXPECT(!vnpu_pool_free(pool, q));
	}
	q = vnpu_pool_alloc(pool, 3 * MIB);
	EXPECT(q && vnpu_pool_objects_free(&kind, q) == BAD);
	EXPECT(!vnpu_pool_free(pool, q));
	EXPECT(vnpu_pool_objects_free(&kind, p[0] + 1) == BAD);
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		EXPECT(!vnpu_pool_objects_free(&kind, p[i]));
	EXPECT(vnpu_pool_objects_free(&kind, p[0]) == BAD);
	EXPECT(says("freed before"));
	return true;
}

static bool test_objects(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;

	for (uint32_t least = 64; least <= 4096; least *= 8) {
		for (int type = 0; type <= VNPU_POOL_COMPACT; type++) {
			vnpu_pool_config_init(&config);
			config.alignment = least;
			config.type = type;
			EXPECT(pool_open(&host, &config, 0, &pool));
			for (size_t align = 1; align <= 4096; align *= 2)
				for (size_t size = 1; size <= 65536; size *= 4)
					EXPECT(kind_works(pool, size, align));
			EXPECT(pool_close(&host, pool));
		}
	}
	return true;
}

static int child_of_fork(vnpu_pool_t pool, void *p)
{
	struct host *host = malloc(sizeof(*host));
	vnpu_pool_t own;

	if (vnpu_pool_alloc(pool, 64) || vnpu_pool_free(pool, p) != BAD ||
	    vnpu_pool_destroy(pool) != BAD)
		return 1;
	if (!pool_open(host, NULL, 0, &own))
		return 2;
	p = vnpu_pool_alloc(own, 64);
	if (!p || vnpu_pool_free(own, p) || !pool_close(host, own))
		return 3;
	free(host);
	return 0;
}

static bool test_fork(void)
{
	struct host host;
	vnpu_pool_t pool;
	int status;
	void *p;
	pid_t pid;

	EXPECT(pool_open(&host, NULL, 0, &pool));
	p = vnpu_pool_alloc(pool, 64);
	EXPECT(p);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(child_of_fork(pool, p));
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(status == 0);
	EXPECT(!vnpu_pool_free(pool, p));
	return pool_close(&host, pool);
}

const struct test call_tests[] = {
	{ "a configuration is checked", test_config },
	{ "invalid handles of pools are refused", test_handles },
	{ "as many pools as there can be", test_as_many_as_there_can_be },
	{ "sizes and alignments", test_sizes },
	{ "invalid frees are detected", test_bad_frees },
	{ "objects that cannot be are refused", test_objects_refused },
	{ "objects of a kind", test_objects },
	{ "a child of fork() has no pools", test_fork },
};

const size_t call_count = ARRAY_SIZE(call_tests);
