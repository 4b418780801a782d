// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: show and manage the devices.
 *
 * It has the command line and the output that scripts for Ascend's npu-smi
 * expect. main.c finds the command, collect.c queries the driver once, and the
 * command prints the result; errors are one line on standard error.
 */
#include <locale.h>
#include <string.h>

#include "cmd.h"
#include "version.h"

static const struct command commands[] = {
	{ "info", "show the devices, their memory and its users", cmd_info },
	{ "frag", "check whether an allocation would fit", cmd_frag },
	{ "events", "print events as they occur", cmd_events },
	{ "proc", "show the processes that use the devices, or did", cmd_proc },
	{ "hccl", "show the communicators of HCCL and their ranks", cmd_hccl },
	{ "top", "show devices and processes on the whole screen", cmd_top },
	{ "wait", "wait for free memory, or for an idle device", cmd_wait },
	{ "health", "check whether the devices are healthy", cmd_health },
	{ "set", "change the behaviour of a device", cmd_set },
	{ "snapshot", "write the state of devices and clients to a file",
	  cmd_snapshot },
	{ "diff", "show the changes since a snapshot", cmd_diff },
	{ "trace", "record the activity of engines and streams", cmd_trace },
	{ "coredump", "show the state of a device at its reset",
	  cmd_coredump },
	{ "exporter", "export metrics to Prometheus", cmd_exporter },
	{ "device", "add or remove a device", cmd_device },
	{ "inject", "inject faults into a device", cmd_inject },
};

#define COMMAND_COUNT	(sizeof(commands) / sizeof(commands[0]))

static enum smi_exit print_help(void)
{
	size_t i;

	puts("usage: vnpu-smi COMMAND [OPTION...]\n"
	     "       vnpu-smi -h|--help | -v|--version\n"
	     "\n"
	     "commands ('vnpu-smi COMMAND --help' shows their options):");
	for (i = 0; i < COMMAND_COUNT; i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].summary);
	puts("\n"
	     "exit status:\n"
	     "  0  success\n"
	     "  1  the command line is invalid\n"
	     "  2  the vnpu driver is not loaded\n"
	     "  3  there is no such device or chip\n"
	     "  4  no permission\n"
	     "  5  a device is not healthy\n"
	     "  6  the driver did not answer in time, or the awaited condition\n"
	     "     was not met in time\n"
	     "  7  any other failure\n"
	     "  8  diff --fail-on-leak has found a leak");
	return finish_output(stdout);
}

static enum smi_exit print_version(void)
{
	/* The words of npu-smi. */
	puts("vnpu-smi version: " VNPU_VERSION);
	return finish_output(stdout);
}

static enum smi_exit run_option(int argc, char **argv)
{
	bool is_help = !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help");

	if (!is_help && strcmp(argv[1], "-v") && strcmp(argv[1], "--version"))
		return fail(SMI_USAGE,
			    "option '%s' is unknown; see 'vnpu-smi --help'",
			    argv[1]);
	if (argc > 2)
		return fail(SMI_USAGE, "unexpected argument '%s'", argv[2]);
	return is_help ? print_help() : print_version();
}

int main(int argc, char **argv)
{
	size_t i;

	/* Only for the width of characters: numbers do not change. */
	setlocale(LC_CTYPE, "");

	if (argc < 2)
		return fail(SMI_USAGE,
			    "no command is given; see 'vnpu-smi --help'");
	if (argv[1][0] == '-')
		return run_option(argc, argv);
	for (i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(commands[i].name, argv[1]))
			return commands[i].run(argc - 1, argv + 1);
	return fail(SMI_USAGE, "unknown command '%s'; see 'vnpu-smi --help'",
		    argv[1]);
}
