// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz /dev/vnpu: ioctls according to dev_vnpu.txt and others, mappings, rings
 * and files, by one thread or by two at the same time.
 *
 * Of step.how, bit 0 selects the client; bits 1 to 3 choose another size of the
 * struct, bits 4 and 5 its place, bit 6 makes a byte of it wrong, and bit 7
 * gives the step to the second thread.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "errnos.h"
#include "util.h"
#include "world.h"

#define HOW_CLIENT	0x01
#define HOW_SIZE(how)	(((how) >> 1) & 7)
#define HOW_PLACE(how)	(((how) >> 4) & 3)
#define HOW_WRONG	0x40
#define HOW_SECOND	0x80

#define CALLS		(sizeof(calls) / sizeof(calls[0]))

/* A waiting program is woken this often, and goes on. */
#define SIGNAL_US	5000

static const struct call_of *call_find(__u8 op)
{
	size_t i;

	for (i = 0; i < CALLS; i++)
		if ((calls[i].nr & 0xff) == op)
			return &calls[i];
	return NULL;
}

static void field_write(__u8 *buffer, const struct field *f, __u64 value)
{
	/* Of an array, the first elements; the others are 0. */
	memcpy(buffer + f->at, &value,
	       f->size < sizeof(value) ? f->size : sizeof(value));
}

static __u64 field_read(const __u8 *buffer, const struct field *f)
{
	__u64 value = 0;
	__s32 file;

	if (f->name <= RES_FD_VNPU_SYNC) {
		memcpy(&file, buffer + f->at, sizeof(file));
		return file;
	}
	memcpy(&value, buffer + f->at, f->size);
	return value;
}

static __u64 bits_of(const struct set_of *set, __u8 byte)
{
	__u64 value = 0;
	unsigned int i;

	if (byte >= 0xf8)
		return 1ULL << (byte & 31);
	/* One or none more often than several. */
	if (byte < 0x80)
		return byte % 8 < set->count ? set->values[byte % 8] : 0;
	for (i = 0; i < set->count && i < 8; i++)
		if (byte & (1 << i))
			value |= set->values[i];
	return value;
}

/* The first of a set is used mostly. */
static __u64 one_of(unsigned int name, __u8 byte)
{
	__u64 value;

	if (name == SET_VNPU_LENGTHS)
		return length_of(byte);
	if (byte < 0x90)
		return sets[name].values[0];

	if (byte >= 0xf8)
		return number_of(byte, ~0ULL);
	value = sets[name].values[byte % sets[name].count];
	/* The start time of a wait is not in the table. */
	if (name == SET_VNPU_TIMEOUTS && value + 1 > 1)
		value += now_ms() * 1000000;
	return value;
}

/* Some timelines, and values close to their current ones. */
static __u64 points_make(__u8 byte)
{
	struct vnpu_point *points = (void *)(world.host + MIB(3));
	unsigned int i;

	for (i = 0; i < 8; i++)
		points[i] = (struct vnpu_point){
			.id = resource_of(RES_VNPU_TIMELINE_ID, byte + i),
			.value = (byte >> i) & 3,
		};
	return addr(points);
}

static __u64 array_make(const struct call_of *call, const struct step *s,
			__u8 byte)
{
	if (byte >= 0xf8)
		return address_of(byte);
	if (call->nr == VNPU_IOCTL_GRAPH_CREATE)
		return graph_streams(s);
	if (call->nr == VNPU_IOCTL_GRAPH_UPDATE)
		return graph_tasks(s);
	return points_make(byte);
}

/* Fill the struct of a call; return its size. */
static size_t call_make(const struct call_of *call, const struct step *s,
			__u8 *buffer)
{
	const struct field *f;
	unsigned int next = 0;

	for (f = call->fields; f->kind; f++) {
		__u8 byte = s->arg[next % STEP_ARGS];

		switch (f->kind) {
		case FIELD_SIZE:
			field_write(buffer, f, call->size);
			continue;
		case FIELD_INT:
			field_write(buffer, f, number_of(byte, f->limit));
			break;
		case FIELD_BITS:
			field_write(buffer, f, bits_of(&sets[f->name], byte));
			break;
		case FIELD_ONE_OF:
			field_write(buffer, f, one_of(f->name, byte));
			break;
		case FIELD_ADDRESS:
			field_write(buffer, f, address_of(byte));
			break;
		case FIELD_ADDRESS_OR_0:
			field_write(buffer, f,
				    byte & 1 ? address_of(byte) : 0);
			break;
		case FIELD_RESOURCE:
			field_write(buffer, f, resource_of(f->name, byte));
			break;
		case FIELD_POINTS:
			field_write(buffer, f, array_make(call, s, byte));
			break;
		case FIELD_COUNT:
			field_write(buffer, f, number_of(byte, 8));
			break;
		default:
			continue;
		}
		next++;
	}
	return call->size;
}

/* The size in the struct, and the bytes after it. */
static size_t call_resize(const struct step *s, __u8 *buffer, size_t size)
{
	__u32 said = size;

	switch (HOW_SIZE(s->how)) {
	case 4:
		said = s->arg[13];
		break;
	case 5:
		said = number_of(s->arg[13], ~0ULL);
		break;
	case 6:
		said = size + 8;
		break;
	case 7:
		said = size + 8;
		buffer[size + (s->arg[13] & 7)] = 1;
		break;
	}
	memcpy(buffer, &said, sizeof(said));
	return size + 8;
}

static void call_results(const struct call_of *call, const __u8 *buffer)
{
	const struct vnpu_mem_alloc *a = (const void *)buffer;
	const struct field *f;

	for (f = call->fields; f->kind; f++)
		if (f->kind == FIELD_RESULT)
			resource_add(f->name, field_read(buffer, f));
	if (call->nr == VNPU_IOCTL_MEM_ALLOC && a->out_va)
		pool_add(&world.addresses, a->out_va);
	if (call->nr == VNPU_IOCTL_STREAM_CREATE)
		stream_add((const void *)buffer);
}

/* The file of a call: of a client, or of a core. */
static int call_file(const struct call_of *call, const struct step *s)
{
	if (call->nr >= VNPU_IOCTL_ENGINE_ATTACH)
		return (int)resource_of(RES_FD_VNPU_ENGINE, s->arg[9]);
	return world.client[s->how & HOW_CLIENT].fd;
}

/* End the program if an ioctl fails with an error that is not listed for it. */
static void error_check(unsigned long nr, int error)
{
	if (errno_is_listed(nr, error))
		return;
	printf("# ioctl 0x%lx: %s\n", nr, strerror(error));
	fflush(stdout);
	_exit(EXIT_UNLISTED);
}

static void step_call(const struct call_of *call, const struct step *s)
{
	__u8 buffer[512] __attribute__((aligned(8))) = {};
	/* The last bytes before an unmapped page. */
	__u8 *edge = world.host + HOST_BYTES;
	__u8 *at = buffer;
	size_t size;

	size = call_make(call, s, buffer);
	call_resize(s, buffer, size);
	if (s->how & HOW_WRONG)
		buffer[s->arg[12] % size] ^= s->arg[11] | 1;
	if (HOW_PLACE(s->how) == 3) {
		at = edge - size;
		memcpy(at, buffer, size);
	} else if (HOW_PLACE(s->how) == 2) {
		at = ptr(address_of(s->arg[10]));
	}
	if (ioctl(call_file(call, s), call->nr, at))
		error_check(call->nr, errno);
	else if (HOW_PLACE(s->how) != 2)
		call_results(call, at);
}

static void run_steps(const struct program *p, __u8 second)
{
	const struct call_of *call;
	const struct step *s;

	for (s = p->steps; s < p->steps + p->count; s++) {
		if ((s->how & HOW_SECOND) != second)
			continue;
		call = call_find(s->op);
		if (call)
			step_call(call, s);
		else
			step_other(s);
	}
}

static void *run_second(void *p)
{
	run_steps(p, HOW_SECOND);
	return NULL;
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void run(const struct program *p)
{
	const struct itimerval every = {
		{ 0, SIGNAL_US }, { 0, SIGNAL_US },
	};
	/* Calls are not restarted. */
	struct sigaction act = { .sa_handler = on_alarm };
	pthread_t second;

	if (world_open())
		return;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	if (pthread_create(&second, NULL, run_second, (void *)p))
		return;
	run_steps(p, 0);
	pthread_join(second, NULL);
	world_close();
}

/* The state of the device without users. */
static struct client observer;
static struct vnpu_device_query queries[VNPU_MAX_DEVICES];
static struct vnpu_limits_query limits[VNPU_MAX_DEVICES];
static __u32 devices;

static int look(__u32 device, struct vnpu_device_query *q,
		struct vnpu_limits_query *l)
{
	int ret = device_query(&observer, device, q);

	*l = (struct vnpu_limits_query){ .size = sizeof(*l), .device = device };
	return ret ? ret : call(observer.fd, VNPU_IOCTL_LIMITS_QUERY, l);
}

static __u8 ops[CALLS + OP_COUNT];

static const char *setup(void)
{
	unsigned int i;
	__u32 d;

	if (client_open_only(&observer))
		return "no " VNPU_NODE;
	devices = device_count(&observer);
	for (d = 0; d < devices; d++)
		if (look(d, &queries[d], &limits[d]))
			return "a device does not respond";
	for (i = 0; i < CALLS; i++)
		ops[i] = calls[i].nr & 0xff;
	for (i = 0; i < OP_COUNT; i++)
		ops[CALLS + i] = OP_FIRST + i;
	return NULL;
}

static const char *check(void)
{
	struct vnpu_device_query q;
	struct vnpu_limits_query l;
	__u32 d;

	for (d = 0; d < devices; d++) {
		if (look(d, &q, &l))
			return "a device does not respond any more";
		if (q.out_health != queries[d].out_health)
			return "the health of a device has changed";
		if (q.out_free != queries[d].out_free)
			return "device memory was not freed";
		if (l.out_streams != limits[d].out_streams ||
		    l.out_events != limits[d].out_events ||
		    l.out_counters != limits[d].out_counters)
			return "streams, events or counters were not freed";
	}
	return NULL;
}

static struct target fuzz_target = {
	.name = "ioctl",
	.ops = ops,
	.op_count = CALLS + OP_COUNT,
	.setup = setup,
	.run = run,
	.check = check,
};

int main(int argc, char **argv)
{
	return fuzz_main(argc, argv, &fuzz_target);
}
