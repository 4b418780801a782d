// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys: random numbers with which other processes open files of a client.
 *
 * AscendCL passes memory, notifies and events between processes as text, and
 * names the processes that may import them. With keys, the file of such an
 * object need not pass through a socket. The exporting process stores the file
 * here under a random number. A process that knows the number, and is allowed
 * to, gets a descriptor of the file.
 *
 * A key belongs to the client that created it, and is destroyed with that
 * client. A process that has opened the key keeps the file. Keys are valid in
 * all namespaces. Processes are allowed by their ids in the pid namespace of
 * the process that created the key; a process without an id there cannot be
 * allowed. The ids are compared when the key is opened.
 *
 * The table hashes keys with a secret, so that the duration of a failed lookup
 * reveals nothing about the keys in the table.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/xarray.h>

#include "account/host_account.h"
#include "base/client.h"
#include "key.h"

/* About as many files as a user may have open in processes. */
#define VNPU_KEYS_MAX		8192

/* Maximum number of pids of a key: they are freed without a pause. */
#define VNPU_KEY_PIDS_MAX	4096

/* Attempts to insert a key: an insertion fails while the table grows. */
#define VNPU_KEY_TRIES		20

/**
 * struct vnpu_key - a file that other processes may open
 * @node: entry in vnpu_keys
 * @words: the random number; constant
 * @ref: held by the table and by each call that uses the key
 * @rcu: delays the free, because a lookup may find the key after its removal
 * @link: entry in vnpu_client.keys, under vnpu_client.keys_lock
 * @client: the client that created the key, with a reference. Its user is
 *	charged for the key; constant
 * @file: the file that the key opens, with a reference; constant
 * @pid_ns: the namespace of the ids in @pids, with a reference; constant
 * @pids: the ids of the processes that may open the key; has a lock of its own
 * @nr_pids: number of ids in @pids; each is charged as an object
 * @kind: see struct vnpu_key_spec; constant
 * @any_process: see struct vnpu_key_spec; constant
 * @data: see struct vnpu_key_spec; constant
 */
struct vnpu_key {
	struct rhash_head node;
	u64 words[2];
	struct kref ref;
	struct rcu_head rcu;
	struct list_head link;
	struct vnpu_client *client;
	struct file *file;
	struct pid_namespace *pid_ns;
	struct xarray pids;
	atomic_t nr_pids;
	u32 kind;
	bool any_process;
	u64 data[2];
};

static const struct rhashtable_params vnpu_key_params = {
	.head_offset = offsetof(struct vnpu_key, node),
	.key_offset = offsetof(struct vnpu_key, words),
	.key_len = sizeof_field(struct vnpu_key, words),
	.automatic_shrinking = true,
};

static struct rhashtable vnpu_keys;

/**
 * vnpu_keys_init() - create the table of keys
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_keys_init(void)
{
	return rhashtable_init(&vnpu_keys, &vnpu_key_params);
}

/**
 * vnpu_keys_fini() - free the table of keys, which is empty
 */
void vnpu_keys_fini(void)
{
	rhashtable_destroy(&vnpu_keys);
}

static void vnpu_key_release(struct kref *ref)
{
	struct vnpu_key *key = container_of(ref, struct vnpu_key, ref);

	fput(key->file);
	put_pid_ns(key->pid_ns);
	xa_destroy(&key->pids);
	vnpu_host_account_uncharge(key->client->host_account, VNPU_HOST_OBJECTS,
				   1 + atomic_read(&key->nr_pids));
	vnpu_client_put(key->client);
	kfree_rcu(key, rcu);
}

static void vnpu_key_put(struct vnpu_key *key)
{
	kref_put(&key->ref, vnpu_key_release);
}

static struct vnpu_key *vnpu_key_get(const u64 words[2])
{
	struct vnpu_key *key;

	rcu_read_lock();
	key = rhashtable_lookup(&vnpu_keys, words, vnpu_key_params);
	if (key && !kref_get_unless_zero(&key->ref))
		key = NULL;
	rcu_read_unlock();
	return key;
}

/* Look up a key that the client has created. Return a reference, or NULL. */
static struct vnpu_key *vnpu_key_get_own(const struct vnpu_client *client,
					 const u64 words[2])
{
	struct vnpu_key *key = vnpu_key_get(words);

	if (!key || key->client == client)
		return key;
	vnpu_key_put(key);
	return NULL;
}

static int vnpu_key_link(struct vnpu_key *key)
{
	struct vnpu_client *client = key->client;
	int ret = -EAGAIN;

	spin_lock(&client->keys_lock);
	if (client->nr_keys < VNPU_KEYS_MAX) {
		list_add_tail(&key->link, &client->keys);
		client->nr_keys++;
		ret = 0;
	}
	spin_unlock(&client->keys_lock);
	return ret;
}

static void vnpu_key_unlink(struct vnpu_key *key)
{
	struct vnpu_client *client = key->client;

	spin_lock(&client->keys_lock);
	list_del(&key->link);
	client->nr_keys--;
	spin_unlock(&client->keys_lock);
}

/* Remove a key from the table. Return false if another thread did so before. */
static bool vnpu_key_remove(struct vnpu_key *key)
{
	if (rhashtable_remove_fast(&vnpu_keys, &key->node, vnpu_key_params))
		return false;
	vnpu_key_unlink(key);
	vnpu_key_put(key);
	return true;
}

/* Choose an unused number, and insert the key into the table. */
static int vnpu_key_insert(struct vnpu_key *key, bool is_short)
{
	int ret, i;

	for (i = 0; i < VNPU_KEY_TRIES; i++) {
		get_random_bytes(key->words, sizeof(key->words));
		if (is_short)
			key->words[1] = 0;
		ret = rhashtable_lookup_insert_fast(&vnpu_keys, &key->node,
						    vnpu_key_params);
		if (ret != -EEXIST && ret != -EBUSY)
			break;
		if (ret == -EBUSY)
			fsleep(100);
	}
	return ret ? -ENOMEM : 0;
}

static int vnpu_key_add(struct vnpu_key *key, bool is_short)
{
	int ret = vnpu_key_link(key);

	/*
	 * Link before the insertion, after which another thread may find the
	 * key.
	 */
	if (ret)
		return ret;
	ret = vnpu_key_insert(key, is_short);
	if (ret)
		vnpu_key_unlink(key);
	return ret;
}

/**
 * vnpu_key_create() - store a file under a new key
 * @client: the client that the key belongs to
 * @spec: the file that the key opens; the caller has checked the kind of file
 * @words: set to the key
 *
 * Return: 0, -EAGAIN (the client has the maximum number of keys), -EDQUOT (the
 * user has the maximum number of objects) or -ENOMEM.
 */
int vnpu_key_create(struct vnpu_client *client,
		    const struct vnpu_key_spec *spec, u64 words[2])
{
	struct vnpu_key *key;
	int ret;

	ret = vnpu_host_account_charge(client->host_account, VNPU_HOST_OBJECTS, 1);
	if (ret)
		return ret;
	key = kzalloc(sizeof(*key), GFP_KERNEL_ACCOUNT);
	if (!key) {
		vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
		return -ENOMEM;
	}
	kref_init(&key->ref);
	xa_init_flags(&key->pids, XA_FLAGS_ACCOUNT);
	vnpu_client_get(client);
	key->client = client;
	key->file = get_file(spec->file);
	key->pid_ns = get_pid_ns(task_active_pid_ns(current));
	key->kind = spec->kind;
	key->any_process = spec->any_process;
	memcpy(key->data, spec->data, sizeof(key->data));

	ret = vnpu_key_add(key, spec->is_short);
	if (ret) {
		vnpu_key_put(key);
		return ret;
	}
	memcpy(words, key->words, sizeof(key->words));
	return 0;
}

/**
 * vnpu_key_destroy() - destroy a key, so that no process can open it any more
 * @client: the client that created the key
 * @words: the key
 *
 * Return: 0, or -ENOENT if the client has no such key.
 */
int vnpu_key_destroy(struct vnpu_client *client, const u64 words[2])
{
	struct vnpu_key *key = vnpu_key_get_own(client, words);
	int ret;

	if (!key)
		return -ENOENT;
	ret = vnpu_key_remove(key) ? 0 : -ENOENT;
	vnpu_key_put(key);
	return ret;
}

/**
 * vnpu_keys_destroy_all() - destroy all keys of a client
 * @client: the client, which has no call in progress
 */
void vnpu_keys_destroy_all(struct vnpu_client *client)
{
	struct vnpu_key *key;

	while ((key = list_first_entry_or_null(&client->keys, struct vnpu_key,
					       link))) {
		vnpu_key_remove(key);
		cond_resched();
	}
}

static int vnpu_key_allow_one(struct vnpu_key *key, s32 pid)
{
	struct vnpu_host_account *host_account = key->client->host_account;
	int ret;

	if (pid < 1 || pid >= PID_MAX_LIMIT)
		return -EINVAL;
	if (xa_load(&key->pids, pid))
		return 0;
	ret = vnpu_host_account_charge(host_account, VNPU_HOST_OBJECTS, 1);
	if (ret)
		return ret;
	ret = -EDQUOT;
	if (atomic_inc_return(&key->nr_pids) > VNPU_KEY_PIDS_MAX)
		goto err_uncharge;
	ret = xa_insert(&key->pids, pid, xa_mk_value(1), GFP_KERNEL_ACCOUNT);
	if (!ret)
		return 0;

err_uncharge:
	atomic_dec(&key->nr_pids);
	vnpu_host_account_uncharge(host_account, VNPU_HOST_OBJECTS, 1);
	/* -EBUSY: another thread has allowed the same process. */
	return ret == -EBUSY ? 0 : ret;
}

/**
 * vnpu_key_allow() - allow processes to open a key
 * @client: the client that created the key
 * @words: the key
 * @pids: ids of the processes in the pid namespace in which the key was created
 * @count: the number of ids
 *
 * The ids need not be in use yet. If the call fails, some of the processes may
 * be allowed.
 *
 * Return: 0, -ENOENT (the client has no such key), -EINVAL (an id is not a
 * valid pid), -EDQUOT (the key has 4096 ids, or the user has the maximum number
 * of objects) or -ENOMEM.
 */
int vnpu_key_allow(struct vnpu_client *client, const u64 words[2],
		   const s32 *pids, u32 count)
{
	struct vnpu_key *key = vnpu_key_get_own(client, words);
	int ret = 0;
	u32 i;

	if (!key)
		return -ENOENT;
	for (i = 0; !ret && i < count; i++)
		ret = vnpu_key_allow_one(key, pids[i]);
	vnpu_key_put(key);
	return ret;
}

/*
 * Check whether the calling process may open a key. The process of the client
 * that created the key always may: it has the file anyway.
 */
static bool vnpu_key_allows(struct vnpu_key *key)
{
	pid_t pid = task_tgid_nr_ns(current, key->pid_ns);

	return key->any_process || key->client->pid == task_tgid(current) ||
	       (pid && xa_load(&key->pids, pid));
}

/**
 * vnpu_key_open() - look up the file of a key
 * @words: the key
 * @kind: the kind that the key must have
 * @data: set to the data of the key
 *
 * Return: the file with a reference; ERR_PTR of -ENOENT if there is no such key
 * of this kind, or of -EACCES if the calling process may not open it.
 */
struct file *vnpu_key_open(const u64 words[2], u32 kind, u64 data[2])
{
	struct vnpu_key *key = vnpu_key_get(words);
	struct file *file;

	if (!key)
		return ERR_PTR(-ENOENT);
	if (key->kind != kind) {
		file = ERR_PTR(-ENOENT);
	} else if (!vnpu_key_allows(key)) {
		file = ERR_PTR(-EACCES);
	} else {
		file = get_file(key->file);
		memcpy(data, key->data, sizeof(key->data));
	}
	vnpu_key_put(key);
	return file;
}
