// SPDX-License-Identifier: GPL-2.0
/*
 * A client's entry holds a reference to its socket, so that the address can't be given to
 * another one and tells them apart. At the notification the kernel has taken the port id out of
 * its table already, and a new socket may have claimed things under it:
 * only the entries whose own socket is dead are dropped.
 */
#include "netlink.h"
#include "job.h"
#include "range.h"

#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/sock.h>

struct owner {
	struct list_head list;
	struct work_struct work;
	struct sock *sk;
	u32 id, portid;
	bool gone; /* the work is queued */
};

static DEFINE_MUTEX(lock); /* owners, last_id */
static LIST_HEAD(owners);
static u32 last_id;
static struct workqueue_struct *works;

/* Out of the list already. The last reference to a socket ends a dump that it had going. */
static void free_owner(struct owner *o)
{
	sock_put(o->sk);
	kfree(o);
}

static void drop(struct work_struct *work)
{
	struct owner *o = container_of(work, struct owner, work);

	mprobe_job_drop_owner(o->id);
	mprobe_range_release_owner(o->id);
	mutex_lock(&lock);
	list_del(&o->list);
	mutex_unlock(&lock);
	free_owner(o);
}

static int on_netlink(struct notifier_block *nb, unsigned long event, void *data)
{
	struct netlink_notify *n = data;
	struct owner *o;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC || n->net != &init_net)
		return NOTIFY_DONE;
	mutex_lock(&lock);
	list_for_each_entry(o, &owners, list) {
		if (o->portid != n->portid || o->gone || !sock_flag(o->sk, SOCK_DEAD))
			continue;
		o->gone = true;
		queue_work(works, &o->work);
	}
	mutex_unlock(&lock);
	return NOTIFY_OK;
}

static struct notifier_block block = { .notifier_call = on_netlink };

/* Under the lock. */
static struct owner *find(const struct sock *sk)
{
	struct owner *o;

	list_for_each_entry(o, &owners, list) {
		if (o->sk == sk)
			return o;
	}
	return NULL;
}

static struct owner *add(struct sock *sk, u32 portid)
{
	struct owner *o = kzalloc(sizeof(*o), GFP_KERNEL_ACCOUNT);

	if (!o)
		return NULL;
	INIT_WORK(&o->work, drop);
	sock_hold(sk);
	o->sk = sk;
	o->portid = portid;
	o->id = ++last_id;
	list_add(&o->list, &owners);
	return o;
}

u32 mprobe_netlink_owner(const struct sk_buff *request, bool create)
{
	struct sock *sk = NETLINK_CB(request).sk;
	struct owner *o;
	u32 id;

	mutex_lock(&lock);
	o = find(sk);
	if (!o && create)
		o = add(sk, NETLINK_CB(request).portid);
	id = o ? o->id : 0;
	mutex_unlock(&lock);
	return id;
}

u32 mprobe_netlink_owner_portid(u32 owner)
{
	struct owner *o;
	u32 portid = 0;

	mutex_lock(&lock);
	list_for_each_entry(o, &owners, list) {
		if (o->id == owner && !o->gone)
			portid = o->portid;
	}
	mutex_unlock(&lock);
	return portid;
}

int mprobe_netlink_owner_init(void)
{
	int ret;

	works = alloc_workqueue("mprobe_owner", WQ_UNBOUND, 0);
	if (!works)
		return -ENOMEM;
	ret = netlink_register_notifier(&block);
	if (ret)
		destroy_workqueue(works);
	return ret;
}

void mprobe_netlink_owner_uninit(void)
{
	struct owner *o, *next;

	netlink_unregister_notifier(&block);
	destroy_workqueue(works);
	list_for_each_entry_safe(o, next, &owners, list) {
		list_del(&o->list);
		free_owner(o);
	}
}
