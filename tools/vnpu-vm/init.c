// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID 1 of the guest that vnpu-vm boots.
 *
 * It turns the bare kernel into a copy of the host (its files through 9p
 * under a tmpfs overlay), loads the module under test, runs one command,
 * and says how it went. All talk with the host goes through one virtio
 * serial port in frames {type, length, payload}; vnpuvm/session.py is the
 * other end. The whole protocol:
 *
 *	to the guest				to the host
 *	c  working directory			R  ready, the job begins
 *	l  directory of kernel modules		o  standard output
 *	m  module image				e  standard error
 *	p  module parameters			k  kernel log records
 *	t  terminal size, wants a terminal	v  finding: the run is bad
 *	a  one argument				f  failure: no run at all
 *	n  one environment entry		x  exit status, the last frame
 *	g  go
 *	i  standard input, empty at its end
 *
 * Frames keep the order of events, which separate ports would not: when x
 * arrives, every byte of output has.
 */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT_NAME	"vnpu"
#define MODULE_NAME	"vnpu"
#define TAINT_BENIGN	(1UL << 12 | 1UL << 13 | 1UL << 18) /* O, E, N */
#define CHUNK		(64 * 1024)

struct frame {
	char type;
	uint32_t len;
	char *data;		/* len bytes and a NUL */
};

/* What the host asked for. */
static struct {
	char *cwd;
	char *modules;
	char *params;
	struct frame image;
	struct winsize tty;
	bool want_tty;
	char **argv, **envp;
	size_t argc, envc;
} job;

static int port = -1;
static int kmsg = -1;

static void send_kernel_log(void);

/* Talking to the host */

static void write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			reboot(RB_AUTOBOOT);	/* the host is gone */
		p += n;
		len -= n;
	}
}

static void read_all(int fd, void *data, size_t len)
{
	char *p = data;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			reboot(RB_AUTOBOOT);
		p += n;
		len -= n;
	}
}

static void send_frame(char type, const void *data, uint32_t len)
{
	struct { char type; uint32_t len; } __attribute__((packed)) head = {
		type, len		/* x86 and the format: little endian */
	};

	write_all(port, &head, sizeof(head));
	write_all(port, data, len);
}

static void recv_frame(struct frame *f)
{
	read_all(port, &f->type, sizeof(f->type));
	read_all(port, &f->len, sizeof(f->len));
	f->data = malloc((size_t)f->len + 1);
	if (!f->data)
		reboot(RB_AUTOBOOT);
	read_all(port, f->data, f->len);
	f->data[f->len] = '\0';
}

/* The run counts as bad, whatever the command says. */
static void __attribute__((format(printf, 1, 2)))
finding(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	send_frame('v', text, len);
	free(text);
}

/* The host kills the machine on the last frame; nothing is left to do. */
static void __attribute__((noreturn)) wait_for_end(void)
{
	for (;;)
		pause();
}

/* No run is possible. Before the port is open only the console hears it. */
static void __attribute__((noreturn, format(printf, 1, 2)))
fail(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (port < 0) {
		fprintf(stderr, "vnpu-vm init: %s\n", text);
		reboot(RB_AUTOBOOT);
	}
	send_kernel_log();
	send_frame('f', text, strlen(text));
	wait_for_end();
}

/* Files and mounts */

static void make_dir(const char *path)
{
	char *copy = strdup(path);

	for (char *p = copy + 1; copy && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(copy, 0755);
		*p = '/';
	}
	free(copy);
	if (mkdir(path, 0755) && errno != EEXIST)
		fail("mkdir %s: %m", path);
}

static void mount_on(const char *source, const char *target, const char *type,
		     unsigned long flags, const char *options)
{
	make_dir(target);
	if (mount(source, target, type, flags, options))
		fail("mount %s on %s: %m", source, target);
}

/* For file systems that a kernel may lack. */
static void try_mount(const char *target, const char *type)
{
	mount(type, target, type, 0, NULL);
}

static ssize_t read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -1 : 0;
}

static unsigned long read_taint(void)
{
	char text[32];

	if (read_file("/proc/sys/kernel/tainted", text, sizeof(text)) < 0)
		return 0;
	return strtoul(text, NULL, 10);
}

/* From power-on to an open port */

static void load_boot_modules(void)
{
	static const char dir[] = "/modules";
	struct dirent **list;
	int n = scandir(dir, &list, NULL, alphasort);

	/* The names are numbered in the order of dependency. */
	for (int i = 0; i < n; i++) {
		char path[300];
		int fd;

		if (list[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
			fail("load %s: %m", path);
		close(fd);
	}
}

static int find_port(void)
{
	static const char ports[] = "/sys/class/virtio-ports";
	char path[300], name[64];
	struct dirent *entry;
	int fd = -1;
	DIR *dir;

	dir = opendir(ports);
	if (!dir)
		return -1;
	while (fd < 0 && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/name", ports,
			 entry->d_name);
		if (read_file(path, name, sizeof(name)) < 0 ||
		    strcmp(name, PORT_NAME "\n"))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	closedir(dir);
	return fd;
}

/* A port appears some time after its driver, and its name later still. */
static void open_port(void)
{
	for (int ms = 0; ms < 10000; ms++) {
		port = find_port();
		if (port >= 0)
			return;
		usleep(1000);
	}
	fail("no virtio port named " PORT_NAME);
}

/* From an open port to a copy of the host */

static char **append(char **list, size_t *count, char *entry)
{
	list = realloc(list, (*count + 2) * sizeof(*list));
	if (!list)
		fail("out of memory");
	list[(*count)++] = entry;
	list[*count] = NULL;
	return list;
}

static void set_tty_size(const struct frame *f)
{
	uint16_t size[2];

	if (f->len != sizeof(size))
		return;
	memcpy(size, f->data, sizeof(size));
	job.tty.ws_row = size[0];
	job.tty.ws_col = size[1];
}

static void receive_job(void)
{
	struct frame f;

	for (;;) {
		recv_frame(&f);
		switch (f.type) {
		case 'c':
			job.cwd = f.data;
			break;
		case 'l':
			job.modules = f.data;
			break;
		case 'm':
			job.image = f;
			break;
		case 'p':
			job.params = f.data;
			break;
		case 't':
			job.want_tty = true;
			set_tty_size(&f);
			free(f.data);
			break;
		case 'a':
			job.argv = append(job.argv, &job.argc, f.data);
			break;
		case 'n':
			job.envp = append(job.envp, &job.envc, f.data);
			break;
		case 'g':
			free(f.data);
			return;
		default:
			fail("frame of unknown type %c", f.type);
		}
	}
}

static void enter_host_root(void)
{
	mount_on("root", "/lower", "9p", MS_RDONLY,
		 "trans=virtio,version=9p2000.L,cache=loose,msize=262144");
	mount_on("tmpfs", "/upper", "tmpfs", 0, "mode=755");
	make_dir("/upper/files");
	make_dir("/upper/work");
	mount_on("overlay", "/new", "overlay", 0,
		 "lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work");

	mount_on("/dev", "/new/dev", NULL, MS_MOVE, NULL);
	mount_on("/proc", "/new/proc", NULL, MS_MOVE, NULL);
	mount_on("/sys", "/new/sys", NULL, MS_MOVE, NULL);
	if (chdir("/new") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		fail("enter the host's root: %m");
}

static void mount_the_rest(void)
{
	struct utsname uts;
	char path[300];

	mount_on("devpts", "/dev/pts", "devpts", 0, "mode=620,ptmxmode=666");
	mount_on("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
	mount_on("tmpfs", "/run", "tmpfs", 0, "mode=755");
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
	try_mount("/sys/kernel/debug", "debugfs");
	try_mount("/sys/kernel/tracing", "tracefs");
	try_mount("/sys/fs/cgroup", "cgroup2");

	if (job.modules && !uname(&uts)) {
		snprintf(path, sizeof(path), "/lib/modules/%s", uts.release);
		mount_on(job.modules, path, NULL, MS_BIND, NULL);
	}
	if (job.cwd)
		mount_on("cwd", job.cwd, "9p", 0,
			 "trans=virtio,version=9p2000.L,cache=mmap,msize=262144");
}

static void settle(void)
{
	struct rlimit files = { 1024, 524288 };
	struct ifreq lo = { .ifr_name = "lo" };
	int s;

	sethostname("vnpu-vm", strlen("vnpu-vm"));
	setrlimit(RLIMIT_NOFILE, &files);

	s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s >= 0) {
		ioctl(s, SIOCGIFFLAGS, &lo);
		lo.ifr_flags |= IFF_UP;
		ioctl(s, SIOCSIFFLAGS, &lo);
		close(s);
	}
}

/* The module under test */

static void load_module(void)
{
	if (!job.image.data)
		return;
	if (syscall(SYS_init_module, job.image.data, job.image.len,
		    job.params ? job.params : ""))
		fail("load " MODULE_NAME " (%s): %m",
		     job.params ? job.params : "");
	free(job.image.data);
}

/*
 * Whoever loaded it, it must go when its users have. References that a
 * fence or a timer holds may take a moment longer than the processes.
 */
static void unload_module(void)
{
	char refs[32] = "?\n";
	int tries = 100, err;

	if (access("/sys/module/" MODULE_NAME "/refcnt", F_OK))
		return;
	while (syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK)) {
		err = errno;
		if ((err == EAGAIN || err == EBUSY) && --tries) {
			usleep(50000);
			continue;
		}
		read_file("/sys/module/" MODULE_NAME "/refcnt", refs,
			  sizeof(refs));
		finding("cannot unload " MODULE_NAME
			" after the command: %s (reference count %.*s)",
			strerror(err), (int)strcspn(refs, "\n"), refs);
		return;
	}
}

/*
 * kmemleak reports an object that two scans found unreferenced, unchanged
 * and, at the second one's start, five seconds old.
 */
static void check_leaks(void)
{
	static const char file[] = "/sys/kernel/debug/kmemleak";
	static char report[CHUNK];
	struct timespec start, now;
	ssize_t len;

	if (access(file, F_OK))
		return;
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (write_file(file, "scan")) {
		finding("kmemleak has switched itself off: %m");
		return;
	}
	do {
		usleep(100000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - start.tv_sec < 6);
	write_file(file, "scan");
	len = read_file(file, report, sizeof(report));
	if (len > 0)
		finding("kmemleak:\n%s", report);
}

static void check_taint(unsigned long before)
{
	unsigned long bad = read_taint() & ~before & ~TAINT_BENIGN;

	if (bad)
		finding("the kernel is tainted: %#lx beyond O, E and N", bad);
}

/* The command */

static void send_kernel_log(void)
{
	static char batch[CHUNK];
	size_t used = 0;
	ssize_t n;

	if (kmsg < 0)
		return;
	for (;;) {
		if (sizeof(batch) - used < 8192) {	/* one record's limit */
			send_frame('k', batch, used);
			used = 0;
		}
		n = read(kmsg, batch + used, sizeof(batch) - used);
		if (n > 0)
			used += n;
		else if (n < 0 && errno == EPIPE)
			finding("the kernel's log overran; records are lost");
		else if (n == 0 || errno != EINTR)
			break;
	}
	if (used)
		send_frame('k', batch, used);
}

/* The child's ends and ours; in a terminal all three are one. */
struct streams {
	int child[3];
	int in, out, err;
};

static void open_streams(struct streams *s)
{
	int pipes[3][2], slave;

	if (job.want_tty) {
		s->in = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC |
				     O_NONBLOCK);
		if (s->in < 0 || unlockpt(s->in))
			fail("open a terminal: %m");
		ioctl(s->in, TIOCSWINSZ, &job.tty);
		slave = ioctl(s->in, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (slave < 0)
			fail("open a terminal: %m");
		s->out = dup(s->in);
		s->err = -1;
		for (int i = 0; i < 3; i++)
			s->child[i] = dup(slave);
		close(slave);
		return;
	}
	for (int i = 0; i < 3; i++)
		if (pipe2(pipes[i], O_CLOEXEC))
			fail("pipe: %m");
	s->in = pipes[0][1];
	s->out = pipes[1][0];
	s->err = pipes[2][0];
	s->child[0] = pipes[0][0];
	s->child[1] = pipes[1][1];
	s->child[2] = pipes[2][1];
	fcntl(s->in, F_SETFL, O_NONBLOCK);
}

static pid_t start_command(struct streams *s)
{
	sigset_t none;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		fail("fork: %m");
	if (pid) {
		for (int i = 0; i < 3; i++)
			close(s->child[i]);
		return pid;
	}

	setsid();
	for (int i = 0; i < 3; i++)
		dup2(s->child[i], i);
	if (job.want_tty)
		ioctl(0, TIOCSCTTY, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (job.cwd && chdir(job.cwd))
		fail("enter %s: %m", job.cwd);
	environ = job.envp;
	execvp(job.argv[0], job.argv);
	fprintf(stderr, "vnpu-vm: %s: %m\n", job.argv[0]);
	_exit(127);
}

/* Pass on what a stream has. Returns false and closes it at its end. */
static bool forward(int *fd, char type)
{
	static char buf[CHUNK];
	ssize_t n;

	do {
		n = read(*fd, buf, sizeof(buf));
	} while (n < 0 && errno == EINTR);
	if (n > 0) {
		send_frame(type, buf, n);
		return true;
	}
	if (n < 0 && errno == EAGAIN)
		return true;
	close(*fd);
	*fd = -1;
	return false;
}

/* The frame on its way to standard input; at most one. */
struct input {
	struct frame frame;
	size_t done;
};

static void close_input(struct streams *s, struct input *in)
{
	if (s->in >= 0)
		close(s->in);
	s->in = -1;
	free(in->frame.data);
	in->frame.data = NULL;
}

static void take_input(struct streams *s, struct input *in)
{
	struct frame f;

	recv_frame(&f);
	if (f.type == 't') {
		set_tty_size(&f);
		if (s->in >= 0)
			ioctl(s->in, TIOCSWINSZ, &job.tty);
		free(f.data);
	} else if (f.type != 'i' || !f.len) {
		free(f.data);
		close_input(s, in);
	} else if (s->in < 0) {
		free(f.data);
	} else {
		in->frame = f;
		in->done = 0;
	}
}

static void give_input(struct streams *s, struct input *in)
{
	ssize_t n = write(s->in, in->frame.data + in->done,
			  in->frame.len - in->done);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			close_input(s, in);
		return;
	}
	in->done += n;
	if (in->done == in->frame.len) {
		free(in->frame.data);
		in->frame.data = NULL;
	}
}

/* Reap everything that has died; true when the command is among it. */
static bool reap(pid_t command, int *status)
{
	bool ended = false;
	int st;
	pid_t pid;

	while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
		if (pid == command) {
			*status = st;
			ended = true;
		}
	}
	return ended;
}

static int relay(struct streams *s, pid_t command, int child_signal)
{
	enum { SIGNAL, OUT, ERR, LOG, PORT, IN, NR_POLL };
	struct signalfd_siginfo info;
	struct input in = {};
	int status = 0;

	for (;;) {
		struct pollfd p[NR_POLL] = {
			[SIGNAL] = { child_signal, POLLIN },
			[OUT] = { s->out, POLLIN },
			[ERR] = { s->err, POLLIN },
			[LOG] = { kmsg, POLLIN },
			/* One frame at a time: a full pipe holds the host. */
			[PORT] = { port, in.frame.data ? 0 : POLLIN },
			[IN] = { in.frame.data ? s->in : -1, POLLOUT },
		};

		if (poll(p, NR_POLL, -1) < 0)
			continue;
		if (p[PORT].revents & POLLHUP)
			reboot(RB_AUTOBOOT);
		if (p[OUT].revents)
			forward(&s->out, 'o');
		if (p[ERR].revents)
			forward(&s->err, 'e');
		if (p[LOG].revents)
			send_kernel_log();
		if (p[PORT].revents & POLLIN)
			take_input(s, &in);
		if (p[IN].revents)
			give_input(s, &in);
		if (p[SIGNAL].revents &&
		    read(child_signal, &info, sizeof(info)) > 0 &&
		    reap(command, &status)) {
			close_input(s, &in);
			return status;
		}
	}
}

static int run_command(void)
{
	struct streams s;
	sigset_t chld;
	int status, child_signal;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	child_signal = signalfd(-1, &chld, SFD_CLOEXEC);

	open_streams(&s);
	pid = start_command(&s);
	status = relay(&s, pid, child_signal);
	close(child_signal);

	/* What it left behind dies with it; only then are the pipes at end. */
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	while (s.out >= 0 && forward(&s.out, 'o'))
		;
	while (s.err >= 0 && forward(&s.err, 'e'))
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static void sync_cwd(void)
{
	int fd;

	if (!job.cwd)
		return;
	fd = open(job.cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		if (syncfs(fd))
			finding("write back %s: %m", job.cwd);
		close(fd);
	}
	umount2(job.cwd, MNT_DETACH);
}

int main(void)
{
	unsigned long taint;
	unsigned char status;

	mount_on("devtmpfs", "/dev", "devtmpfs", 0, "mode=755");
	mount_on("proc", "/proc", "proc", 0, NULL);
	mount_on("sysfs", "/sys", "sysfs", 0, NULL);
	for (int fd = 0; fd < 3; fd++)
		dup2(open("/dev/console", O_RDWR), fd);

	load_boot_modules();
	open_port();
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0)
		fail("open /dev/kmsg: %m");

	receive_job();
	enter_host_root();
	mount_the_rest();
	settle();
	write_file("/sys/kernel/debug/kmemleak", "scan=off");
	taint = read_taint();

	/* From here on the kernel's complaints are about the job. */
	send_frame('R', "", 0);
	load_module();
	status = run_command();

	unload_module();
	sync_cwd();
	check_leaks();
	check_taint(taint);
	send_kernel_log();
	send_frame('x', &status, sizeof(status));
	wait_for_end();
}
