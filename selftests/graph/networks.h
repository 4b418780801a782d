/* SPDX-License-Identifier: GPL-2.0-only */
/* Small networks with the structures of well-known ones. */
#ifndef GRAPH_NETWORKS_H
#define GRAPH_NETWORKS_H

#include "model.h"

#define NETWORKS	6

/**
 * struct network - a network
 * @name: its name
 * @make: make its nodes
 * @nodes: number of nodes that the passes leave, at most
 */
struct network {
	const char *name;
	void (*make)(struct model *m);
	unsigned int nodes;
};

extern const struct network networks[NETWORKS];

/* The shape of the input of all networks. */
extern const int64_t network_image[4];

/* Make the model of a network, which the caller frees. */
struct bytes network_make(unsigned int number);

#endif
