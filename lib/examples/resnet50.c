/* SPDX-License-Identifier: MIT */
/*
 * The memory of a network: ways to manage the memory of an inference of
 * ResNet-50, and the memory and time that each takes.
 *
 *	cc resnet50.c -Ibuild/cann/include -Lbuild/cann/lib64 -lascendcl
 *	./a.out [IMAGES]		images at a time, 8 by default
 *
 * The first table compares ways to allocate the tensors: one allocation for each,
 * kept to the end or freed after its last use; a pool; a pool that begins with the
 * profile of a batch; a pool that takes each batch as a step, from the third one
 * on; and a plan, which gives each tensor a place.  The second table begins with a
 * simple program, and adds one improvement in each line.
 *
 * An operator copies its inputs to its output, and fills the rest.  If a tensor
 * were overwritten too early, the result would be wrong.
 */
#define _POSIX_C_SOURCE 200809L
#include "acl/acl.h"
#include "vnpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "resnet50_lane.h"

#define BATCHES		8	/* the fastest one counts */
#define LANES		2	/* batches in flight, at most */
/*
 * Gap behind each tensor of the plan.  At a distance of a power of two, tensors
 * would compete for the same entries of an emulated CPU's translation buffer.
 */
#define STAGGER		((size_t)5 << 12)

static size_t offsets[RESNET50_TENSORS];	/* the plan */
static size_t planned;				/* bytes of it */
static vnpu_pool_t pool;

/*
 * Ways to allocate memory for the tensors.
 */
static void alloc_driver(struct lane *l, unsigned int t)
{
	TRY(aclrtMalloc((void **)&l->at[t], net.tensor[t].size,
			ACL_MEM_MALLOC_NORMAL_ONLY));
}

static void free_driver(struct lane *l, unsigned int t)
{
	/* No operator may still use it. */
	TRY(aclrtSynchronizeStream(l->run));
	TRY(aclrtFree(l->at[t]));
}

static void alloc_pool(struct lane *l, unsigned int t)
{
	l->at[t] = vnpu_pool_alloc(pool, net.tensor[t].size);
	if (!l->at[t])
		fail("vnpu_pool_alloc", aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

static void free_pool(struct lane *l, unsigned int t)
{
	/* The next user of the memory is later on the same stream. */
	TRY(vnpu_pool_free(pool, l->at[t]));
}

struct way {
	const char *name;
	void (*alloc)(struct lane *l, unsigned int t);
	void (*free)(struct lane *l, unsigned int t);
	int keeps_all;		/* frees nothing before the end */
	int has_profile;	/* its pool begins with one */
	int has_steps;		/* a batch is a step of its pool */
};

static const struct way ways[] = {
	{ "every tensor for itself", alloc_driver, free_driver, 1, 0, 0 },
	{ "freed after its last use", alloc_driver, free_driver, 0, 0, 0 },
	{ "from a pool", alloc_pool, free_pool, 0, 0, 0 },
	{ "from one with a profile", alloc_pool, free_pool, 0, 1, 0 },
	{ "from one with steps", alloc_pool, free_pool, 0, 0, 1 },
	{ "at its place in a plan", NULL, NULL, 0, 0, 0 },
};

static void each_tensor(struct lane *l, const struct way *way, unsigned int op,
			int begins)
{
	unsigned int t;

	for (t = 0; t < net.tensors; t++) {
		const struct tensor *tensor = &net.tensor[t];

		if (begins && tensor->first == op)
			way->alloc(l, t);
		if (!begins && (way->keeps_all ? net.ops - 1 : tensor->last) ==
			       op)
			way->free(l, t);
	}
}

/* Run one batch with synchronous copies; return the peak of used memory. */
static size_t run_simple(struct lane *l, const struct way *way)
{
	size_t most = 0, used;
	unsigned int i;

	if (way->has_steps)
		TRY(vnpu_pool_step(pool));
	for (i = 0; i < net.ops; i++) {
		if (way->alloc)
			each_tensor(l, way, i, 1);
		used = used_now();
		most = used > most ? used : most;
		if (!i)
			TRY(aclrtMemcpy(l->at[net.input],
					net.tensor[net.input].size, l->input,
					net.tensor[net.input].size,
					ACL_MEMCPY_HOST_TO_DEVICE));
		run_op(l, i);
		if (i == net.ops - 1) {
			TRY(aclrtSynchronizeStream(l->run));
			TRY(aclrtMemcpy(l->output, net.tensor[net.output].size,
					l->at[net.output],
					net.tensor[net.output].size,
					ACL_MEMCPY_DEVICE_TO_HOST));
		}
		if (way->free)
			each_tensor(l, way, i, 0);
	}
	check(l, way->name);
	return most;
}

/* Run some batches one after the other; return the peak, and the best time. */
static size_t run_batches(struct lane *l, const struct way *way,
			  double *fastest)
{
	size_t most = 0;
	int i;

	for (i = 0; i < BATCHES; i++) {
		double start = now_ms(), took;
		size_t used = run_simple(l, way);

		took = now_ms() - start;
		most = used > most ? used : most;
		if (!i || took < *fastest)
			*fastest = took;
	}
	return most;
}

static void make_plan(void)
{
	struct vnpu_plan_options options = { .align = 64 };
	struct vnpu_plan_result result;
	struct vnpu_plan *plan;
	unsigned int t;
	int ret;

	ret = vnpu_plan_create(&plan);
	for (t = 0; !ret && t < net.tensors; t++) {
		struct vnpu_plan_tensor tensor = {
			.size = net.tensor[t].size + STAGGER,
			.lower = net.tensor[t].first,
			.upper = net.tensor[t].last + 1,
		};

		ret = vnpu_plan_add_tensor(plan, &tensor);
	}
	if (!ret)
		ret = vnpu_plan_solve(plan, &options, &result);
	for (t = 0; !ret && t < net.tensors; t++) {
		uint64_t offset;

		ret = vnpu_plan_get_offset(plan, t, &offset);
		offsets[t] = offset;
	}
	if (ret)
		fail("the plan", ret);
	planned = result.peak;
	vnpu_plan_destroy(plan);
	printf("The plan: %.1f MiB%s\n", planned / 1048576.0,
	       result.optimal ? ", which is the minimum" : "");
}

static void lane_place(struct lane *l)
{
	unsigned int t;

	TRY(aclrtMalloc((void **)&l->base, planned, ACL_MEM_MALLOC_HUGE_FIRST));
	for (t = 0; t < net.tensors; t++)
		l->at[t] = l->base + offsets[t];
}

/* Create a pool from the profile that another pool learned in a batch. */
static void make_pool_by_profile(struct lane *l)
{
	const struct way learning = {
		"learning", alloc_pool, free_pool, 0, 0, 0
	};
	struct vnpu_pool_config config;
	char path[] = "/tmp/resnet50-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		fail("mkstemp", fd);
	close(fd);
	vnpu_pool_config_init(&config);
	config.learn = 1;
	TRY(vnpu_pool_create(&pool, &config));
	run_simple(l, &learning);
	TRY(vnpu_pool_save_profile(pool, path));
	TRY(vnpu_pool_destroy(pool));
	config.learn = 0;
	config.profile = path;
	TRY(vnpu_pool_create(&pool, &config));
	unlink(path);
}

/* Create a pool that has seen the batch twice, and so has planned it. */
static void make_pool_of_steps(struct lane *l, const struct way *way)
{
	TRY(vnpu_pool_create(&pool, NULL));
	run_simple(l, way);
	run_simple(l, way);
}

/* Return the number of calls for memory to the driver in one batch. */
static double driver_calls(const struct way *way, uint64_t maps)
{
	if (!way->alloc)
		return 1.0 / BATCHES;
	return way->alloc == alloc_pool ? (double)maps / BATCHES : net.tensors;
}

static void print_memory(struct lane *l)
{
	struct vnpu_pool_stats stats = { .size = sizeof(stats) };
	size_t before = used_now(), w;
	uint64_t maps = 0;

	printf("\n%-27s %14s %14s %10s\n", "tensors", "device memory",
	       "driver allocs", "ms");
	printf("%-27s %14s %14s %10s\n", "", "MiB", "a batch", "a batch");
	for (w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
		const struct way *way = &ways[w];
		double fastest = 0;
		size_t most;

		if (way->has_profile)
			make_pool_by_profile(l);
		else if (way->has_steps)
			make_pool_of_steps(l, way);
		else if (way->alloc == alloc_pool)
			TRY(vnpu_pool_create(&pool, NULL));
		if (way->alloc == alloc_pool) {
			TRY(vnpu_pool_get_stats(pool, &stats));
			maps = stats.maps;
		}
		if (!way->alloc)
			lane_place(l);
		most = run_batches(l, way, &fastest);
		if (way->alloc == alloc_pool) {
			TRY(vnpu_pool_get_stats(pool, &stats));
			TRY(vnpu_pool_destroy(pool));
		}
		if (!way->alloc)
			TRY(aclrtFree(l->base));
		printf("%-27s %14.1f %14.2f %10.1f\n", way->name,
		       (most - before) / 1048576.0,
		       driver_calls(way, stats.maps - maps), fastest);
	}
}

/*
 * Improvements, one after the other.
 */
static void run_async(struct lane *l)
{
	unsigned int i;

	TRY(aclrtStreamWaitEvent(l->in, l->free));
	TRY(aclrtMemcpyAsync(l->at[net.input], net.tensor[net.input].size,
			     l->input, net.tensor[net.input].size,
			     ACL_MEMCPY_HOST_TO_DEVICE, l->in));
	TRY(aclrtRecordEvent(l->full, l->in));
	TRY(aclrtStreamWaitEvent(l->run, l->full));
	for (i = 0; i < net.ops; i++)
		run_op(l, i);
	TRY(aclrtRecordEvent(l->done, l->run));
	TRY(aclrtStreamWaitEvent(l->out, l->done));
	TRY(aclrtMemcpyAsync(l->output, net.tensor[net.output].size,
			     l->at[net.output], net.tensor[net.output].size,
			     ACL_MEMCPY_DEVICE_TO_HOST, l->out));
	TRY(aclrtRecordEvent(l->free, l->out));
}

/* Batches take turns on the lanes; the host copies between them. */
static void run_lanes(struct lane *lanes)
{
	int i;

	for (i = 0; i < BATCHES + LANES; i++) {
		struct lane *l = &lanes[i % LANES];
		unsigned int op;

		if (i >= LANES) {
			TRY(aclrtSynchronizeStream(l->run));
			TRY(aclrtMemcpy(l->output, net.tensor[net.output].size,
					l->at[net.output],
					net.tensor[net.output].size,
					ACL_MEMCPY_DEVICE_TO_HOST));
			check(l, "two streams");
		}
		if (i >= BATCHES)
			continue;
		TRY(aclrtMemcpy(l->at[net.input], net.tensor[net.input].size,
				l->input, net.tensor[net.input].size,
				ACL_MEMCPY_HOST_TO_DEVICE));
		for (op = 0; op < net.ops; op++)
			run_op(l, op);
	}
}

static void run_lanes_async(struct lane *lanes)
{
	int i;

	for (i = 0; i < BATCHES; i++)
		run_async(&lanes[i % LANES]);
	for (i = 0; i < LANES; i++) {
		TRY(aclrtSynchronizeStream(lanes[i].out));
		check(&lanes[i], "data movement");
	}
}

static void print_step(const char *name, size_t memory, double ms)
{
	printf("%-27s %14.1f %25.1f\n", name, memory / 1048576.0, ms);
}

/* Run all batches at once, some times; return the best time for one batch. */
static double run_overlapped(struct lane *lanes, void (*run)(struct lane *))
{
	double fastest = 0;
	int i;

	for (i = 0; i < 3; i++) {
		double start = now_ms(), took;

		run(lanes);
		took = (now_ms() - start) / BATCHES;
		if (!i || took < fastest)
			fastest = took;
	}
	return fastest;
}

static void pin(struct lane *l)
{
	char *input, *output;

	TRY(aclrtMallocHost((void **)&input, net.tensor[net.input].size));
	TRY(aclrtMallocHost((void **)&output, net.tensor[net.output].size));
	memcpy(input, l->input, net.tensor[net.input].size);
	free(l->input);
	free(l->output);
	l->input = input;
	l->output = output;
}

static void print_steps(struct lane *lanes)
{
	size_t before = used_now(), most;
	double fastest;
	int i;

	printf("\n%-27s %14s %25s\n", "steps, each with those above",
	       "device memory", "ms a batch");
	most = run_batches(&lanes[0], &ways[1], &fastest);
	print_step("as it comes", most - before, fastest);

	lane_place(&lanes[0]);
	most = run_batches(&lanes[0], &ways[5], &fastest);
	print_step("memory by a plan", most - before, fastest);

	lane_place(&lanes[1]);
	fastest = run_overlapped(lanes, run_lanes);
	print_step("two streams", used_now() - before, fastest);

	for (i = 0; i < LANES; i++)
		pin(&lanes[i]);
	fastest = run_overlapped(lanes, run_lanes_async);
	print_step("copies beside the work", used_now() - before, fastest);
	for (i = 0; i < LANES; i++)
		TRY(aclrtFree(lanes[i].base));
}

int main(int argc, char **argv)
{
	long images = argc > 1 ? strtol(argv[1], NULL, 10) : 8;
	struct lane lanes[LANES] = { 0 };
	int i;

	if (images < 1 || images > 256 || argc > 2) {
		fprintf(stderr, "usage: resnet50 [IMAGES], 1 to 256\n");
		return 1;
	}
	resnet50_build(&net, (unsigned int)images);
	printf("ResNet-50, %ld images at a time: %u operators, %u tensors, %.1f MiB of parameters\n",
	       images, net.ops, net.tensors, net.weights / 1048576.0);
	make_plan();

	TRY(aclInit(NULL));
	TRY(aclrtSetDevice(0));
	for (i = 0; i < LANES; i++)
		lane_setup(&lanes[i]);
	make_model(lanes[0].input);
	print_memory(&lanes[0]);
	print_steps(lanes);
	for (i = 0; i < LANES; i++)
		lane_end(&lanes[i]);
	free(model);
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return 0;
}
