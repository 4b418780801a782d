/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi top: what is on the screen, and how it is drawn.
 */
#ifndef VNPU_SMI_TOP_H
#define VNPU_SMI_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "client.h"
#include "model.h"
#include "table.h"

/* As many samples as the widest line has room for. */
#define HISTORY		128

/**
 * struct history - the last samples of a device, in percent
 * @count: how many there have been; the last is at (@count - 1) % HISTORY
 */
struct history {
	unsigned int count;
	uint8_t vector[HISTORY];
	uint8_t memory[HISTORY];
};

enum top_order { TOP_BY_BUSY, TOP_BY_MEMORY, TOP_BY_PEAK, TOP_BY_PID };

/**
 * struct top_process - a process, and what it did since the look before
 * @client: all its clients
 * @percent: how long engines ran its tasks, of the time that one has
 */
struct top_process {
	struct client client;
	unsigned int percent;
};

/**
 * struct top - all that is shown
 * @state: the devices, now
 * @histories: of each device, by its number
 * @looked_ns: when the last look was, 0 before the first
 * @processes: in the order that is wanted
 * @selected: client of the process that is selected, 0 for the first
 * @first: the process in the first line of the list
 * @note: a question or an answer in the last line; empty for the keys
 * @is_utf8: the terminal knows more than ASCII
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
	char note[128];
	bool is_utf8;
	bool has_color;
};

/* Ask the driver for all that is shown. */
enum smi_exit top_look(struct top *top);
void top_fini(struct top *top);

/* Bring the processes into the order that is wanted. */
void top_sort(struct top *top);

/* All clients, those of a process together; @list is to be freed in any case. */
enum smi_exit top_clients(struct client_list *list);

/* Print processes so many times, without end if @count is 0; asks by itself. */
enum smi_exit top_batch(struct top *top, const struct table_options *options,
			uint64_t delay_ns, uint32_t count);

/* Where in the list the selected process is. */
size_t top_selected(const struct top *top);

/* Once the terminal is in curses' hands; false when there is no memory. */
bool top_draw_init(struct top *top);
void top_draw_fini(void);

/* A key of curses, or its ERR when none is pressed. */
int top_key(void);
void top_draw(struct top *top);

#endif /* VNPU_SMI_TOP_H */
