// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: see what the devices do.
 *
 * It keeps the command line and the output that scripts for Ascend's npu-smi
 * expect.  main.c finds the verb, collect.c asks the driver once, the verb
 * prints what was collected; errors are one line on standard error.
 */
#include <locale.h>
#include <string.h>

#include "cmd.h"
#include "version.h"

static const struct command commands[] = {
	{ "info", "show the devices, their memory and who uses it", cmd_info },
	{ "frag", "tell whether an allocation would find room", cmd_frag },
	{ "events", "print what happens, as it does", cmd_events },
	{ "proc", "show the processes that use the devices, or did", cmd_proc },
	{ "top", "show devices and processes on the whole screen", cmd_top },
	{ "wait", "wait for free memory, or for an idle device", cmd_wait },
	{ "health", "tell whether the devices are well", cmd_health },
	{ "set", "change what a device does", cmd_set },
	{ "snapshot", "write down what devices and clients have",
	  cmd_snapshot },
	{ "diff", "tell what has changed since a snapshot", cmd_diff },
	{ "trace", "record what engines and streams do", cmd_trace },
	{ "coredump", "show what a device was at when it was reset",
	  cmd_coredump },
	{ "exporter", "tell Prometheus how the devices are", cmd_exporter },
	{ "device", "add a device, or take one away", cmd_device },
	{ "inject", "have a device do what it should not", cmd_inject },
};

#define COMMAND_COUNT	(sizeof(commands) / sizeof(commands[0]))

static enum smi_exit print_help(void)
{
	size_t i;

	puts("usage: vnpu-smi COMMAND [OPTION...]\n"
	     "       vnpu-smi -h|--help | -v|--version\n"
	     "\n"
	     "commands ('vnpu-smi COMMAND --help' tells their options):");
	for (i = 0; i < COMMAND_COUNT; i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].summary);
	puts("\n"
	     "exit status:\n"
	     "  0  success\n"
	     "  1  the command line is wrong\n"
	     "  2  the vnpu driver is not loaded\n"
	     "  3  there is no such device or chip\n"
	     "  4  no permission\n"
	     "  5  a device is not healthy\n"
	     "  6  the driver did not answer in time, or what is waited for did\n"
	     "     not come\n"
	     "  7  any other failure\n"
	     "  8  diff --fail-on-leak has found a leak");
	return finish_output(stdout);
}

static enum smi_exit print_version(void)
{
	/* In npu-smi's words. */
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

	/* For the width of characters alone: numbers stay as they are. */
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
