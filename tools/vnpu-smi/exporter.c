// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi exporter: metrics for Prometheus, once or on each request.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "answer.h"
#include "collect.h"
#include "metrics.h"

#define DEFAULT_LISTEN	"127.0.0.1:9836"
#define BACKLOG		16

static const char exporter_help[] =
"usage: vnpu-smi exporter [--listen ADDRESS:PORT | --once]\n"
"\n"
"Answer http://ADDRESS:PORT/metrics with the metrics of all devices, in the text\n"
"format of Prometheus, until a signal.\n"
"\n"
"  -l, --listen ADDRESS:PORT  listen there; " DEFAULT_LISTEN " by default.\n"
"                             ADDRESS is numeric, and in [] if it is IPv6\n"
"  -o, --once                 print the metrics and exit\n"
"  -h, --help                 print this and exit\n";

static const struct option exporter_options[] = {
	{ "listen",	required_argument,	NULL, 'l' },
	{ "once",	no_argument,		NULL, 'o' },
	{ "help",	no_argument,		NULL, 'h' },
	{ 0 }
};

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Numeric only: a name could stand for any interface. */
static bool parse_address(const char *text, union address *address,
			  socklen_t *length)
{
	const char *colon = strrchr(text, ':');
	size_t size = colon ? (size_t)(colon - text) : 0;
	char host[INET6_ADDRSTRLEN + 2];
	uint32_t port;

	if (!colon || size >= sizeof(host) || !parse_u32(colon + 1, &port) ||
	    port > UINT16_MAX)
		return false;
	memcpy(host, text, size);
	host[size] = '\0';
	*address = (union address){ 0 };
	if (size > 2 && host[0] == '[' && host[size - 1] == ']') {
		host[size - 1] = '\0';
		address->v6.sin6_family = AF_INET6;
		address->v6.sin6_port = htons((uint16_t)port);
		*length = sizeof(address->v6);
		return inet_pton(AF_INET6, host + 1, &address->v6.sin6_addr) == 1;
	}
	address->v4.sin_family = AF_INET;
	address->v4.sin_port = htons((uint16_t)port);
	*length = sizeof(address->v4);
	return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1;
}

static enum smi_exit open_socket(const char *listen_at, int *out)
{
	union address address;
	const int yes = 1;
	socklen_t length;
	int fd;

	if (!parse_address(listen_at, &address, &length))
		return fail(SMI_USAGE, "'%s' is not ADDRESS:PORT", listen_at);
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* Allow a port that another process has just closed. */
	if (fd >= 0 &&
	    !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) &&
	    !bind(fd, &address.any, length) && !listen(fd, BACKLOG)) {
		*out = fd;
		return SMI_OK;
	}
	fail(SMI_FAILED, "cannot listen at %s: %s", listen_at,
	     strerror(errno));
	if (fd >= 0)
		close(fd);
	return SMI_FAILED;
}

static enum smi_exit write_page(FILE *f)
{
	struct state state;
	enum smi_exit status = collect(&state, COLLECT_PROCESSES);

	if (!status)
		metrics_write(f, &state);
	state_fini(&state);
	return status;
}

static enum smi_exit make_page(char **page, size_t *length)
{
	enum smi_exit status;
	FILE *f;

	*page = NULL;
	f = open_memstream(page, length);
	if (!f)
		return fail_memory();
	status = write_page(f);
	if (fclose(f) && !status)
		status = fail_memory();
	if (status)
		free(*page);
	return status;
}

static enum smi_exit serve(const char *listen_at)
{
	enum smi_exit status;
	int fd = -1;

	status = open_socket(listen_at, &fd);
	return status ? status : http_serve(fd, make_page);
}

static enum smi_exit print_once(void)
{
	enum smi_exit status = write_page(stdout);

	return status ? status : finish_output(stdout);
}

enum smi_exit cmd_exporter(int argc, char **argv)
{
	const char *listen_at = NULL;
	bool is_once = false;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:l:oh", exporter_options,
				NULL)) != -1) {
		switch (c) {
		case 'l':
			if (listen_at)
				return fail(SMI_USAGE,
					    "option '-l' is given twice");
			listen_at = optarg;
			break;
		case 'o':
			is_once = true;
			break;
		case 'h':
			fputs(exporter_help, stdout);
			return finish_output(stdout);
		default:
			return fail_option("exporter", c, argv);
		}
	}
	if (optind < argc)
		return fail(SMI_USAGE, "unexpected argument '%s'",
			    argv[optind]);
	if (is_once && listen_at)
		return fail(SMI_USAGE,
			    "options '-l' and '-o' exclude each other");
	return is_once ? print_once() :
	       serve(listen_at ? listen_at : DEFAULT_LISTEN);
}
