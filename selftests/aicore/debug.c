// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose core waits for a debugger: prints the core's process id,
 * launches a kernel with a time limit, and prints how it ends.
 */
#include "library.h"

static struct library library;

int main(int argc, char **argv)
{
	struct vnpu_task task;
	float *words = ptr(AT + PAGE);
	__u64 *args = ptr(AT);
	struct stream s;
	int ret;

	(void)argc;
	snprintf(tests_dir, sizeof(tests_dir), "%.*s",
		 (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
	kernels = "kernels-debug.o";
	if (library_open(&library, MIB(4)) ||
	    stream_create(&s, &library.c, 0) ||
	    library_start(&library, CORE_START_GDB) ||
	    library_image(&library, 1))
		return 1;
	printf("core %d\n", library.pid);
	fflush(stdout);
	args[0] = args[1] = args[2] = addr(words);
	args[3] = 1024;
	for (int i = 0; i < 1024; i++)
		words[i] = i;
	task = library_launch("add", 4);
	/* Time in the debugger does not count. */
	task.timeout_ms = 500;
	/* A debugger may take long to start. */
	ret = stream_run(&s, task);
	if (!ret)
		ret = stream_wait(&s, 300000);
	if (!ret && s.ring->errors)
		ret = -(int)s.ring->error;
	printf("result %d, word 1000 is %g\n", ret, words[1000]);
	library_end(&library);
	return ret;
}
