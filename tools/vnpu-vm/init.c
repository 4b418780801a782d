// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID 1 of the guest that vnpu-vm boots.
 *
 * It turns the bare kernel into a copy of the host (its files through 9p under
 * a tmpfs overlay), loads the module under test, runs one command, and reports
 * the result. talk.c exchanges frames with the host, command.c runs the
 * command, watch.c checks the module and the kernel's state.
 */

#include "init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

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

/* For file systems that the kernel may not have. */
static void try_mount(const char *target, const char *type)
{
	mount(type, target, type, 0, NULL);
}

ssize_t read_file(const char *path, char *buf, size_t size)
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

int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -1 : 0;
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
	open_kernel_log();
	receive_job();
	enter_host_root();
	mount_the_rest();
	settle();
	write_file("/sys/kernel/debug/kmemleak", "scan=off");
	taint = read_taint();

	/* From here on the kernel's errors belong to the job. */
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
