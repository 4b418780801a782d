// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi top: the screen, which may be of any size.
 */
#include <curses.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/vnpu_netlink.h>

#include "text.h"
#include "top.h"

enum { COLOR_GOOD = 1, COLOR_BAD, COLOR_HEAD };

/*
 * Everything is drawn on a pad that is larger than any screen, so that a line
 * that is too long is truncated and does not wrap.
 */
static WINDOW *pad;

#define PAD_LINES	256
#define PAD_COLUMNS	512

/* Width of a device's line without its two histories. */
#define DEVICE_FIXED	52
#define PICTURE_MIN	6

/* Width of a process's column of devices, with the end of the string. */
#define DEVICES_TEXT	9

bool top_draw_init(struct top *top)
{
	pad = newpad(PAD_LINES, PAD_COLUMNS);
	if (!pad)
		return false;
	keypad(pad, TRUE);
	nodelay(pad, TRUE);
	top->is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	top->has_color = !getenv("NO_COLOR") && has_colors() &&
			 start_color() == OK && use_default_colors() == OK;
	if (top->has_color) {
		init_pair(COLOR_GOOD, COLOR_GREEN, -1);
		init_pair(COLOR_BAD, COLOR_RED, -1);
		init_pair(COLOR_HEAD, COLOR_CYAN, -1);
	}
	return true;
}

void top_draw_fini(void)
{
	delwin(pad);
}

int top_key(void)
{
	return wgetch(pad);
}

static void color(const struct top *top, int pair, bool is_on)
{
	if (!top->has_color)
		return;
	if (is_on)
		wattron(pad, COLOR_PAIR(pair));
	else
		wattroff(pad, COLOR_PAIR(pair));
}

/* Draw the last @width samples; missing ones are blank. */
static void draw_history(const struct top *top, const struct history *h,
			 const uint8_t *samples, int width)
{
	static const char *const blocks[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};
	static const char *const marks[] = {
		" ", ".", ".", ":", "-", "=", "+", "*", "#"
	};
	const char *const *levels = top->is_utf8 ? blocks : marks;
	int i;

	for (i = width - 1; i >= 0; i--) {
		unsigned int percent;

		if ((unsigned int)i >= h->count) {
			waddch(pad, ' ');
			continue;
		}
		percent = samples[(h->count - 1 - (unsigned int)i) % HISTORY];
		waddstr(pad, levels[(percent * 8 + 99) / 100]);
	}
}

static void draw_device(const struct top *top, int line,
			const struct device *d)
{
	static const struct history none;
	const struct history *h = d->id < VNPU_MAX_DEVICES ?
				  &top->histories[d->id] : &none;
	bool is_good = d->health == VNPU_HEALTH_OK;
	int width = (COLS - DEVICE_FIXED) / 2;
	char used[SIZE_TEXT], total[SIZE_TEXT];

	if (width > HISTORY)
		width = HISTORY;
	if (width < PICTURE_MIN)
		width = 0;
	format_size(used, d->mem_used);
	format_size(total, d->mem_total);
	mvwprintw(pad, line, 0, "%3" PRIu32 " ", d->id);
	color(top, is_good ? COLOR_GOOD : COLOR_BAD, true);
	wprintw(pad, "%-8s", health_word(d->health));
	color(top, is_good ? COLOR_GOOD : COLOR_BAD, false);
	wprintw(pad, " vec %3u%% ", device_aicore_percent(d));
	draw_history(top, h, h->vector, width);
	wprintw(pad, " cpy %3u%%", d->engines[VNPU_ENGINE_CLASS_COPY].percent);
	wprintw(pad, " mem %5s/%5s ", used, total);
	draw_history(top, h, h->memory, width);
}

static void draw_head(const struct top *top)
{
	time_t now = time(NULL);
	char clock[16];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	wattron(pad, A_BOLD);
	mvwprintw(pad, 0, 0, "vnpu-smi top  %s  %zu device%s, %zu process%s", clock,
		 top->state.devices.count,
		 top->state.devices.count == 1 ? "" : "s", top->process_count,
		 top->process_count == 1 ? "" : "es");
	wattroff(pad, A_BOLD);
}

static void draw_process_head(const struct top *top, int line)
{
	static const char *const sorted[] = {
		[TOP_BY_BUSY] = "Busy%",
		[TOP_BY_MEMORY] = "Mem(MB)",
		[TOP_BY_PEAK] = "Peak(MB)",
		[TOP_BY_PID] = "Pid",
	};

	wattron(pad, A_REVERSE);
	color(top, COLOR_HEAD, true);
	mvwhline(pad, line, 0, ' ', COLS);
	mvwprintw(pad, line, 0, "%-8s %-8s %-8s %8s %8s %6s %7s %-15s", "Pid",
		 "Uid", "Dev", "Mem(MB)", "Peak(MB)", "Busy%", "Streams",
		 "Name");
	color(top, COLOR_HEAD, false);
	wattroff(pad, A_REVERSE);
	if (line + 1 < LINES && COLS > 20)
		mvwprintw(pad, line - 1, 0, "by %s", sorted[top->order]);
}

/* List the numbers of devices, with "+" if some do not fit. */
static void format_devices(char text[DEVICES_TEXT], uint64_t bits)
{
	size_t used = 0;
	unsigned int i;

	text[0] = '\0';
	for (i = 0; bits; i++, bits >>= 1) {
		size_t room = DEVICES_TEXT - used - (bits > 1);
		char next[DEVICES_TEXT];
		size_t length;

		if (!(bits & 1))
			continue;
		length = (size_t)snprintf(next, sizeof(next), "%s%u",
					  used ? "," : "", i);
		if (length >= room) {
			strcpy(text + used, "+");
			return;
		}
		strcpy(text + used, next);
		used += length;
	}
}

static void draw_process(int line, const struct top_process *p,
			 bool is_selected)
{
	const struct client *c = &p->client;
	char name[TEXT_MAX], devices[DEVICES_TEXT];

	text_clean(name, sizeof(name), c->name);
	format_devices(devices, c->devices);
	if (is_selected)
		wattron(pad, A_REVERSE);
	mvwprintw(pad, line, 0, "%-8" PRIu32 " %-8" PRIu32 " %-8s %8" PRIu64
		 " %8" PRIu64 " %6u %7" PRIu32 " %-15s",
		 c->pid ? c->pid : c->host_pid, c->uid, devices,
		 c->mem_used >> 20, c->mem_peak >> 20, p->percent, c->streams,
		 *name ? name : "NA");
	if (is_selected)
		wattroff(pad, A_REVERSE);
}

/* Scroll so that the selected process is visible. */
static void scroll_to_selected(struct top *top, size_t room)
{
	size_t selected = top_selected(top);

	if (selected < top->first)
		top->first = selected;
	if (room && selected >= top->first + room)
		top->first = selected - room + 1;
	if (top->first >= top->process_count)
		top->first = 0;
}

static void draw_processes(struct top *top, int line, int end)
{
	size_t room = end > line ? (size_t)(end - line) : 0;
	size_t selected, i;

	scroll_to_selected(top, room);
	selected = top_selected(top);
	for (i = 0; i < room && top->first + i < top->process_count; i++)
		draw_process(line + (int)i, &top->processes[top->first + i],
			     top->first + i == selected);
	if (!top->process_count && room)
		mvwaddstr(pad, line, 0, "no process uses a device");
}

static void draw_operator_head(const struct top *top, int line)
{
	wattron(pad, A_REVERSE);
	color(top, COLOR_HEAD, true);
	mvwhline(pad, line, 0, ' ', COLS);
	mvwprintw(pad, line, 0, "%-8s %3s %-24s %8s %8s %6s %6s %-10s", "Pid",
		  "Dev", "Operator", "Launches", "Time(ms)", "Busy%", "Share%",
		  "Name");
	color(top, COLOR_HEAD, false);
	wattroff(pad, A_REVERSE);
	if (line + 1 < LINES && COLS > 20)
		mvwaddstr(pad, line - 1, 0, "operators by time");
}

static void draw_operator(int line, const struct top_operator *o)
{
	const struct kernel *k = &o->kernel;
	char name[TEXT_MAX], process[TEXT_MAX];

	text_clean(name, sizeof(name), k->name);
	text_clean(process, sizeof(process), o->process);
	mvwprintw(pad, line, 0, "%-8" PRIu32 " %3" PRIu32 " %-24.24s %8" PRIu64
		  " %8" PRIu64 " %6u %6u %-10s", k->pid, k->device,
		  *name ? name : "NA", k->launches, k->busy_ns / 1000000,
		  o->percent, o->share, *process ? process : "NA");
}

static void draw_operators(const struct top *top, int line, int end)
{
	size_t i;

	for (i = top->first_operator; line < end && i < top->operator_count; i++)
		draw_operator(line++, &top->operators[i]);
	if (!top->operator_count && line < end)
		mvwaddstr(pad, line, 0,
			  "no operator has ended since the last update");
}

/* Devices that do not fit are only counted, to leave room for processes. */
static int draw_devices(const struct top *top, int line)
{
	size_t room = LINES > 12 ? (size_t)(LINES - 8) / 2 + 1 : 2;
	size_t count = top->state.devices.count, i;
	bool fits = count <= room;

	if (!fits)
		count = room - 1;
	for (i = 0; i < count; i++)
		draw_device(top, line++, &top->state.devices.items[i]);
	if (!fits)
		mvwprintw(pad, line++, 0, "    and %zu more devices",
			 top->state.devices.count - count);
	return line;
}

void top_draw(struct top *top)
{
	const char *keys;
	int line;

	werase(pad);
	draw_head(top);
	line = draw_devices(top, 1) + 1;
	if (top->shows_operators) {
		draw_operator_head(top, line++);
		draw_operators(top, line, LINES - 1);
		keys = "q quit  up/down scroll  o processes";
	} else {
		draw_process_head(top, line++);
		draw_processes(top, line, LINES - 1);
		keys = "q quit  up/down select  k kill  o operators  "
		       "sort: b busy m memory g peak p pid";
	}
	wmove(pad, LINES - 1, 0);
	wclrtoeol(pad);
	waddstr(pad, *top->note ? top->note : keys);
	pnoutrefresh(pad, 0, 0, 0, 0,
		     (LINES < PAD_LINES ? LINES : PAD_LINES) - 1,
		     (COLS < PAD_COLUMNS ? COLS : PAD_COLUMNS) - 1);
	doupdate();
}
