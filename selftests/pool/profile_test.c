// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools that learn from their allocations, their saved files, and pools that
 * begin with such a file from any source.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acl/error_codes/rt_error_codes.h"
#include "pool_test.h"

#define HEAD	"vnpu-pool-profile 1\n"
#define NONE	HEAD "requests 0\nfine 0\ncoarse 0\npaged 0\n"

static char dir[64], path[80];

static bool files_begin(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%.40s/vnpu-pool-XXXXXX", tmp ? tmp : "/tmp");
	EXPECT(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/profile", dir);
	return true;
}

/* Only the profile was left there. */
static bool files_end(void)
{
	unlink(path);
	EXPECT(!rmdir(dir));
	return true;
}

static bool file_write(const char *text, size_t length)
{
	FILE *file = fopen(path, "we");

	EXPECT(file);
	EXPECT(fwrite(text, 1, length, file) == length);
	return !fclose(file);
}

static bool file_is(const char *text)
{
	char found[4096];
	FILE *file = fopen(path, "re");
	size_t length;

	EXPECT(file);
	length = fread(found, 1, sizeof(found) - 1, file);
	found[length] = '\0';
	fclose(file);
	if (strcmp(found, text))
		printf("# %s", found);
	return !strcmp(found, text);
}

static bool learner_open(struct host *host, vnpu_pool_t *pool)
{
	struct vnpu_pool_config config;

	vnpu_pool_config_init(&config);
	config.learn = 1;
	return pool_open(host, &config, 0, pool);
}

static bool user_open(struct host *host, uint64_t most, vnpu_pool_t *pool)
{
	struct vnpu_pool_config config;

	vnpu_pool_config_init(&config);
	config.profile = path;
	return pool_open(host, &config, most, pool);
}

/* A pair, @times times. */
static bool request(vnpu_pool_t pool, size_t size, int times)
{
	while (times--) {
		void *p = vnpu_pool_alloc(pool, size);

		EXPECT(p);
		EXPECT(!vnpu_pool_free(pool, p));
	}
	return true;
}

static uint64_t taken_by(vnpu_pool_t pool, size_t size)
{
	uint64_t before = stats_of(pool).allocated, after;
	void *p = vnpu_pool_alloc(pool, size);

	after = stats_of(pool).allocated;
	return vnpu_pool_free(pool, p) ? 0 : after - before;
}

static bool test_learned_sizes(void)
{
	struct vnpu_pool_stats stats;
	struct host host;
	vnpu_pool_t pool;
	void *p;

	EXPECT(files_begin());
	EXPECT(learner_open(&host, &pool));
	EXPECT(taken_by(pool, 1) == 64);
	EXPECT(request(pool, 64, 99));
	EXPECT(request(pool, 1100, 300));
	EXPECT(request(pool, 9 * KIB + 1, 200));
	EXPECT(request(pool, 9 * KIB + 2, 200));
	EXPECT(request(pool, 401 * KIB, 150));
	EXPECT(request(pool, 3 * MIB, 30));
	/* Rarely allocated: 10 of 1000. */
	EXPECT(request(pool, 777 * KIB, 10));
	p = vnpu_pool_alloc_aligned(pool, 100, 256);
	EXPECT(p && !vnpu_pool_free(pool, p));
	for (int i = 0; i < 9; i++) {
		p = vnpu_pool_alloc_aligned(pool, 5, 8192);
		EXPECT(p && !vnpu_pool_free(pool, p));
	}
	EXPECT(!vnpu_pool_alloc(pool, 0));
	EXPECT(!vnpu_pool_alloc(pool, 4096 * MIB));
	EXPECT(!vnpu_pool_save_profile(pool, path));
	EXPECT(file_is(HEAD "requests 1000\nfine 2097152\ncoarse 2097152\n"
		       "paged 4194304\nsize 9472 400\nsize 1152 300\nsize 413696 150\n"
		       "size 64 100\nend\n"));
	EXPECT(pool_close(&host, pool));

	EXPECT(user_open(&host, 0, &pool));
	EXPECT(taken_by(pool, 401 * KIB) == 404 * KIB);
	EXPECT(taken_by(pool, 400 * KIB) == 404 * KIB);
	EXPECT(taken_by(pool, 405 * KIB) == 416 * KIB);
	EXPECT(taken_by(pool, 9 * KIB) == 9 * KIB);
	EXPECT(taken_by(pool, 1100) == 1152);
	EXPECT(taken_by(pool, 777 * KIB) == 832 * KIB);
	/* The peak of the other pool is allocated at once. */
	stats = stats_of(pool);
	EXPECT(stats.maps == 3 && stats.reserved == 8 * MIB);
	EXPECT(pool_close(&host, pool));
	return files_end();
}

/*
 * Tensors of a network, a whole batch alive: the growth of the pool's memory.
 */
static bool batch(vnpu_pool_t pool, uint64_t *maps)
{
	void *p[128];

	for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = vnpu_pool_alloc(pool, 2 * MIB - i % 16 * 4096);
		EXPECT(p[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		EXPECT(!vnpu_pool_free(pool, p[i]));
	*maps = stats_of(pool).maps;
	return true;
}

static bool test_driver_allocations(void)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	uint64_t maps, reserved, peak;

	EXPECT(files_begin());
	vnpu_pool_config_init(&config);
	config.learn = 1;
	EXPECT(pool_open(&host, &config, 0, &pool));
	EXPECT(batch(pool, &maps));
	reserved = stats_of(pool).reserved_peak;
	printf("# without a profile: %llu driver allocations, %llu MiB\n",
	       (unsigned long long)maps, (unsigned long long)(reserved / MIB));
	EXPECT(maps >= 100);
	EXPECT(!vnpu_pool_save_profile(pool, path));
	EXPECT(pool_close(&host, pool));

	for (int learn = 0; learn < 2; learn++) {
		vnpu_pool_config_init(&config);
		config.profile = path;
		config.learn = learn;
		EXPECT(pool_open(&host, &config, 0, &pool));
		EXPECT(batch(pool, &maps));
		peak = stats_of(pool).reserved_peak;
		printf("# with it: %llu driver allocation(s), %llu MiB\n",
		       (unsigned long long)maps,
		       (unsigned long long)(peak / MIB));
		EXPECT(maps <= 2 && peak <= reserved);
		/* Again, after all memory was returned. */
		EXPECT(!vnpu_pool_trim(pool, 0));
		EXPECT(batch(pool, &maps));
		EXPECT(maps <= 4);
		EXPECT(pool_close(&host, pool));
	}

	/* With less memory than that, allocations work as without a profile. */
	EXPECT(user_open(&host, 16 * MIB, &pool));
	EXPECT(request(pool, 8 * MIB, 1) && request(pool, 64, 1));
	EXPECT(host.mapped == 10 * MIB);
	EXPECT(pool_close(&host, pool));
	return files_end();
}

static void *request_thread(void *arg)
{
	for (int i = 0; i < 20; i++)
		if (!request(arg, 5000, 100) || !request(arg, 300, 100))
			return arg;
	return NULL;
}

static bool learn_with_threads(uint32_t type)
{
	struct vnpu_pool_config config;
	pthread_t threads[4];
	struct host host;
	vnpu_pool_t pool;
	void *failed;

	EXPECT(files_begin());
	vnpu_pool_config_init(&config);
	config.learn = 1;
	config.type = type;
	EXPECT(pool_open(&host, &config, 0, &pool));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		EXPECT(!pthread_create(&threads[i], NULL, request_thread,
				       pool));
	/* It may be saved at any time. */
	EXPECT(!vnpu_pool_save_profile(pool, path));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &failed);
		EXPECT(!failed);
	}
	EXPECT(!vnpu_pool_save_profile(pool, path));
	EXPECT(file_is(HEAD "requests 16000\nfine 2097152\ncoarse 2097152\n"
		       "paged 0\nsize 320 8000\nsize 5120 8000\nend\n"));
	EXPECT(pool_close(&host, pool));
	return files_end();
}

static bool test_learning_threads(void)
{
	return learn_with_threads(VNPU_POOL_THREADED) &&
	       learn_with_threads(VNPU_POOL_COMPACT);
}

/* More sizes than classes: the first of them get one. */
static bool test_many_sizes(void)
{
	unsigned int exact = 0, all = 0;
	char text[4096] = HEAD "requests 99000\nfine 0\ncoarse 0\npaged 0\n";
	size_t length = strlen(text);
	struct host host;
	vnpu_pool_t pool;

	EXPECT(files_begin());
	for (int i = 0; i < 99; i++)
		length += snprintf(text + length, sizeof(text) - length,
				   "size %d 1000\n", (20 + 5 * i) * 4096);
	length += snprintf(text + length, sizeof(text) - length, "end\n");
	EXPECT(file_write(text, length));
	EXPECT(user_open(&host, 0, &pool));
	for (int i = 0; i < 99; i++) {
		size_t size = (20 + 5 * i) * 4096;
		bool is_exact = taken_by(pool, size) == size;

		EXPECT(is_exact || exact >= 20);
		exact += is_exact;
		all++;
	}
	EXPECT(exact < all);
	EXPECT(pool_close(&host, pool));
	return files_end();
}

struct bad {
	unsigned int line;
	const char *why, *text;
};

#define LONG	"1234567890123456789012345678901234567890"

static const struct bad bad_files[] = {
	{ 1, "not a pool profile", "" },
	{ 1, "not a pool profile", "\n" },
	{ 1, "not a pool profile", "#!/bin/sh\n" },
	{ 1, "not a pool profile", "vnpu-pool-profile 1" },
	{ 1, "not a pool profile", "vnpu-pool-profile -1\n" },
	{ 1, "not a pool profile", "vnpu-pool-profile 1 \n" },
	{ 1, "not a pool profile", "vnpu-pool-profile 1\r\n" },
	{ 1, "not a pool profile", "vnpu-pool-profile 18446744073709551616\n" },
	{ 1, "version", "vnpu-pool-profile 2\n" },
	{ 2, "ends", HEAD },
	{ 2, "not terminated", HEAD "requests 1" },
	{ 2, "too long", HEAD "requests " LONG LONG "\n" },
	{ 2, "number", HEAD "requests\n" },
	{ 2, "number", HEAD "requests 1x\n" },
	{ 2, "number", HEAD "requests 99999999999999999999\n" },
	{ 2, "number", HEAD "fine 0\n" },
	{ 3, "number", HEAD "requests 1\ncoarse 0\n" },
	{ 5, "2 MiB", HEAD "requests 1\nfine 0\ncoarse 1\npaged 0\n" },
	{ 5, "2 MiB", HEAD "requests 1\nfine 18446744073707454464\ncoarse 0\n"
			 "paged 0\n" },
	{ 5, "number", HEAD "requests 1\nfine 0\ncoarse 0\nend\n" },
	{ 6, "ends", NONE },
	{ 6, "expected", NONE "End\n" },
	{ 6, "expected", NONE "size 64\nend\n" },
	{ 6, "expected", NONE "size  64 0\nend\n" },
	{ 6, "expected", NONE "size 64 0 \nend\n" },
	{ 6, "expected", NONE "size -64 0\nend\n" },
	{ 6, "class", NONE "size 0 0\nend\n" },
	{ 6, "class", NONE "size 65 0\nend\n" },
	{ 6, "class", NONE "size 4160 0\nend\n" },
	{ 6, "class", NONE "size 66560 0\nend\n" },
	{ 6, "class", NONE "size 2101248 0\nend\n" },
	{ 6, "class", NONE "size 4294967360 0\nend\n" },
	{ 6, "more requests", NONE "size 64 1\nend\n" },
	{ 7, "repeated", NONE "size 64 0\nsize 64 0\nend\n" },
	{ 7, "ends", NONE "size 64 0\n" },
	{ 7, "extra data", NONE "end\nend\n" },
	{ 7, "extra data", NONE "end\n " },
};

/* A refused file leaves no memory of the provider allocated. */
static bool is_refused(aclError code, const char *where, const char *why)
{
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;

	host_init(&host);
	vnpu_pool_config_init(&config);
	config.provider = &host.provider;
	config.profile = path;
	EXPECT(vnpu_pool_create(&pool, &config) == code);
	EXPECT(strstr(shim_message, where) && strstr(shim_message, why));
	EXPECT(!host.length);
	return true;
}

static bool test_hostile_files(void)
{
	char text[4096] = NONE, line[32];

	EXPECT(files_begin());
	for (size_t i = 0; i < ARRAY_SIZE(bad_files); i++) {
		const struct bad *bad = &bad_files[i];

		EXPECT(file_write(bad->text, strlen(bad->text)));
		snprintf(line, sizeof(line), "line %u:", bad->line);
		EXPECT(is_refused(ACL_ERROR_PARSE_FILE, line, bad->why));
	}
	EXPECT(file_write(NONE "si\0ze 64 0\nend\n", sizeof(NONE) + 14));
	EXPECT(is_refused(ACL_ERROR_PARSE_FILE, "line 6:", "not terminated"));
	for (int i = 0; i < 100; i++) {
		size_t length = strlen(text);

		snprintf(text + length, sizeof(text) - length,
			 "size %d 0\n", 65536 + i * 4096);
	}
	EXPECT(file_write(text, strlen(text)));
	EXPECT(is_refused(ACL_ERROR_PARSE_FILE, "line 105:", "1 %"));
	return files_end();
}

/* Change bytes of a valid file: refused or not, nothing breaks. */
static bool test_damaged_files(void)
{
	static const char good[] = HEAD "requests 100\nfine 4194304\n"
		"coarse 2097152\npaged 6291456\nsize 69632 50\nsize 10240 30\nend\n";
	uint64_t random = test_seed | 1;
	unsigned int accepted = 0;
	struct vnpu_pool_config config;
	struct host host;
	vnpu_pool_t pool;
	char text[sizeof(good)];

	EXPECT(files_begin());
	vnpu_pool_config_init(&config);
	config.profile = path;
	config.limit = 64 * MIB;
	config.provider = &host.provider;
	for (int i = 0; i < 2000; i++) {
		memcpy(text, good, sizeof(good));
		for (int j = next_random(&random) % 3; j >= 0; j--)
			text[next_random(&random) % (sizeof(good) - 1)] =
				"0123456789 \nendsize\xff"
				[next_random(&random) % 19];
		EXPECT(file_write(text, sizeof(good) - 1));
		host_init(&host);
		if (vnpu_pool_create(&pool, &config))
			continue;
		accepted++;
		EXPECT(request(pool, 9 * KIB, 1) && request(pool, 64, 1));
		EXPECT(pool_close(&host, pool));
	}
	EXPECT(accepted);
	return files_end();
}

static bool test_no_files(void)
{
	struct host host;
	vnpu_pool_t pool, other;

	EXPECT(files_begin());
	EXPECT(is_refused(ACL_ERROR_INVALID_FILE, path, "No such file"));
	/* No process writes into it, and none is waited for. */
	EXPECT(!mkfifo(path, 0600));
	EXPECT(is_refused(ACL_ERROR_INVALID_FILE, path, "Invalid"));
	EXPECT(!unlink(path) && !mkdir(path, 0700));
	EXPECT(is_refused(ACL_ERROR_INVALID_FILE, path, "Invalid"));

	EXPECT(learner_open(&host, &pool));
	EXPECT(vnpu_pool_save_profile(pool, path) == ACL_ERROR_WRITE_FILE);
	EXPECT(vnpu_pool_save_profile(pool, "/dev/null/a") ==
	       ACL_ERROR_WRITE_FILE);
	EXPECT(vnpu_pool_save_profile(pool, "") == ACL_ERROR_WRITE_FILE);
	EXPECT(vnpu_pool_save_profile(pool, NULL) == ACL_ERROR_INVALID_PARAM);
	fail_malloc_at = 1;
	EXPECT(vnpu_pool_save_profile(pool, path) == ACL_ERROR_WRITE_FILE);
	fail_malloc_at = 0;
	EXPECT(!rmdir(path));
	EXPECT(!vnpu_pool_save_profile(pool, path));
	EXPECT(file_is(NONE "end\n"));
	EXPECT(pool_close(&host, pool));
	EXPECT(vnpu_pool_save_profile(pool, path) ==
	       ACL_ERROR_RT_PARAM_INVALID);
	EXPECT(user_open(&host, 0, &other));
	EXPECT(vnpu_pool_save_profile(other, path) ==
	       ACL_ERROR_RT_PARAM_INVALID);
	EXPECT(strstr(shim_message, "does not learn"));
	EXPECT(request(other, 100, 1));
	EXPECT(pool_close(&host, other));
	return files_end();
}

/*
 * The leftover of a process that was killed while saving; in another container
 * it may have had the same process id.
 */
static bool test_left_over_file(void)
{
	struct host host;
	vnpu_pool_t pool;
	char other[100];

	EXPECT(files_begin());
	snprintf(other, sizeof(other), "%s.%ld", path, (long)getpid());
	EXPECT(!mkdir(other, 0700));
	EXPECT(learner_open(&host, &pool));
	EXPECT(!vnpu_pool_save_profile(pool, path));
	EXPECT(file_is(NONE "end\n"));
	EXPECT(pool_close(&host, pool));
	EXPECT(!rmdir(other));
	return files_end();
}

const struct test profile_tests[] = {
	{ "sizes that are learned", test_learned_sizes },
	{ "driver allocations of a batch", test_driver_allocations },
	{ "learning of several threads", test_learning_threads },
	{ "more sizes than classes", test_many_sizes },
	{ "profiles that are none", test_hostile_files },
	{ "damaged profiles", test_damaged_files },
	{ "no profile, and none to be written", test_no_files },
	{ "remains of another profile", test_left_over_file },
};

const size_t profile_count = ARRAY_SIZE(profile_tests);
