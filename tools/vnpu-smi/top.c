// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi top: devices and processes on the whole screen, until the user
 * quits.  Without a screen, top_batch.c does this.
 */
#include <curses.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "listen.h"
#include "option.h"
#include "text.h"
#include "top.h"

#define NS_PER_S	UINT64_C(1000000000)
#define NS_PER_MS	UINT64_C(1000000)
#define DELAY_MIN	(NS_PER_S / 10)

static const char top_help[] =
"usage: vnpu-smi top [-o] [-d SECONDS]\n"
"       vnpu-smi top -b [-o] [-d SECONDS] [-n COUNT] [OPTION...]\n"
"\n"
"Show the load of devices and processes, with its recent history, and their\n"
"memory on the whole screen.\n"
"\n"
"  -o, --operators  show the operators and kernels that AI cores run for the\n"
"                   processes that this user may see, instead of processes\n"
"  -b, --batch      repeatedly print a line for each process or operator\n"
"                   instead; the options below imply it\n"
"  -n, --count N    end after N updates\n"
TABLE_HELP
"  -d, --delay S    seconds between two updates, at least 0.1; 1 by default\n"
"  -h, --help       print this and exit\n"
"\n"
"JSON is one object per line.\n"
"\n"
"Keys: q quits; up, down, page up, page down, home and end select a process; k\n"
"ends it after confirmation; b, m, g and p sort by busy time, memory, peak and\n"
"pid; o shows operators, or processes again.\n";

/**
 * struct run - the state apart from the screen
 * @delay_ns: time between two updates
 * @kept: standard error, while curses has the screen
 * @said: messages that were written in the meantime, and
 * @said_size: their size
 */
struct run {
	struct top top;
	uint64_t delay_ns;
	FILE *kept;
	char *said;
	size_t said_size;
};

/* Wait for a key; false when the terminal is gone. */
static bool wait_for_key(uint64_t until_ns)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = clock_ns();
	int ms = until_ns > now ?
		 (int)((until_ns - now + NS_PER_MS - 1) / NS_PER_MS) : 0;

	/* Interrupted, when the size of the terminal has changed. */
	if (poll(&in, 1, ms) < 0)
		return errno == EINTR;
	return !(in.revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Get the answer to a question; no if the terminal is gone. */
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
 * Check whether the pidfd is still that of the client.  While the client exists
 * with its pid, no other process can have that pid.
 */
static bool is_still_there(const struct client *c, int fd)
{
	struct client_list list;
	bool found = false;
	size_t i;

	if (!top_clients(&list))
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
		snprintf(top->note, sizeof(top->note), "nothing was changed");
	else if (!is_still_there(&c, fd))
		snprintf(top->note, sizeof(top->note), "the process has ended already");
	else if (pidfd_send_signal(fd, SIGTERM, NULL, 0))
		snprintf(top->note, sizeof(top->note), "%s", strerror(errno));
	else
		snprintf(top->note, sizeof(top->note),
			 "SIGTERM was sent to process %u", c.pid);
	close(fd);
}

static void scroll_operators_by(struct top *top, long step)
{
	long to = (long)top->first_operator + step;

	if (to >= (long)top->operator_count)
		to = (long)top->operator_count - 1;
	top->first_operator = to > 0 ? (size_t)to : 0;
}

static void select_by(struct top *top, long step)
{
	long to = (long)top_selected(top) + step;

	if (top->shows_operators) {
		scroll_operators_by(top, step);
		return;
	}
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
	top_sort(top);
}

/* Handle a key; false for the key that quits. */
static bool take_key(struct top *top, int key)
{
	top->note[0] = '\0';
	switch (key) {
	case 'q':
	case 'Q':
		return false;
	case 'k':
		if (!top->shows_operators)
			kill_selected(top);
		break;
	case 'o':
		top->shows_operators = !top->shows_operators;
		top->first_operator = 0;
		top->operator_count = 0;
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
		select_by(top, -INT_MAX);
		break;
	case KEY_END:
		select_by(top, INT_MAX);
		break;
	}
	return true;
}

/* Failures of later updates are not reported. */
static enum smi_exit look(struct top *top)
{
	rewind(stderr);
	return top_look(top);
}

static enum smi_exit show_until_quit(struct run *run)
{
	struct top *top = &run->top;
	enum smi_exit status;

	status = look(top);
	while (!status) {
		int key;

		top_draw(top);
		if (!wait_for_key(top->looked_ns + run->delay_ns))
			return SMI_OK;
		while ((key = top_key()) != ERR)
			if (!take_key(top, key))
				return SMI_OK;
		if (clock_ns() >= top->looked_ns + run->delay_ns)
			status = look(top);
	}
	return status;
}

/* Keep messages until the screen is restored. */
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
		return fail(SMI_FAILED, "cannot use this terminal; check TERM");
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

static enum smi_exit show_on_screen(struct run *run)
{
	enum smi_exit status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return fail(SMI_USAGE,
			    "top needs a terminal; 'vnpu-smi top --batch' does not");
	status = keep_messages(run);
	if (status)
		return status;
	status = run_on_screen(run);
	tell_messages(run);
	return status;
}

struct top_request {
	bool is_batch;
	bool shows_operators;
	struct option_seconds delay;
	struct option_number count;
	struct table_options table;
};

static bool is_batch(const struct top_request *r)
{
	return r->is_batch || r->count.is_given || r->table.is_json ||
	       r->table.format || r->table.fields;
}

static enum smi_exit check_request(const struct top_request *r)
{
	if (r->delay.ns < DELAY_MIN || r->delay.ns > 3600 * NS_PER_S)
		return fail(SMI_USAGE, "the delay must be 0.1 to 3600 seconds");
	if (r->count.is_given && !r->count.value)
		return fail(SMI_USAGE, "count 0 is invalid; use at least 1");
	return SMI_OK;
}

enum smi_exit cmd_top(int argc, char **argv)
{
	struct top_request request = { .delay.ns = NS_PER_S };
	const struct smi_option options[] = {
		{ 'b', "batch", OPTION_FLAG, &request.is_batch },
		{ 'o', "operators", OPTION_FLAG, &request.shows_operators },
		{ 'd', "delay", OPTION_SECONDS, &request.delay },
		{ 'n', "count", OPTION_NUMBER, &request.count },
		TABLE_OPTIONS(&request.table),
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
	status = check_request(&request);
	if (status)
		return status;
	run.top.shows_operators = request.shows_operators;
	if (is_batch(&request)) {
		status = top_batch(&run.top, &request.table, request.delay.ns,
				   request.count.value);
	} else {
		run.delay_ns = request.delay.ns;
		status = show_on_screen(&run);
	}
	top_fini(&run.top);
	return status;
}
