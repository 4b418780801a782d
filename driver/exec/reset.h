/* SPDX-License-Identifier: GPL-2.0-only */
/* Hung engines, resets and health of a device. */
#ifndef VNPU_RESET_H
#define VNPU_RESET_H

#include <linux/types.h>

struct vnpu_device;
struct vnpu_ecc;
struct vnpu_engine;

/**
 * struct vnpu_hang - a hung engine
 * @device: index of the device
 * @class: class of the engine, VNPU_ENGINE_*
 * @engine: index of the engine in its class
 * @number: number of the stream on the device
 * @ns: duration of the turn so far
 * @stream: id of the stream that the engine runs; 0 if it ended before the
 *	report, and then the fields of the stream and its task are not valid
 * @client: id of the client
 * @op: operation of the task, VNPU_TASK_*
 * @seq: sequence number of the task
 */
struct vnpu_hang {
	u32 device;
	u32 class;
	u32 engine;
	u32 number;
	u64 ns;
	u64 stream;
	u64 client;
	u32 op;
	u64 seq;
};

int vnpu_device_reset(struct vnpu_device *dev, u32 reason);
void vnpu_device_set_health(struct vnpu_device *dev, u32 health);
bool vnpu_engines_are_back(struct vnpu_device *dev);

/* coredump.c */
void vnpu_coredump(struct vnpu_device *dev, u32 reason);

void vnpu_ecc_init(struct vnpu_ecc *ecc);
void vnpu_ecc_fini(struct vnpu_ecc *ecc);
void vnpu_ecc_flush(struct vnpu_ecc *ecc);

#endif
