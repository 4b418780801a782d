// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands and intermediate files.  Intermediate files are in a directory of
 * their own, which is removed when the process exits.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"
#include "text.h"

extern char **environ;

static const struct options *opt;
static char *directory;
static sigset_t open_mask, closed_mask;
static pid_t child;

static void remove_all(void)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(directory);
}

/*
 * A signal that ends the process.  It is blocked except while run() waits for a
 * command, so all functions may be called here, and the child has not been reaped.
 * The child is ended first, as it would write into the directory.
 */
static void stop(int number)
{
	kill(child, SIGTERM);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	remove_all();
	signal(number, SIG_DFL);
	raise(number);
	sigprocmask(SIG_SETMASK, &open_mask, NULL);
}

static void block_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = stop };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&closed_mask, signals[i]);
	action.sa_mask = closed_mask;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction old;

		/* nohup and shells let a process ignore signals. */
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	sigprocmask(SIG_SETMASK, &closed_mask, NULL);
}

/**
 * run_init() - make the directory
 * @options: the command line; lives on
 */
void run_init(const struct options *options)
{
	const char *base = getenv("TMPDIR");

	opt = options;
	sigprocmask(SIG_SETMASK, NULL, &open_mask);
	closed_mask = open_mask;
	if (options->is_kept) {
		directory = xasprintf(".");
		return;
	}
	directory = xasprintf("%s/vnpu-cc-XXXXXX", base && *base ? base :
			      "/tmp");
	if (!mkdtemp(directory))
		die("cannot make %s: %s", directory, strerror(errno));
	block_signals();
	atexit(remove_all);
}

/**
 * temporary() - name an intermediate file
 * @base: a path; its last component begins the name
 * @suffix: the end of the name
 *
 * Return: its path.
 */
char *temporary(const char *base, const char *suffix)
{
	const char *slash = strrchr(base, '/');

	return xasprintf("%s/%s%s", directory, slash ? slash + 1 : base,
			 suffix);
}

/* For a shell, as g++ -### does. */
static void print(const struct list *command)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"_-+=:,./@%^";

	for (size_t i = 0; i < command->count; i++) {
		const char *word = command->at[i];

		if (*word && !word[strspn(word, plain)]) {
			fprintf(stderr, " %s", word);
			continue;
		}
		fputs(" '", stderr);
		for (; *word; word++)
			fputs(*word == '\'' ? "'\\''" :
			      (char[]){ *word, '\0' }, stderr);
		fputc('\'', stderr);
	}
	fputc('\n', stderr);
}

static void wait_child(const char *name)
{
	siginfo_t info;
	int status, err;

	sigprocmask(SIG_SETMASK, &open_mask, NULL);
	do {
		err = waitid(P_PID, child, &info, WEXITED | WNOWAIT);
	} while (err < 0 && errno == EINTR);
	sigprocmask(SIG_SETMASK, &closed_mask, NULL);
	if (err < 0 || waitpid(child, &status, 0) < 0)
		die("cannot wait for %s: %s", name, strerror(errno));
	if (WIFSIGNALED(status))
		die("%s was killed by signal %d", name, WTERMSIG(status));
	if (WEXITSTATUS(status))
		exit(WEXITSTATUS(status));
}

/**
 * run() - run a command and wait for it; exit if it fails, as it has said why
 * @command: program and arguments
 */
void run(const struct list *command)
{
	posix_spawnattr_t attributes;
	int err;

	if (opt->is_verbose)
		print(command);
	if (opt->is_dry)
		return;
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &open_mask);
	err = posix_spawnp(&child, command->at[0], NULL, &attributes,
			   (char * const *)command->at, environ);
	posix_spawnattr_destroy(&attributes);
	if (err)
		die("cannot run %s: %s", command->at[0], strerror(err));
	wait_child(command->at[0]);
}
