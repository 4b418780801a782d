// SPDX-License-Identifier: GPL-2.0-only
/* The profiler: every way to allocate is recorded, and what is told is true. */
#include "acl-test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#include "acl/acl_rt_memory_soma.h"
#include "vnpu.h"

#define PAIRS	300
#define WARM_UP	100

static char *file_read(const char *path)
{
	char *text = calloc(1, 8 << 20);
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (!text || fd < 0)
		abort();
	n = read(fd, text, (8 << 20) - 1);
	close(fd);
	if (n < 0)
		abort();
	return text;
}

/* A name that no other test has; nothing is there. */
static const char *file_name(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/vnpu-profile-%d", getpid());
	unlink(path);
	return path;
}

static struct vnpu_profile_stats stats(void)
{
	struct vnpu_profile_stats s;

	if (vnpu_profile_get_stats(&s, sizeof(s)))
		abort();
	return s;
}

/* The last block of a set, and how many there are. */
struct seen {
	struct vnpu_profile_block block;
	size_t count;
};

static void see(const struct vnpu_profile_block *block, void *arg)
{
	struct seen *seen = arg;

	seen->block = *block;
	seen->count++;
	/* It may call the library. */
	stats();
}

static struct seen walk(vnpu_profile_set set)
{
	struct seen seen = { .count = 0 };

	if (vnpu_profile_walk(set, see, &seen))
		abort();
	return seen;
}

/* As many frames as it takes to be found in a stack, and not to be inlined. */
static __attribute__((noinline)) void *leaky(size_t size)
{
	void *p = NULL;

	if (aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST))
		return NULL;
	__asm__ volatile("");
	return p;
}

static __attribute__((noinline)) void *wrapper(size_t size)
{
	void *p = leaky(size);

	__asm__ volatile("");
	return p;
}

FIXTURE(profile) {
};

FIXTURE_SETUP(profile)
{
	OK(aclrtSetDevice(0));
	OK(vnpu_profile_start(1000));
}

FIXTURE_TEARDOWN(profile)
{
	vnpu_profile_stop();
	OK(aclrtResetDeviceForce(0));
	unlink(file_name());
}

TEST_F(profile, calls_refuse)
{
	struct vnpu_profile_stats s;
	char tag[VNPU_PROFILE_TAG_MAX + 2];

	EXPECT_ACL(ACL_ERROR_PROF_ALREADY_RUN, vnpu_profile_start(0));
	OK(vnpu_profile_stop());
	EXPECT_ACL(ACL_ERROR_PROF_NOT_RUN, vnpu_profile_stop());
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_get_stats(NULL, sizeof(s)));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_get_stats(&s, 0));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_get_stats(&s, sizeof(s) + 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   vnpu_profile_get_device_stats(0, NULL, sizeof(s)));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_get_device_stats(0, &s, 0));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_profile_get_device_stats(-1, &s, sizeof(s)));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_profile_get_device_stats(1000, &s, sizeof(s)));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_walk(0, NULL, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_walk(3, see, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_walk(-1, see, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_walk_device(0, 0, NULL, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_walk_device(0, 3, see, NULL));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_profile_walk_device(-1, 0, see, NULL));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_profile_walk_device(1000, 0, see, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_write(0, 0, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_write(4, 0, "/dev/null"));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_write(0, 3, "/dev/null"));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, vnpu_profile_write(0, 0, "/none/x"));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, vnpu_profile_write(0, 0, "/"));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, vnpu_profile_write(0, 0, ""));
	EXPECT_ACL(ACL_ERROR_WRITE_FILE, vnpu_profile_write(0, 0, "/dev/full"));

	EXPECT_ACL(BAD_VALUE, vnpu_profile_pop_tag());
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_push_tag(NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag(""));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag("a\nb"));
	memset(tag, 'x', sizeof(tag));
	tag[sizeof(tag) - 1] = '\0';
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag(tag));
	tag[sizeof(tag) - 2] = '\0';
	OK(vnpu_profile_push_tag(tag));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag("y"));
	OK(vnpu_profile_pop_tag());
	for (int i = 0; i < VNPU_PROFILE_TAG_DEPTH; i++)
		OK(vnpu_profile_push_tag("deep"));
	EXPECT_ACL(BAD_VALUE, vnpu_profile_push_tag("z"));
	for (int i = 0; i < VNPU_PROFILE_TAG_DEPTH; i++)
		OK(vnpu_profile_pop_tag());
	EXPECT_ACL(BAD_VALUE, vnpu_profile_pop_tag());
}

TEST(tags_are_bounded)
{
	char tag[32];
	int i;

	for (i = 0; i < VNPU_PROFILE_TAGS; i++) {
		snprintf(tag, sizeof(tag), "%d", i);
		OK(vnpu_profile_push_tag(tag));
		OK(vnpu_profile_pop_tag());
	}
	EXPECT_ACL(ACL_ERROR_BAD_ALLOC, vnpu_profile_push_tag("more"));
	OK(vnpu_profile_push_tag("7"));
}

/* Nothing was recorded since @before but one block, which is of this kind. */
#define EXPECT_BLOCK(before, want, bytes, at)				\
do {									\
	struct seen last = walk(VNPU_PROFILE_LIVE);			\
									\
	ASSERT_EQ((before) + 1, last.count);				\
	EXPECT_EQ(want, last.block.kind);				\
	EXPECT_EQ(bytes, last.block.size);				\
	EXPECT_EQ((uintptr_t)(at), last.block.address);		\
	EXPECT_EQ(0, last.block.device);				\
	EXPECT_EQ(0, last.block.free_ns);				\
	EXPECT_EQ(gettid(), last.block.alloc_thread);			\
	EXPECT_LT(2, last.block.nr_frames);				\
	EXPECT_STREQ("outer/inner", last.block.tag);			\
} while (0)

TEST_F(profile, every_kind)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_NORMAL,
		.location.type = ACL_MEM_LOCATION_TYPE_DEVICE,
	};
	aclrtDrvMemHandle handle;
	void *p;

	OK(vnpu_profile_push_tag("outer"));
	OK(vnpu_profile_push_tag("inner"));
	OK(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 100, p);
	OK(aclrtFree(p));
	OK(aclrtMallocCached(&p, 5000, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 5000, p);
	OK(aclrtFreeWithDevSync(p));
	OK(aclrtMallocAlign32(&p, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 3 * MIB, p);
	OK(aclrtFree(p));
	OK(aclrtMallocWithCfg(&p, 7, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 7, p);
	OK(aclrtFree(p));
	OK(vnpu_malloc(&p, 10000, VNPU_MALLOC_CONTIGUOUS));
	EXPECT_BLOCK(0, VNPU_PROFILE_MALLOC, 10000, p);
	OK(aclrtFree(p));
	OK(aclrtMemAllocManaged(&p, 4096, ACL_RT_MEM_ATTACH_GLOBAL));
	EXPECT_BLOCK(0, VNPU_PROFILE_MANAGED, 4096, p);
	OK(aclrtFree(p));
	OK(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
	EXPECT_BLOCK(0, VNPU_PROFILE_PHYSICAL, 2 * MIB, handle);
	OK(aclrtFreePhysical(handle));
	EXPECT_EQ(7, stats().allocs);
	EXPECT_EQ(7, stats().frees);
	EXPECT_EQ(0, stats().live_bytes);

	/* The host's memory is another matter. */
	OK(aclrtMallocHost(&p, 4096));
	EXPECT_EQ(7, stats().allocs);
	OK(aclrtFreeHost(p));
	prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	prop.memAttr = ACL_DDR_MEM_NORMAL;
	OK(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
	EXPECT_EQ(7, stats().allocs);
	OK(aclrtFreePhysical(handle));
}

/* It is that of the device, also after all was freed. */
TEST_F(profile, the_peak_of_a_device)
{
	struct seen seen = { .count = 0 };
	void *p;

	OK(aclrtMalloc(&p, 5000, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
	OK(vnpu_profile_walk_device(0, VNPU_PROFILE_PEAK, see, &seen));
	EXPECT_EQ(1, seen.count);
	EXPECT_EQ(5000, seen.block.size);
	EXPECT_NE(0, seen.block.free_ns);
	seen.count = 0;
	OK(vnpu_profile_walk_device(0, VNPU_PROFILE_LIVE, see, &seen));
	EXPECT_EQ(0, seen.count);
}

/* A mapping keeps physical memory, and so its record. */
TEST_F(profile, physical_memory_ends_with_its_mapping)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_NORMAL,
		.location.type = ACL_MEM_LOCATION_TYPE_DEVICE,
	};
	aclrtDrvMemHandle handle;
	void *at;

	OK(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
	OK(aclrtReserveMemAddress(&at, 2 * MIB, 0, NULL, 0));
	OK(aclrtMapMem(at, 2 * MIB, 0, handle, 0));
	OK(aclrtFreePhysical(handle));
	EXPECT_EQ(1, stats().live_blocks);
	OK(aclrtUnmapMem(at));
	EXPECT_EQ(0, stats().live_blocks);
	OK(aclrtReleaseMemAddress(at));
}

TEST_F(profile, pools)
{
	aclrtMemPoolProps props = {
		.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.location.type = ACL_MEM_LOCATION_TYPE_DEVICE,
	};
	aclrtMemPool pool;
	aclrtStream stream;
	int32_t number;
	void *p, *q;

	OK(aclrtMemPoolCreate(&pool, &props));
	OK(aclrtCreateStream(&stream));
	OK(aclrtStreamGetId(stream, &number));
	OK(vnpu_profile_push_tag("outer"));
	OK(vnpu_profile_push_tag("inner"));
	OK(aclrtMemPoolMallocAsync(&p, 100, pool, stream));
	EXPECT_BLOCK(0, VNPU_PROFILE_POOL, 100, p);
	EXPECT_EQ(number, walk(VNPU_PROFILE_LIVE).block.stream);
	OK(aclrtMemPoolFreeAsync(p, stream));
	EXPECT_EQ(0, stats().live_blocks);
	/* What a pool keeps is nobody's. */
	OK(aclrtMemPoolMallocAsync(&q, 200, pool, stream));
	EXPECT_EQ(p, q);
	EXPECT_BLOCK(0, VNPU_PROFILE_POOL, 200, q);
	OK(aclrtFree(q));
	EXPECT_EQ(0, stats().live_blocks);
	EXPECT_EQ(2, stats().frees);
	OK(aclrtSynchronizeStream(stream));
	OK(aclrtMemPoolDestroy(pool));
	EXPECT_EQ(2, stats().frees);
}

TEST_F(profile, what_fails_is_not_recorded)
{
	void *p;

	EXPECT_ACL(OUT_OF_MEMORY, aclrtMalloc(&p, total_bytes() + 1,
					      ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(0, stats().allocs);
	OK(aclrtMalloc(&p, 100 * KIB, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_ACL(BAD_VALUE, aclrtFree((char *)p + 64));
	EXPECT_ACL(BAD_VALUE, aclrtFree(&p));
	EXPECT_EQ(1, stats().live_blocks);
	OK(aclrtFree(p));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	EXPECT_EQ(1, stats().frees);
}

TEST_F(profile, the_peak_stays)
{
	void *p[10];

	for (int i = 0; i < 10; i++)
		OK(aclrtMalloc(&p[i], MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	for (int i = 0; i < 10; i++)
		OK(aclrtFree(p[i]));
	OK(aclrtMalloc(&p[0], 64, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(10 * MIB, stats().peak_bytes);
	EXPECT_EQ(10, walk(VNPU_PROFILE_PEAK).count);
	EXPECT_EQ(1, walk(VNPU_PROFILE_LIVE).count);
	EXPECT_EQ(11, walk(VNPU_PROFILE_ALL).count);
	EXPECT_NE(0, walk(VNPU_PROFILE_PEAK).block.free_ns);
	OK(aclrtFree(p[0]));
}

TEST_F(profile, a_reset_ends_all)
{
	void *p = leaky(MIB);

	ASSERT_NE(NULL, p);
	EXPECT_EQ(1, stats().live_blocks);
	OK(aclrtResetDeviceForce(0));
	EXPECT_EQ(0, stats().live_blocks);
	EXPECT_EQ(1, stats().frees);
	OK(aclrtSetDevice(0));
}

TEST_F(profile, report_names_the_functions)
{
	const char *path = file_name();
	char *text, *at;
	void *p;

	OK(vnpu_profile_push_tag("model"));
	p = wrapper(MIB);
	OK(vnpu_profile_pop_tag());
	ASSERT_NE(NULL, p);
	OK(vnpu_profile_write(VNPU_PROFILE_REPORT, VNPU_PROFILE_LIVE, path));
	text = file_read(path);
	TH_LOG("%.600s", text);
	at = strstr(text, "1048576 bytes in 1 block, tag model\n");
	ASSERT_NE(NULL, at);
	/* The call first, then who made it. */
	EXPECT_EQ(0, strncmp(strchr(at, '\n') + 1, "    aclrtMalloc+", 16));
	at = strstr(at, "\n    leaky+");
	ASSERT_NE(NULL, at);
	at = strstr(at, "\n    wrapper+");
	ASSERT_NE(NULL, at);
	free(text);
	OK(aclrtFree(p));
}

TEST_F(profile, folded_stacks)
{
	const char *path = file_name();
	void *p = wrapper(MIB), *q;
	char *text;

	OK(vnpu_profile_push_tag("a;b c"));
	q = wrapper(MIB / 2);
	ASSERT_NE(NULL, q);
	OK(vnpu_profile_write(VNPU_PROFILE_FOLDED, VNPU_PROFILE_PEAK, path));
	text = file_read(path);
	TH_LOG("%.600s", text);
	EXPECT_EQ(0, strncmp(text, "untagged;", 9));
	EXPECT_NE(NULL, strstr(text, ";wrapper;leaky;aclrtMalloc 1048576\n"));
	EXPECT_NE(NULL, strstr(text, "\na_b c;"));
	EXPECT_NE(NULL, strstr(text, ";wrapper;leaky;aclrtMalloc 524288\n"));
	free(text);
	OK(aclrtFree(p));
	OK(aclrtFree(q));
}

TEST_F(profile, histogram)
{
	const char *path = file_name();
	unsigned long long from, to, blocks, bytes;
	char *text;
	void *p[3];

	OK(aclrtMalloc(&p[0], 1, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc(&p[1], 1024, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc(&p[2], 2047, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(vnpu_profile_write(VNPU_PROFILE_HISTOGRAM, VNPU_PROFILE_ALL, path));
	text = file_read(path);
	ASSERT_EQ(4, sscanf(strchr(text, '\n'), "%llu %llu %llu %llu", &from,
			    &to, &blocks, &bytes));
	EXPECT_TRUE(from == 1 && to == 1 && blocks == 1 && bytes == 1);
	ASSERT_EQ(4, sscanf(strchr(strchr(text, '\n') + 1, '\n'),
			    "%llu %llu %llu %llu", &from, &to, &blocks,
			    &bytes));
	EXPECT_TRUE(from == 1024 && to == 2047 && blocks == 2 && bytes == 3071);
	free(text);
	for (int i = 0; i < 3; i++)
		OK(aclrtFree(p[i]));
}

/* Another's JSON parser reads it, and what it says adds up. */
#define CHECK_TIMELINE \
	"import json, sys\n" \
	"e = json.load(open(sys.argv[1]))['traceEvents']\n" \
	"b = [x for x in e if x['ph'] == 'b']\n" \
	"f = [x for x in e if x['ph'] == 'e']\n" \
	"c = [x['args']['bytes'] for x in e if x['ph'] == 'C']\n" \
	"assert c == [100, 300, 200, 0], c\n" \
	"assert [x['name'] for x in b] == ['malloc', 'T\\u00e4g \"x\" \\u00ff'], b\n" \
	"assert [x['args']['bytes'] for x in b] == [100, 200]\n" \
	"assert sorted(x['id'] for x in b) == sorted(x['id'] for x in f)\n" \
	"assert all(x['tid'] == b[0]['tid'] for x in f)\n" \
	"t = [x['ts'] for x in e if 'ts' in x]\n" \
	"assert t == sorted(t)\n"

static int run_python(const char *script, const char *path)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execlp("python3", "python3", "-c", script, path, NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

TEST_F(profile, timeline)
{
	const char *path = file_name();
	void *p, *q;

	OK(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	/* UTF-8, a quote, and a byte that is neither. */
	OK(vnpu_profile_push_tag("T\xc3\xa4g \"x\" \xff"));
	OK(aclrtMalloc(&q, 200, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
	OK(aclrtFree(q));
	OK(vnpu_profile_write(VNPU_PROFILE_TIMELINE, VNPU_PROFILE_ALL, path));
	EXPECT_EQ(0, run_python(CHECK_TIMELINE, path));
}

/* A child has no device memory, and records nothing of its parent's. */
TEST_F(profile, a_child_does_not_record)
{
	void *p = leaky(MIB);
	pid_t pid;

	ASSERT_NE(NULL, p);
	pid = fork_bound();
	if (!pid)
		_exit(vnpu_profile_stop() != ACL_ERROR_PROF_NOT_RUN ||
		      vnpu_profile_start(0) != ACL_SUCCESS ||
		      stats().live_blocks != 0);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(1, stats().live_blocks);
	OK(aclrtFree(p));
}

/* Run this program with an argument, and if so the environment's wish. */
static int run_self(const char *how, bool is_traced, const char *path,
		    const char *err)
{
	int fd, status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (is_traced)
			setenv("ASCEND_MEMORY_TRACE", "1", 1);
		if (path)
			setenv("ASCEND_MEMORY_LOG_PATH", path, 1);
		fd = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, STDERR_FILENO);
		execl("/proc/self/exe", "profile", how, NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int run_traced(const char *how, const char *path, const char *err)
{
	return run_self(how, true, path, err);
}

TEST(leaks_are_told_at_exit)
{
	const char *path = file_name();
	char *text, *at;

	ASSERT_EQ(0, run_traced("--leak", NULL, path));
	text = file_read(path);
	at = strstr(text, ": 1572864 bytes in 3 blocks\n");
	ASSERT_NE(NULL, at);
	/* Two were freed by the reset, one was not freed. */
	ASSERT_NE(NULL, strstr(at, "\n1048576 bytes in 2 blocks, tag early\n"));
	ASSERT_NE(NULL, strstr(at, "\n524288 bytes in 1 block\n"));
	EXPECT_NE(NULL, strstr(at, "\n    leaky+"));
	EXPECT_NE(NULL, strstr(at, "addr2line"));
	free(text);
}

TEST(no_leak_no_names)
{
	const char *path = file_name();
	char *text;

	ASSERT_EQ(0, run_traced("--no-leak", NULL, path));
	text = file_read(path);
	EXPECT_NE(NULL, strstr(text, ": 0 bytes in 0 blocks\n"));
	EXPECT_EQ(NULL, strstr(text, "leaky"));
	free(text);
}

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	while ((text = strstr(text, what))) {
		text++;
		count++;
	}
	return count;
}

TEST(every_event_is_in_the_file)
{
	const char *path = file_name();
	char pattern[96], file[96], *text;
	pid_t pid;

	/* %p is the process; the file is for its user and group. */
	snprintf(pattern, sizeof(pattern), "%s-%%p", path);
	ASSERT_EQ(0, run_traced("--leak", pattern, path));
	text = file_read(path);
	EXPECT_EQ(0, text[0]);
	free(text);
	text = calloc(1, 256);
	snprintf(text, 256, "ls %s-* >%s", path, path);
	ASSERT_EQ(0, system(text));
	free(text);
	text = file_read(path);
	ASSERT_EQ(1, sscanf(text, "%95s", file));
	free(text);
	pid = atoi(file + strlen(path) + 1);
	text = file_read(file);
	unlink(file);
	EXPECT_EQ(pid, atoi(text + strlen("process ")));
	EXPECT_EQ(103, count_of(text, " alloc 0x"));
	EXPECT_EQ(100, count_of(text, " free 0x"));
	EXPECT_EQ(2, count_of(text, " reset 0x"));
	EXPECT_EQ(1, count_of(text, "\nsite 1 \"\" aclrtMalloc+"));
	EXPECT_NE(NULL, strstr(text, " < leaky+"));
	EXPECT_EQ(1, count_of(text, ": 1572864 bytes in 3 blocks\n"));
	free(text);
}

/* The program's own profile, while the environment has it traced. */
TEST(traced_and_profiled)
{
	const char *path = file_name();
	char *text;

	ASSERT_EQ(0, run_traced("--both", NULL, path));
	text = file_read(path);
	EXPECT_NE(NULL, strstr(text, ": 1048576 bytes in 2 blocks\n"))
		TH_LOG("%s", text);
	free(text);
}

TEST(a_file_that_cannot_be)
{
	const char *path = file_name();
	char *text;

	ASSERT_EQ(0, run_traced("--leak", "/none/x", path));
	text = file_read(path);
	EXPECT_NE(NULL, strstr(text, ": 1572864 bytes in 3 blocks\n"));
	free(text);
	ASSERT_EQ(0, run_traced("--leak", "/dev/full", path));
}

/* The best of some runs, for others use the machine too. */
static double time_of(const char *how, bool is_traced)
{
	const char *path = file_name();
	double best = 1e12, took;
	char *text;

	for (int i = 0; i < 4; i++) {
		if (run_self(how, is_traced, is_traced ? "/dev/null" : NULL,
			     path))
			return 0;
		text = file_read(path);
		took = atof(text);
		best = took < best ? took : best;
		free(text);
	}
	return best;
}

FIXTURE(cost) {
};

FIXTURE_SETUP(cost)
{
}

FIXTURE_TEARDOWN(cost)
{
}

/* Figures for blocks of 1 MiB; what a busy machine keeps is the bound. */
TEST_F_TIMEOUT(cost, tracing_is_cheap, 200)
{
	static const char *const hows[] = { "--pairs", "--used-pairs" };

	for (int i = 0; i < 2; i++) {
		double plain = time_of(hows[i], false);
		double traced = time_of(hows[i], true);

		ASSERT_LT(0, plain);
		TH_LOG("%s: %.0f ns, %.0f ns traced: %+.1f %%", hows[i], plain,
		       traced, (traced / plain - 1) * 100);
		EXPECT_LT(traced, 10 * plain);
	}
}

/* The other process of those tests. */
static int leak(bool leaks)
{
	void *p;

	if (aclrtSetDevice(0))
		return 1;
	for (int i = 0; i < 100; i++)
		if (!(p = leaky(100)) || aclrtFree(p))
			return 2;
	if (!leaks)
		return 0;
	if (vnpu_profile_push_tag("early"))
		return 3;
	for (volatile int i = 0; i < 2; i++)	/* one call, not unrolled */
		if (!leaky(MIB / 2))
			return 4;
	if (vnpu_profile_pop_tag() || aclrtResetDeviceForce(0) ||
	    aclrtSetDevice(0))
		return 5;
	return !wrapper(MIB / 2);
}

static int time_pairs(bool uses)
{
	struct timespec start = { 0 }, end;
	void *p;

	if (aclrtSetDevice(0))
		return 1;
	for (int i = -WARM_UP; i < PAIRS; i++) {
		if (!i)
			clock_gettime(CLOCK_MONOTONIC, &start);
		if (aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_HUGE_FIRST) ||
		    (uses && aclrtMemset(p, MIB, 0, MIB)) || aclrtFree(p))
			return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "%.1f\n", ((end.tv_sec - start.tv_sec) * 1e9 +
		end.tv_nsec - start.tv_nsec) / PAIRS);
	return 0;
}

static int trace_both(void)
{
	if (aclrtSetDevice(0) || !leaky(MIB / 2) ||
	    vnpu_profile_start(0) || stats().live_blocks != 1 ||
	    !leaky(MIB / 2) || vnpu_profile_stop() ||
	    stats().live_blocks != 2)
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--leak"))
		return leak(true);
	if (argc == 2 && !strcmp(argv[1], "--no-leak"))
		return leak(false);
	if (argc == 2 && !strcmp(argv[1], "--pairs"))
		return time_pairs(false);
	if (argc == 2 && !strcmp(argv[1], "--used-pairs"))
		return time_pairs(true);
	if (argc == 2 && !strcmp(argv[1], "--both"))
		return trace_both();
	return test_harness_run(argc, argv);
}
