/* SPDX-License-Identifier: GPL-2.0-only */
/* Engines that hang, and what is done about it. */
#ifndef VNPU_RESET_H
#define VNPU_RESET_H

#include <linux/types.h>

struct vnpu_device;
struct vnpu_engine;

/**
 * struct vnpu_hang - an engine that hangs
 * @device: index of the device
 * @class: VNPU_ENGINE_*
 * @engine: index among those of the class
 * @ns: how long its turn has lasted
 * @stream: id of the stream that it runs, or 0 if it had ended by the time of
 *	the look; the rest is of it
 * @number: among the device's streams
 * @client: id of the client
 * @op: operation of the task, VNPU_TASK_*
 * @seq: number of the task
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

#endif
