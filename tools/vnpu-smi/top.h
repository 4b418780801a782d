/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi top: the contents of the screen, and how it is drawn.
 */
#ifndef VNPU_SMI_TOP_H
#define VNPU_SMI_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "client.h"
#include "kernel.h"
#include "model.h"
#include "table.h"

/* The number of samples that the widest line has room for. */
#define HISTORY		128

/**
 * struct history - the last samples of a device, in percent
 * @count: number of samples so far; the last is at (@count - 1) % HISTORY
 */
struct history {
	unsigned int count;
	uint8_t vector[HISTORY];
	uint8_t memory[HISTORY];
};

enum top_order { TOP_BY_BUSY, TOP_BY_MEMORY, TOP_BY_PEAK, TOP_BY_PID };

/**
 * struct top_process - a process, and its activity since the last update
 * @client: all its clients
 * @percent: time that engines ran its tasks, relative to one engine
 */
struct top_process {
	struct client client;
	unsigned int percent;
};

/**
 * struct top_operator - an operator of a process, since the last update
 * @kernel: it; its statistics are those since the last update
 * @percent: its time, relative to that between the updates
 * @share: its time, in percent of that of all operators of the process
 * @process: name of the process
 */
struct top_operator {
	struct kernel kernel;
	unsigned int percent;
	unsigned int share;
	char process[PROCESS_NAME_LEN];
};

/**
 * struct top - the contents of the screen
 * @state: the devices, now
 * @histories: history of each device, by its number
 * @looked_ns: time of the last update, 0 before the first
 * @processes: in the selected order
 * @selected: client of the selected process, 0 for the first
 * @first: the process in the first line of the list
 * @shows_operators: show operators instead of processes
 * @kernels: all of them with their totals, as of the last update
 * @has_kernels: the last update included them
 * @operators: those that ended a launch since the last update, by their time
 * @first_operator: the operator in the first line of the list
 * @note: a question or an answer in the last line; empty for the keys
 * @is_utf8: the terminal supports UTF-8
 */
struct top {
	struct state state;
	struct history histories[VNPU_MAX_DEVICES];
	uint64_t looked_ns;
	struct top_process *processes;
	size_t process_count;
	enum top_order order;
	uint64_t selected;
	size_t first;
	bool shows_operators;
	struct kernel_list kernels;
	bool has_kernels;
	struct top_operator *operators;
	size_t operator_count;
	size_t first_operator;
	char note[128];
	bool is_utf8;
	bool has_color;
};

/* Query the driver for the contents of the screen. */
enum smi_exit top_look(struct top *top);
void top_fini(struct top *top);

/* Sort the processes in the selected order. */
void top_sort(struct top *top);

/*
 * Query the driver for the operators; @ns is the time since the last update.
 * top_look() calls it if they are shown.
 */
enum smi_exit top_look_operators(struct top *top, uint64_t ns);

/* Get the clients, combined by process; @list has to be freed in any case. */
enum smi_exit top_clients(struct client_list *list);

/*
 * Print processes or operators @count times, or for ever if it is 0; includes the
 * queries.
 */
enum smi_exit top_batch(struct top *top, const struct table_options *options,
			uint64_t delay_ns, uint32_t count);

/* Get the index of the selected process in the list. */
size_t top_selected(const struct top *top);

/* Initialize after curses; false without memory. */
bool top_draw_init(struct top *top);
void top_draw_fini(void);

/* Get a key of curses, or ERR if none is pressed. */
int top_key(void);
void top_draw(struct top *top);

#endif /* VNPU_SMI_TOP_H */
