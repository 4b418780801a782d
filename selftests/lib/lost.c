// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device is removed while a program uses it through AscendCL only, and
 * another device is added: the errors that the program gets, the reports to
 * other processes, and access to the new device. selftests/uapi tests the
 * driver itself.
 */
#include "acl-health.h"
#include "acl-stream.h"
#include "trouble.h"

#define ADDED		(16 * MIB)

/*
 * The process that starts when there is a new device, which is its last visible
 * one. It counts the present devices only.
 */
static void use_new(int fd)
{
	uint32_t count;
	struct work w;
	char go;

	if (read(fd, &go, 1) != 1 ||
	    aclrtGetDeviceCount(&count) || count != 2 ||
	    aclrtSetDevice(1) ||
	    aclrtCreateStream(&w.a) ||
	    aclrtMalloc((void **)&w.dev, AREA, ACL_MEM_MALLOC_NORMAL_ONLY) ||
	    aclrtMemsetAsync(w.dev, AREA, 1, AREA, w.a) ||
	    aclrtSynchronizeStream(w.a) || dev_u64(w.dev) != 0x0101010101010101)
		_exit(1);
	_exit(0);
}

FIXTURE(lost) {
	int device;
	int events;
	uint8_t buffer[NL_BUFFER];
};

FIXTURE_SETUP(lost)
{
	self->device = 0;
	self->events = nl_open_events(self->buffer);
	ASSERT_LE(0, self->events);
}

FIXTURE_TEARDOWN(lost)
{
	close(self->events);
	aclrtResetDeviceForce(0);
	if (self->device > 0)
		EXPECT_EQ(0, device_remove(self->device));
}

/*
 * Return the number of the newest device in this process, which counts the
 * present devices only. The driver's number is larger while a removed device
 * is still in use.
 */
static int32_t newest(void)
{
	uint32_t count = 0;

	return aclrtGetDeviceCount(&count) ? -1 : (int32_t)count - 1;
}

/* Return the device of the next event of a kind. */
static int device_told(FIXTURE_DATA(lost) * self, uint8_t command)
{
	int ret = event_wait(self->events, command, self->buffer);

	return ret ? ret : (int)nl_u32((void *)self->buffer, VNPU_A_DEV_ID);
}

TEST_F_TIMEOUT(lost, a_device_returns, 120)
{
	aclrtContext context;
	uint8_t byte = 0;
	int pipes[2];
	int32_t device;
	struct work w;
	pid_t pid;
	void *p;

	/* From here on the child is a process that has not used the library. */
	ASSERT_EQ(0, pipe(pipes));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid)
		use_new(pipes[0]);
	self->device = device_add(ADDED);
	ASSERT_LT(0, self->device);
	EXPECT_EQ(self->device, device_told(self, VNPU_CMD_DEV_ADD_NTF));
	EXPECT_EQ(HEALTHY, health_of(self->device));
	device = newest();
	OK(aclrtSetDevice(device));
	OK(aclrtCreateStream(&w.a));
	OK(aclrtMalloc((void **)&w.gate, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(w.gate, 64, 0, 64));
	OK(gate_close(&w, w.a));
	ASSERT_EQ(0, device_remove(self->device));
	EXPECT_EQ(self->device, device_told(self, VNPU_CMD_DEV_REMOVE_NTF));
	EXPECT_EQ(GONE, health_of(self->device));
	/* The present devices are healthy. */
	EXPECT_EQ(HEALTHY, smi("health"));
	EXPECT_ACL(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeStream(w.a));
	EXPECT_ACL(ACL_ERROR_RT_NO_DEVICE,
		   aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_ACL(ACL_ERROR_RT_NO_DEVICE,
		   aclrtMemcpy(&byte, 1, w.gate, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	OK(aclrtFree(w.gate));
	OK(aclrtDestroyStream(w.a));
	OK(aclrtResetDevice(device));
	/* The error is not that there are too many streams. */
	recent();
	EXPECT_ACL(ACL_ERROR_RT_NO_DEVICE, aclrtSetDevice(device));
	EXPECT_NE(NULL, strstr(recent(), "is gone"));
	EXPECT_ACL(ACL_ERROR_RT_NO_DEVICE,
		   aclrtCreateContext(&context, device));
	EXPECT_NE(NULL, strstr(recent(), "is gone"));
	/* Other devices are unaffected, and so is the next one. */
	OK(work_init(&w));
	works(_metadata, &w, w.a);
	OK(aclrtFreeHost(w.pinned));
	self->device = device_add(ADDED);
	ASSERT_LT(0, self->device);
	EXPECT_EQ(self->device, device_told(self, VNPU_CMD_DEV_ADD_NTF));
	EXPECT_EQ(HEALTHY, health_of(self->device));
	ASSERT_EQ(1, write(pipes[1], "", 1));
	EXPECT_EQ(0, child_wait(pid));
}

/* Models at the time of the removal: one that waits for the gate, one that loops. */
struct models {
	struct work w;
	aclrtStream head, captured;
	aclmdlRI waits, loops, open;
};

static aclError make_waiting(struct models *m)
{
	aclError err = aclmdlRICaptureBegin(m->w.a,
			ACL_MODEL_RI_CAPTURE_MODE_RELAXED);

	if (!err)
		err = gate_close(&m->w, m->w.a);
	return err ? err : aclmdlRICaptureEnd(m->w.a, &m->waits);
}

/* A stream that goes on with itself. */
static aclError make_looping(struct models *m)
{
	aclError err = aclmdlRIBuildBegin(&m->loops, 0);

	if (!err)
		err = aclrtCreateStreamWithConfig(&m->head, 0,
						  ACL_STREAM_PERSISTENT);
	if (!err)
		err = aclmdlRIBindStream(m->loops, m->head,
					 ACL_MODEL_STREAM_FLAG_HEAD);
	if (!err)
		err = aclrtSwitchStream(m->w.gate, ACL_RT_EQUAL, m->w.gate,
					ACL_RT_SWITCH_INT64, m->head, NULL,
					m->head);
	return err ? err : aclmdlRIBuildEnd(m->loops, NULL);
}

static aclError begin_capture(struct models *m)
{
	aclError err = aclrtCreateStream(&m->captured);

	if (!err)
		err = aclmdlRICaptureBegin(m->captured,
				ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	return err ? err : aclrtMemsetAsync(m->w.gate, 8, 0, 8, m->captured);
}

static aclError models_start(struct models *m, int device)
{
	aclError err = aclrtSetDevice(device);

	if (!err)
		err = aclrtCreateStream(&m->w.a);
	if (!err)
		err = aclrtCreateStream(&m->w.b);
	if (!err)
		err = aclrtMalloc((void **)&m->w.gate, 64,
				  ACL_MEM_MALLOC_NORMAL_ONLY);
	if (!err)
		err = aclrtMemset(m->w.gate, 64, 0, 64);
	if (!err)
		err = make_waiting(m);
	if (!err)
		err = make_looping(m);
	if (!err)
		err = aclmdlRIExecuteAsync(m->waits, m->w.a);
	if (!err)
		err = aclmdlRIExecuteAsync(m->loops, m->w.b);
	return err ? err : begin_capture(m);
}

static aclError run_again(aclmdlRI model, aclrtStream stream)
{
	aclError err = aclmdlRIExecuteAsync(model, stream);

	return err ? err : aclrtSynchronizeStream(stream);
}

TEST_F_TIMEOUT(lost, models_end_with_their_device, 120)
{
	struct models m = { .open = NULL };

	self->device = device_add(ADDED);
	ASSERT_LT(0, self->device);
	EXPECT_EQ(self->device, device_told(self, VNPU_CMD_DEV_ADD_NTF));
	OK(models_start(&m, newest()));
	ASSERT_EQ(0, device_remove(self->device));
	self->device = 0;
	EXPECT_ACL(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeStream(m.w.a));
	EXPECT_ACL(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeStream(m.w.b));
	/* A capture stores tasks still, but has no device for its model. */
	aclrtMemsetAsync(m.w.gate, 8, 0, 8, m.captured);
	EXPECT_NE(ACL_SUCCESS, aclmdlRICaptureEnd(m.captured, &m.open));
	EXPECT_EQ(NULL, m.open);
	EXPECT_NE(ACL_SUCCESS, run_again(m.waits, m.w.a));
	EXPECT_NE(ACL_SUCCESS, run_again(m.loops, m.w.a));
	OK(aclmdlRIDestroy(m.waits));
	OK(aclmdlRIDestroy(m.loops));
	OK(aclrtDestroyStream(m.head));
}

TEST_HARNESS_MAIN
