// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-prof, also msprof: runs a program and writes what the devices did as
 * tables, and says what limits its speed.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyse.h"
#include "export.h"
#include "report.h"

enum prof_exit {
	PROF_OK,
	PROF_USAGE,
	PROF_REFUSED,
	PROF_FAILED,
};

enum option_value {
	OPT_APPLICATION = 256,
	OPT_OUTPUT,
	OPT_EXPORT,
	OPT_ANALYSIS,
	OPT_BOTTLENECK,
	OPT_RECOMMEND,
	OPT_THRESHOLD,
	OPT_METRICS,
	OPT_DURATION,
	OPT_IGNORED,
};

struct options {
	char *application, **argv;
	const char *output;
	bool is_export;
	const char *analysis, *bottleneck, *recommend;
	double threshold;
	enum metrics metrics;
	double duration;	/* seconds; 0 for no limit */
};

static const char help[] =
"usage: %1$s [--output=DIR] PROGRAM [ARGUMENT...]\n"
"       %1$s --application=\"PROGRAM ARGUMENT...\" [--output=DIR]\n"
"       %1$s --export=on --output=PROF_DIR\n"
"       %1$s --analysis=PROF_DIR [--output=REPORT.html]\n"
"       %1$s --bottleneck=PROF_DIR [--threshold=PERCENT]\n"
"       %1$s --recommend=PROF_DIR\n"
"       %1$s -h|--help | -v|--version\n"
"\n"
"Run a program, record the tasks of its devices in DIR/PROF_*, and write tables\n"
"of operators and tasks there; or read such a directory again.\n"
"\n"
"options:\n"
"  --application=COMMAND   the program to run, with its arguments\n"
"  --output=DIR            directory for PROF_*, or to export (.); the report\n"
"  --export=on             write the tables of PROF_DIR again\n"
"  --analysis=PROF_DIR     print how each device spent its time; with\n"
"                          --output, write it as a web page\n"
"  --bottleneck=PROF_DIR   print what limits the speed; exit with 0 in any case\n"
"  --threshold=PERCENT     share of time from which it does (90 for memory, 70\n"
"                          for cores, 30 for communication, 15 for scheduling)\n"
"  --recommend=PROF_DIR    ... with advice\n"
"  --aic-metrics=GROUP,... counters for op_summary: Memory (also memory_bandwidth\n"
"                          or all) adds the bandwidth of each operator; the\n"
"                          other groups of CANN add nothing\n"
"  --duration=SECONDS      record for so long; the program goes on\n"
"  -h, --help              print this and exit\n"
"  -v, --version           print the version and exit\n"
"\n"
"The other options of CANN's msprof that choose what is recorded are accepted\n"
"and have no effect: all that there is, is recorded.\n"
"\n"
"exit status: 0 success; 1 the command line is invalid; 2 there is no valid\n"
"profile; 3 any other failure; else that of the program\n";

#define IGNORED(name)	{ name, required_argument, NULL, OPT_IGNORED }

static const struct option long_options[] = {
	{ "application", required_argument, NULL, OPT_APPLICATION },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "export", required_argument, NULL, OPT_EXPORT },
	{ "analysis", required_argument, NULL, OPT_ANALYSIS },
	{ "bottleneck", required_argument, NULL, OPT_BOTTLENECK },
	{ "recommend", required_argument, NULL, OPT_RECOMMEND },
	{ "threshold", required_argument, NULL, OPT_THRESHOLD },
	{ "aic-metrics", required_argument, NULL, OPT_METRICS },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' },
	IGNORED("aic-freq"), IGNORED("aic-mode"),
	IGNORED("aicpu"), IGNORED("ai-core"), IGNORED("ascendcl"),
	IGNORED("dvpp-freq"), IGNORED("ge-api"),
	IGNORED("hccl"), IGNORED("host-sys"), IGNORED("host-sys-usage"),
	IGNORED("iteration-id"), IGNORED("l2"), IGNORED("llc-profiling"),
	IGNORED("model-execution"), IGNORED("model-id"), IGNORED("msproftx"),
	IGNORED("optimization"), IGNORED("runtime-api"),
	IGNORED("storage-limit"), IGNORED("summary-format"),
	IGNORED("sys-cpu-freq"), IGNORED("sys-devices"),
	IGNORED("sys-hardware-mem"), IGNORED("sys-hardware-mem-freq"),
	IGNORED("sys-interconnection-freq"), IGNORED("sys-io-sampling-freq"),
	IGNORED("sys-period"), IGNORED("task-memory"), IGNORED("task-time"),
	IGNORED("type"),
	{ 0 }
};

/* The name by which the program was called, such as msprof. */
#define NAME	program_invocation_short_name

static void message(const char *format, va_list args)
{
	fprintf(stderr, "%s: ", NAME);
	vfprintf(stderr, format, args);
	putc('\n', stderr);
}

static void __attribute__((format(printf, 1, 2))) warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
}

static void __attribute__((noreturn, format(printf, 2, 3)))
die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
	exit(status);
}

static void print_and_exit(const char *format)
{
	printf(format, NAME);
	exit(fflush(stdout) ? PROF_FAILED : PROF_OK);
}

static double take_percent(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%")) ||
	    !(value >= 0 && value <= 100))
		die(PROF_USAGE, "--threshold=%s is not a percentage from 0 to 100",
		    text);
	return value;
}

static enum metrics take_metrics(const char *names)
{
	enum metrics metrics = metrics_find(names);

	if (metrics == METRICS_UNKNOWN)
		die(PROF_USAGE,
		    "--aic-metrics=%s is none of " METRICS_NAMES ", nor a list of them with commas",
		    names);
	if (metrics == METRICS_NONE)
		warn("note: this device has no counters for --aic-metrics=%s, but for Memory",
		     names);
	else if (strcasecmp(names, "Memory"))
		warn("note: of --aic-metrics=%s, this device counts Memory alone",
		     names);
	return metrics;
}

static double take_duration(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value > 0 && value <= INT_MAX))
		die(PROF_USAGE,
		    "--duration=%s is not a number of seconds from above 0 to %d",
		    text, INT_MAX);
	return value;
}

static void take(struct options *opt, int c, int index)
{
	switch (c) {
	case OPT_APPLICATION:
		if (!optarg[strspn(optarg, " \t\n")])
			die(PROF_USAGE, "--application has no program");
		opt->application = optarg;
		break;
	case OPT_OUTPUT:
		opt->output = optarg;
		break;
	case OPT_EXPORT:
		if (strcmp(optarg, "on") && strcmp(optarg, "off"))
			die(PROF_USAGE, "--export=%s is neither on nor off",
			    optarg);
		opt->is_export = !strcmp(optarg, "on");
		break;
	case OPT_ANALYSIS:
		opt->analysis = optarg;
		break;
	case OPT_BOTTLENECK:
		opt->bottleneck = optarg;
		break;
	case OPT_RECOMMEND:
		opt->recommend = optarg;
		break;
	case OPT_THRESHOLD:
		opt->threshold = take_percent(optarg);
		break;
	case OPT_METRICS:
		opt->metrics = take_metrics(optarg);
		break;
	case OPT_DURATION:
		opt->duration = take_duration(optarg);
		break;
	case OPT_IGNORED:
		warn("note: --%s has no effect here",
		     long_options[index].name);
		break;
	case 'h':
		print_and_exit(help);
		break;
	case 'v':
		print_and_exit("%s (vnpu) " VNPU_VERSION "\n");
		break;
	default:
		break;
	}
}

static void parse(struct options *opt, int argc, char **argv)
{
	int c, index, modes;

	opt->threshold = -1;
	/* The options of the program are its own. */
	while ((c = getopt_long(argc, argv, "+:hv", long_options, &index)) !=
	       -1) {
		/* A letter, in an argument that may have more of them. */
		if (c == '?' && optopt > 0 && optopt < OPT_APPLICATION &&
		    strncmp(argv[optind - 1], "--", 2))
			die(PROF_USAGE, "'-%c' is no option; try --help",
			    optopt);
		if (c == '?' || c == ':')
			die(PROF_USAGE, "'%s' is %s; try --help",
			    argv[optind - 1], c == '?' ? "no option" :
			    "without its value");
		take(opt, c, index);
	}
	if (optind < argc)
		opt->argv = argv + optind;
	modes = !!opt->application + !!opt->argv + opt->is_export +
		!!opt->analysis + !!opt->bottleneck + !!opt->recommend;
	if (modes != 1)
		die(PROF_USAGE, "%s; try --help", modes ?
		    "give one program, or one of --export, --analysis, --bottleneck and --recommend" :
		    "there is nothing to do");
	if (opt->duration && !opt->application && !opt->argv)
		die(PROF_USAGE, "--duration is for a program to run; try --help");
}

/* Check a message of the functions below, which is NULL if they succeeded. */
static void check(const char *message, enum prof_exit status)
{
	if (message)
		die(status, "%s", message);
}

static char *join(const char *dir, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		die(PROF_FAILED, "out of memory");
	return path;
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0750) && errno != EEXIST)
		die(PROF_FAILED, "%s cannot be created: %s", path,
		    strerror(errno));
}

/* Read a profile; @status: of this program if there is none. */
static void read_profile(struct profile *profile, const char *dir, int status)
{
	char *host = join(dir, "host");

	check(profile_read(profile, host), PROF_REFUSED);
	if (!profile->files)
		die(status, "%s has no profile: the program was killed, or does not use libvnpu",
		    host);
	if (profile->lost)
		warn("note: %llu events are missing, as the library had no room for them",
		     (unsigned long long)profile->lost);
	free(host);
}

static void export_dir(const char *dir, int status, enum metrics metrics)
{
	char *tables = join(dir, "mindstudio_profiler_output"), stamp[32];
	time_t now = time(NULL);
	struct profile profile;
	struct tm tm;

	if (!localtime_r(&now, &tm) ||
	    !strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm))
		die(PROF_FAILED, "the time cannot be read");
	read_profile(&profile, dir, status);
	make_dir(tables);
	check(export_tables(&profile, tables, stamp, metrics), PROF_FAILED);
	check(export_trace(&profile, tables, stamp), PROF_FAILED);
	printf("%zu tasks of %u process%s: %s\n", profile.count, profile.files,
	       profile.files == 1 ? "" : "es", tables);
	if (fflush(stdout))
		die(PROF_FAILED, "standard output cannot be written");
	profile_free(&profile);
	free(tables);
}

/* Make PROF_000001_<time>_<random letters> in a directory. */
static char *make_profile_dir(const char *parent)
{
	unsigned char random[16];
	char name[64], stamp[32], *dir;
	struct timespec now;
	struct tm tm;
	int length;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!localtime_r(&now.tv_sec, &tm) ||
	    !strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm) ||
	    getrandom(random, sizeof(random), 0) != sizeof(random))
		die(PROF_FAILED, "no name for a directory: %s",
		    strerror(errno));
	length = snprintf(name, sizeof(name), "PROF_000001_%s%03d_", stamp,
			  (int)(now.tv_nsec / 1000000));
	for (size_t i = 0; i < sizeof(random); i++)
		name[length++] = 'A' + random[i] % 26;
	name[length] = '\0';
	make_dir(parent);
	dir = join(parent, name);
	make_dir(dir);
	return dir;
}

/* Let the library record into a directory, and end in time; false on failure. */
static bool set_environment(const struct options *opt, const char *path)
{
	struct timespec now;
	char until[32];

	if (setenv("VNPU_PROF_PATH", path, 1))
		return false;
	if (!opt->duration)
		return !unsetenv("VNPU_PROF_UNTIL");
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(until, sizeof(until), "%.3f",
		 now.tv_sec + now.tv_nsec / 1e9 + opt->duration);
	return !setenv("VNPU_PROF_UNTIL", until, 1);
}

static int run(const struct options *opt, const char *host)
{
	char path[PATH_MAX];
	int status;
	pid_t pid;

	if (!realpath(host, path))
		die(PROF_FAILED, "%s: %s", host, strerror(errno));
	pid = fork();
	if (pid < 0)
		die(PROF_FAILED, "no process for the program: %s",
		    strerror(errno));
	if (!pid) {
		if (!set_environment(opt, path))
			_exit(127);
		if (opt->argv)
			execvp(*opt->argv, opt->argv);
		else
			execl("/bin/sh", "sh", "-c", opt->application, NULL);
		warn("%s cannot be run: %s", opt->argv ? *opt->argv : "/bin/sh",
		     strerror(errno));
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die(PROF_FAILED, "the program cannot be waited for: %s",
			    strerror(errno));
	if (WIFSIGNALED(status)) {
		warn("the program was ended by %s",
		     strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}

static int profile_program(const struct options *opt)
{
	char *dir = make_profile_dir(opt->output ? opt->output : ".");
	char *host = join(dir, "host");
	int status;

	make_dir(host);
	status = run(opt, host);
	if (status == 127)
		exit(status);
	/* A failure of the program is the reason of a missing profile. */
	export_dir(dir, status ? status : PROF_REFUSED, opt->metrics);
	free(host);
	free(dir);
	return status;
}

static int analyse_dir(const struct options *opt, const char *dir,
		       enum report what)
{
	struct profile profile;
	struct shares *shares;
	size_t count;
	FILE *f;

	read_profile(&profile, dir, PROF_REFUSED);
	shares = analyse(&profile, &count);
	if (!shares)
		die(PROF_FAILED, "out of memory");
	report_print(stdout, shares, count, opt->threshold, what);
	if (opt->output) {
		f = fopen(opt->output, "we");
		if (f)
			report_html(f, &profile, shares, count, opt->threshold);
		if (!f || ferror(f) || fclose(f))
			die(PROF_FAILED, "%s cannot be written: %s",
			    opt->output, strerror(errno));
	}
	free(shares);
	profile_free(&profile);
	return fflush(stdout) ? PROF_FAILED : PROF_OK;
}

int main(int argc, char **argv)
{
	struct options opt = { 0 };

	parse(&opt, argc, argv);
	if (opt.analysis)
		return analyse_dir(&opt, opt.analysis, REPORT_SHARES);
	if (opt.bottleneck)
		return analyse_dir(&opt, opt.bottleneck, REPORT_BOTTLENECKS);
	if (opt.recommend)
		return analyse_dir(&opt, opt.recommend, REPORT_ADVICE);
	if (!opt.is_export)
		return profile_program(&opt);
	export_dir(opt.output ? opt.output : ".", PROF_REFUSED, opt.metrics);
	return PROF_OK;
}
