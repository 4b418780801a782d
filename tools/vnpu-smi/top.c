// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi top: devices and processes on the whole screen, until one quits.
 */
#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include <linux/vnpu_netlink.h>

#include "collect.h"
#include "info.h"
#include "listen.h"
#include "option.h"
#include "text.h"
#include "top.h"

#define NS_PER_S	UINT64_C(1000000000)
#define NS_PER_MS	UINT64_C(1000000)
#define DELAY_MIN	(NS_PER_S / 10)

static const char top_help[] =
"usage: vnpu-smi top [-d SECONDS]\n"
"\n"
"Show devices and processes on the whole screen: how busy they are and were, and\n"
"their memory.\n"
"\n"
"  -d, --delay S    seconds between two looks, 0.1 and more; 1 if not said\n"
"  -h, --help       print this and exit\n"
"\n"
"Keys: q quits; up, down, page up, page down, home and end select a process; k\n"
"asks whether to end it; b, m, g and p sort by busy time, memory, peak and pid.\n";

/**
 * struct run - what is not drawn
 * @delay_ns: between two looks
 * @looked_ns: when the last was
 * @kept: standard error, while the screen is not ours to write to
 * @said: what was written there instead, and
 * @said_size: how much
 */
struct run {
	struct top top;
	uint64_t delay_ns;
	uint64_t looked_ns;
	FILE *kept;
	char *said;
	size_t said_size;
};

size_t top_selected(const struct top *top)
{
	size_t i;

	for (i = 0; i < top->process_count; i++)
		if (top->processes[i].client.id == top->selected)
			return i;
	return 0;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

/* Largest first but for pids; those alike stay in the order of their clients. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct top_process *x = a, *y = b;
	const struct top *top = arg;
	int order = 0;

	switch (top->order) {
	case TOP_BY_BUSY:
		order = compare_u64(x->percent, y->percent);
		break;
	case TOP_BY_MEMORY:
		order = compare_u64(x->client.mem_used, y->client.mem_used);
		break;
	case TOP_BY_PEAK:
		order = compare_u64(x->client.mem_peak, y->client.mem_peak);
		break;
	case TOP_BY_PID:
		order = -compare_u64(x->client.pid, y->client.pid);
		break;
	}
	return order ? order : -compare_u64(x->client.id, y->client.id);
}

static void sort_processes(struct top *top)
{
	if (top->process_count)
		qsort_r(top->processes, top->process_count,
			sizeof(*top->processes), compare, top);
}

static const struct top_process *find_process(const struct top *top,
					      uint64_t client)
{
	size_t i;

	for (i = 0; i < top->process_count; i++)
		if (top->processes[i].client.id == client)
			return &top->processes[i];
	return NULL;
}

/* In the place of the processes before; @ns is how long ago they were seen. */
static bool set_processes(struct top *top, const struct client_list *list,
			  uint64_t ns)
{
	struct top_process *new = calloc(list->count + 1, sizeof(*new));
	size_t i;

	if (!new)
		return false;
	for (i = 0; i < list->count; i++) {
		const struct client *c = &list->items[i];
		const struct top_process *old = find_process(top, c->id);

		new[i].client = *c;
		/* A process with several clients may have lost one. */
		if (old && ns && c->busy_ns > old->client.busy_ns)
			new[i].percent = (unsigned int)
				((c->busy_ns - old->client.busy_ns) * 100 / ns);
	}
	free(top->processes);
	top->processes = new;
	top->process_count = list->count;
	sort_processes(top);
	return true;
}

static void add_history(struct top *top)
{
	size_t i;

	for (i = 0; i < top->state.devices.count; i++) {
		const struct device *d = &top->state.devices.items[i];
		struct history *h;

		if (d->id >= VNPU_MAX_DEVICES)
			continue;
		h = &top->histories[d->id];
		h->vector[h->count % HISTORY] = (uint8_t)
			d->engines[VNPU_ENGINE_CLASS_VECTOR].percent;
		h->memory[h->count % HISTORY] = (uint8_t)
			info_percent(d->mem_used, d->mem_total);
		h->count++;
	}
}

static enum smi_exit collect_clients(struct client_list *list)
{
	const struct client_filter filter = { 0 };
	enum smi_exit status;
	struct session s;

	*list = (struct client_list){ 0 };
	status = session_open(&s);
	if (status)
		return status;
	status = client_list_collect(list, &s, &filter);
	session_close(&s);
	if (!status)
		client_list_join(list);
	return status;
}

static enum smi_exit look(struct run *run)
{
	struct top *top = &run->top;
	struct state before = top->state;
	uint64_t now = clock_ns();
	struct client_list list;
	enum smi_exit status;

	rewind(stderr);
	status = collect(&top->state, 0);
	state_set_usage(&top->state, &before);
	state_fini(&before);
	if (status)
		return status;
	status = collect_clients(&list);
	if (!status && !set_processes(top, &list, run->looked_ns ?
				      now - run->looked_ns : 0))
		status = fail(SMI_FAILED, "out of memory");
	client_list_fini(&list);
	add_history(top);
	run->looked_ns = now;
	return status;
}

/* False when the terminal is gone. */
static bool wait_for_key(uint64_t until_ns)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = clock_ns();
	int ms = until_ns > now ?
		 (int)((until_ns - now + NS_PER_MS - 1) / NS_PER_MS) : 0;

	/* Interrupted, when the terminal has got another size. */
	if (poll(&in, 1, ms) < 0)
		return errno == EINTR;
	return !(in.revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* An answer to a question; it is no if the terminal is gone. */
static bool ask(struct top *top)
{
	int key = ERR;

	top_draw(top);
	while (key == ERR || key == KEY_RESIZE) {
		if (!wait_for_key(clock_ns() + NS_PER_S))
			return false;
		key = top_key();
		if (key == KEY_RESIZE)
			top_draw(top);
	}
	return key == 'y' || key == 'Y';
}

/*
 * Is the process behind the pidfd still that of the client?  While the client
 * is there with its pid, nobody else has got that pid.
 */
static bool is_still_there(const struct client *c, int fd)
{
	struct client_list list;
	bool found = false;
	size_t i;

	if (!collect_clients(&list))
		for (i = 0; i < list.count; i++)
			if (list.items[i].id == c->id &&
			    list.items[i].pid == c->pid)
				found = true;
	client_list_fini(&list);
	return found && !pidfd_send_signal(fd, 0, NULL, 0);
}

static void kill_selected(struct top *top)
{
	struct client c;
	char name[TEXT_MAX];
	int fd;

	if (!top->process_count)
		return;
	c = top->processes[top_selected(top)].client;
	fd = c.pid ? pidfd_open((pid_t)c.pid, 0) : -1;
	if (fd < 0) {
		snprintf(top->note, sizeof(top->note), "%s",
			 c.pid ? strerror(errno) :
				 "the process is not visible here");
		return;
	}
	text_clean(name, sizeof(name), c.name);
	snprintf(top->note, sizeof(top->note),
		 "End process %u, %.20s, by SIGTERM? (y/n)", c.pid, name);
	if (!ask(top))
		snprintf(top->note, sizeof(top->note), "nothing was done");
	else if (!is_still_there(&c, fd))
		snprintf(top->note, sizeof(top->note), "it is gone already");
	else if (pidfd_send_signal(fd, SIGTERM, NULL, 0))
		snprintf(top->note, sizeof(top->note), "%s", strerror(errno));
	else
		snprintf(top->note, sizeof(top->note),
			 "SIGTERM was sent to process %u", c.pid);
	close(fd);
}

static void select_by(struct top *top, long step)
{
	long to = (long)top_selected(top) + step;

	if (!top->process_count)
		return;
	if (to >= (long)top->process_count)
		to = (long)top->process_count - 1;
	if (to < 0)
		to = 0;
	top->selected = top->processes[to].client.id;
}

static void sort_by(struct top *top, enum top_order order)
{
	top->order = order;
	sort_processes(top);
}

/* False for the key that quits. */
static bool take_key(struct top *top, int key)
{
	top->note[0] = '\0';
	switch (key) {
	case 'q':
	case 'Q':
		return false;
	case 'k':
		kill_selected(top);
		break;
	case 'b':
		sort_by(top, TOP_BY_BUSY);
		break;
	case 'm':
		sort_by(top, TOP_BY_MEMORY);
		break;
	case 'g':
		sort_by(top, TOP_BY_PEAK);
		break;
	case 'p':
		sort_by(top, TOP_BY_PID);
		break;
	case KEY_UP:
		select_by(top, -1);
		break;
	case KEY_DOWN:
		select_by(top, 1);
		break;
	case KEY_PPAGE:
		select_by(top, -LINES / 2);
		break;
	case KEY_NPAGE:
		select_by(top, LINES / 2);
		break;
	case KEY_HOME:
		select_by(top, -(long)top->process_count);
		break;
	case KEY_END:
		select_by(top, (long)top->process_count);
		break;
	}
	return true;
}

static enum smi_exit show_until_quit(struct run *run)
{
	struct top *top = &run->top;
	enum smi_exit status;

	status = look(run);
	while (!status) {
		int key;

		top_draw(top);
		if (!wait_for_key(run->looked_ns + run->delay_ns))
			return SMI_OK;
		while ((key = top_key()) != ERR)
			if (!take_key(top, key))
				return SMI_OK;
		if (clock_ns() >= run->looked_ns + run->delay_ns)
			status = look(run);
	}
	return status;
}

/* Messages wait until the screen is what it was before. */
static enum smi_exit keep_messages(struct run *run)
{
	FILE *messages = open_memstream(&run->said, &run->said_size);

	if (!messages)
		return fail(SMI_FAILED, "out of memory");
	run->kept = stderr;
	stderr = messages;
	return SMI_OK;
}

static void tell_messages(struct run *run)
{
	fclose(stderr);
	stderr = run->kept;
	fwrite(run->said, 1, run->said_size, stderr);
	free(run->said);
}

static enum smi_exit run_on_screen(struct run *run)
{
	SCREEN *screen = newterm(NULL, stdout, stdin);
	enum smi_exit status;

	if (!screen)
		return fail(SMI_FAILED, "cannot use this terminal; is TERM right?");
	cbreak();
	noecho();
	curs_set(0);
	if (top_draw_init(&run->top)) {
		status = show_until_quit(run);
		top_draw_fini();
	} else {
		status = fail(SMI_FAILED, "out of memory");
	}
	endwin();
	delscreen(screen);
	return status;
}

enum smi_exit cmd_top(int argc, char **argv)
{
	struct option_seconds delay = { .ns = NS_PER_S };
	const struct smi_option options[] = {
		{ 'd', "delay", OPTION_SECONDS, &delay },
		{ 0 }
	};
	static struct run run;
	bool wants_help = false;
	enum smi_exit status;

	status = parse_options("top", options, NULL, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(top_help, stdout);
		return finish_output(stdout);
	}
	if (delay.ns < DELAY_MIN || delay.ns > 3600 * NS_PER_S)
		return fail(SMI_USAGE, "a delay is 0.1 to 3600 seconds");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return fail(SMI_USAGE,
			    "top needs a terminal; 'vnpu-smi info watch' does not");
	run.delay_ns = delay.ns;
	status = keep_messages(&run);
	if (status)
		return status;
	status = run_on_screen(&run);
	tell_messages(&run);
	free(run.top.processes);
	state_fini(&run.top.state);
	return status;
}
