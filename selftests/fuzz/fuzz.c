// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loop of the fuzzers, and their command line:
 *
 *	NAME				fuzz for VNPU_FUZZ_SECONDS: by default 60
 *					where the kernel has KCOV, else 10
 *	NAME --run FILE [TIMES]		run the programs in a file, a line each
 *	NAME --keep FILE		fuzz, and write to a file what has reached
 *					something new: to make seeds of
 *
 * Seeds are in selftests/fuzz/corpus/NAME.hex. VNPU_SEED repeats a run as far as
 * the scheduler lets it. Programs are written to NAME.last beside the fuzzer some
 * at a time, before they run, and stay there if the kernel dies of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuzz.h"
#include "util.h"

#define CORPUS_MAX	8192
#define BATCH		32	/* writing them takes longer than running one */
#define LINE_MAX_HEX	(2 * sizeof(struct step) * STEPS_MAX + 2)

/*
 * A program is killed after this many ms, and must have ended after the second.
 */
#define KILL_MS		2000
#define GONE_MS		60000

static const struct target *target;
static struct program *corpus;
static unsigned int corpus_count, seed_count;
static struct rng rng;
static char last_path[4096];

static unsigned long programs, steps, killed;

static void program_print(FILE *f, const struct program *p)
{
	const __u8 *bytes = (const __u8 *)p->steps;
	size_t i;

	for (i = 0; i < p->count * sizeof(struct step); i++)
		fprintf(f, "%02x", bytes[i]);
	fputc('\n', f);
}

/* Read a line of hexadecimal digits; false if there is no program in it. */
static bool program_parse(struct program *p, const char *line)
{
	__u8 *bytes = (__u8 *)p->steps;
	unsigned int byte, n = 0;

	memset(p, 0, sizeof(*p));
	while (n < sizeof(p->steps) && sscanf(line + 2 * n, "%2x", &byte) == 1)
		bytes[n++] = byte;
	p->count = n / sizeof(struct step);
	return p->count;
}

static bool corpus_add(const struct program *p)
{
	if (corpus_count == CORPUS_MAX)
		return false;
	corpus[corpus_count++] = *p;
	return true;
}

static int corpus_read(const char *path)
{
	char line[LINE_MAX_HEX];
	struct program p;
	FILE *f = fopen(path, "r");

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (line[0] != '#' && program_parse(&p, line))
			corpus_add(&p);
	fclose(f);
	return 0;
}

/* Programs that have reached something that no seed did. */
static int corpus_write(const char *path)
{
	FILE *f = fopen(path, "w");
	unsigned int i;

	if (!f)
		return -1;
	fputs("# SPDX-License-Identifier: GPL-2.0-only\n", f);
	for (i = 0; i < corpus_count; i++)
		program_print(f, &corpus[i]);
	return fclose(f);
}

static void step_random(struct step *s)
{
	rng_fill(&rng, s, sizeof(*s));
	s->op = target->ops[rng_below(&rng, target->op_count)];
	/* Most calls should be valid. */
	if (rng_below(&rng, 4))
		s->how &= 1;
}

static void program_random(struct program *p)
{
	__u32 i;

	p->count = 1 + rng_below(&rng, STEPS_MAX);
	for (i = 0; i < p->count; i++)
		step_random(&p->steps[i]);
}

static void program_insert(struct program *p, const struct step *s)
{
	__u32 at = rng_below(&rng, p->count + 1);

	if (p->count == STEPS_MAX)
		p->count--;
	if (at > p->count)
		at = p->count;
	memmove(&p->steps[at + 1], &p->steps[at],
		(p->count - at) * sizeof(*s));
	p->steps[at] = *s;
	p->count++;
}

static void program_delete(struct program *p)
{
	__u32 at = rng_below(&rng, p->count);

	if (p->count == 1)
		return;
	p->count--;
	memmove(&p->steps[at], &p->steps[at + 1],
		(p->count - at) * sizeof(struct step));
}

/* The beginning of this one and the end of another. */
static void program_splice(struct program *p)
{
	const struct program *other = &corpus[rng_below(&rng, corpus_count)];
	__u32 from = rng_below(&rng, other->count);
	__u32 at = rng_below(&rng, p->count) + 1;

	for (; from < other->count && at < STEPS_MAX; from++)
		p->steps[at++] = other->steps[from];
	p->count = at;
}

static void program_mutate(struct program *p)
{
	struct step *s = &p->steps[rng_below(&rng, p->count)];
	struct step fresh;

	switch (rng_below(&rng, 9)) {
	case 0:
		step_random(&fresh);
		program_insert(p, &fresh);
		break;
	case 1:
		fresh = *s;
		program_insert(p, &fresh);
		break;
	case 2:
		program_delete(p);
		break;
	case 3:
		program_splice(p);
		break;
	case 4:
		s->how = rng_next(&rng);
		break;
	case 5:
		s->op = target->ops[rng_below(&rng, target->op_count)];
		break;
	default:
		s->arg[rng_below(&rng, STEP_ARGS)] = rng_next(&rng);
	}
}

static void program_next(struct program *p)
{
	unsigned int n;

	if (!corpus_count || !rng_below(&rng, 16)) {
		program_random(p);
		return;
	}
	/* The latest have had the fewest turns. */
	n = rng_below(&rng, corpus_count);
	if (rng_below(&rng, 2) && n < corpus_count / 2)
		n += corpus_count / 2;
	*p = corpus[n];
	for (n = 1 + rng_below(&rng, 4); n; n--)
		program_mutate(p);
}

/* Return whether the process ends within that time. */
static bool ends(int pidfd, int ms)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* Return NULL, or the error. */
static const char *program_run(const struct program *p)
{
	const char *wrong = NULL;
	int pidfd, status;
	pid_t pid;

	programs++;
	steps += p->count;
	fflush(stdout);
	pid = fork_bound();
	if (pid < 0)
		return "no process";
	if (!pid) {
		cover_begin();
		target->run(p);
		_exit(0);
	}
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (!ends(pidfd, KILL_MS)) {
		killed++;
		kill(pid, SIGKILL);
		if (!ends(pidfd, GONE_MS))
			wrong = "the process cannot be killed";
	}
	close(pidfd);
	if (wrong)
		return wrong;
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_UNLISTED)
		return "an ioctl fails with an error that errnos.h does not list";
	return target->check();
}

static void last_write(const struct program *p, unsigned int count)
{
	FILE *f = fopen(last_path, "w");

	if (!f)
		return;
	while (count--)
		program_print(f, p++);
	fflush(f);
	fdatasync(fileno(f));
	fclose(f);
}

static int report(const char *wrong, const struct program *p)
{
	if (wrong) {
		printf("not ok 1 %s: %s\n# %s --run FILE, with this in it:\n",
		       target->name, wrong, program_invocation_name);
		program_print(stdout, p);
	} else {
		printf("ok 1 %s: nothing wrong was found\n", target->name);
	}
	printf("# %s: %lu programs of %lu steps, %lu had to be killed",
	       target->name, programs, steps, killed);
	if (cover_blocks())
		printf("; %u blocks covered, %u programs kept",
		       cover_blocks(), corpus_count - seed_count);
	printf("\n1..1\n");
	return wrong ? 1 : 0;
}

static int replay(const char *path, unsigned long times)
{
	const char *wrong = NULL;
	unsigned int i;
	unsigned long t;

	if (corpus_read(path)) {
		perror(path);
		return 2;
	}
	seed_count = corpus_count;
	for (t = 0; t < times; t++) {
		for (i = 0; i < corpus_count; i++) {
			wrong = program_run(&corpus[i]);
			cover_end();
			if (wrong)
				return report(wrong, &corpus[i]);
		}
	}
	return report(NULL, NULL);
}

/* Return NULL, or the error of *@bad. */
static const char *fuzz_batch(struct program *batch, unsigned int count,
			      bool are_seeds, struct program *bad)
{
	const char *wrong;
	unsigned int i;

	last_write(batch, count);
	for (i = 0; i < count; i++) {
		wrong = program_run(&batch[i]);
		if (wrong) {
			*bad = batch[i];
			return wrong;
		}
		if (cover_end() && !are_seeds)
			corpus_add(&batch[i]);
	}
	return NULL;
}

static const char *fuzz(uint64_t seconds, struct program *bad)
{
	static struct program batch[BATCH];
	uint64_t until = now_ms() + seconds * 1000;
	const char *wrong = NULL;
	unsigned int i, count;

	for (i = 0; i < seed_count && !wrong && now_ms() < until; i += count) {
		count = seed_count - i < BATCH ? seed_count - i : BATCH;
		wrong = fuzz_batch(&corpus[i], count, true, bad);
	}
	while (!wrong && now_ms() < until) {
		for (i = 0; i < BATCH; i++)
			program_next(&batch[i]);
		wrong = fuzz_batch(batch, BATCH, false, bad);
	}
	return wrong;
}

/**
 * fuzz_main() - the main function of a fuzzer
 * @argc: of main()
 * @argv: of main()
 * @t: the target
 *
 * Return: the exit status.
 */
int fuzz_main(int argc, char **argv, const struct target *t)
{
	char path[4096];
	const char *wrong;
	struct program p;
	bool has_cover;

	target = t;
	corpus = calloc(CORPUS_MAX, sizeof(*corpus));
	wrong = corpus ? target->setup() : "no memory";
	if (wrong) {
		printf("1..0 # SKIP %s: %s\n", target->name, wrong);
		return 4;
	}
	has_cover = cover_open();
	if (argc > 2 && !strcmp(argv[1], "--run"))
		return replay(argv[2], argc > 3 ? strtoul(argv[3], NULL, 0) : 1);

	snprintf(path, sizeof(path), "selftests/fuzz/corpus/%s.hex",
		 target->name);
	if (corpus_read(path))
		printf("# no seeds: %s\n", path);
	seed_count = corpus_count;
	snprintf(last_path, sizeof(last_path), "%s.last", argv[0]);
	rng = rng_init();
	printf("# %s KCOV; if the kernel dies: %s --run %s\n",
	       has_cover ? "led by" : "without", argv[0], last_path);
	wrong = fuzz(env_u64("VNPU_FUZZ_SECONDS", has_cover ? 60 : 10), &p);
	if (!wrong)
		unlink(last_path);
	if (argc > 2 && !strcmp(argv[1], "--keep") && corpus_write(argv[2]))
		perror(argv[2]);
	return report(wrong, &p);
}
