#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Quotas as vnpu-smi sets and shows them, for a client, a user and a cgroup;
# access rights, and messages for wrong command lines.

. selftests/tool/common.sh

user=54321
export user

set_quota()
{
	"$smi" set -t quota -i 0 "$@" >"$tmp/out" 2>"$tmp/err" || {
		cat "$tmp/err"
		return 1
	}
	cat "$tmp/out"
}

# value LABEL: of the last output
value()
{
	sed -n "s/^	$1 *: //p" "$tmp/out" | head -n 1
}

# listed SCOPE ID LIMIT USED REFUSED: check that $tmp/info has such a line
listed()
{
	awk '{ print $1, $2, $3, $4, $5 }' "$tmp/info" | grep -qxF "$*"
}

# shown SCOPE ID LIMIT USED REFUSED: the list must have such a line
shown()
{
	"$smi" info -t quota -i 0 >"$tmp/info" && cat "$tmp/info" &&
		listed "$@"
}

# Print the entry of the host from $tmp/info.
of_host()
{
	sed -n '/NPU ID *: NA/,$p' "$tmp/info"
}

nothing()
{
	"$smi" info -t quota >"$tmp/info" && cat "$tmp/info" &&
		grep -q 'No quota is set' "$tmp/info" &&
		! grep -q '^	Scope' "$tmp/info"
}
tap_check "at first there is none" nothing

user_quota()
{
	set_quota --uid $user --limit 8M -y && [ "$(value Scope)" = uid ] &&
		[ "$(value Id)" = $user ] &&
		[ "$(value 'Limit(byte)')" = $((8 * MIB)) ] &&
		[ "$(value 'Used(byte)')" = 0 ] &&
		[ "$(value Removed)" = No ] && shown uid $user 8192 0 0
}
tap_check "limit a user" user_quota

as_user()
{
	setpriv --reuid=$user "$@"
}

# shellcheck disable=SC2016 # for the inner shell
used()
{
	as_user "$hold" $((8 * MIB)) sh -c '"$smi" info -t quota -i 0' \
		>"$tmp/info" && cat "$tmp/info" &&
		grep -q "uid  *$user  *8192  *8192  *0  memory(KB)$" "$tmp/info" &&
		grep -q "^	[0-9]*  *$user  *[0-9]*  *8192  hold$" "$tmp/info"
}
tap_check "the use and its users are shown" used

refuses()
{
	as_user "$hold" $((8 * MIB + 1)) true 2>"$tmp/err"
	[ $? -eq 125 ] && cat "$tmp/err" && grep -q 'quota' "$tmp/err" &&
		shown uid $user 8192 0 1
}
tap_check "more is refused, and counted" refuses

other_limit()
{
	set_quota --uid $user --limit 9M -y && shown uid $user 9216 0 1 &&
		as_user "$hold" $((8 * MIB + 1)) true
}
tap_check "another limit" other_limit

removed()
{
	set_quota --uid $user --remove -y && [ "$(value Removed)" = Yes ] &&
		[ "$(value 'Limit(byte)')" = $((9 * MIB)) ] && nothing &&
		as_user "$hold" $((10 * MIB)) true
}
tap_check "no limit any more" removed

streams_quota()
{
	set_quota --uid $user --resource streams --limit 3 -y &&
		[ "$(value Resource)" = streams ] &&
		[ "$(value Limit)" = 3 ] && shown uid $user 3 0 0 &&
		grep -q 'streams$' "$tmp/info" &&
		set_quota --uid $user --resource streams --remove -y && nothing
}
tap_check "limit a user's streams" streams_quota
# Resources of the host. Each quota is in the list once, and not with a device.
# shellcheck disable=SC2016 # for the inner shell
host_quota()
{
	for resource in bindings objects sync-files host-memory; do
		"$smi" set -t quota --uid $user --resource $resource \
			--limit 5K -y >"$tmp/out" && cat "$tmp/out" &&
			grep -q 'NPU ID *: NA' "$tmp/out" || return 1
	done
	"$smi" info -t quota >"$tmp/info" && cat "$tmp/info" &&
		listed uid $user 5120 0 0 && listed uid $user 5 0 0 &&
		of_host | grep -q 'host-memory(KB)$' &&
		of_host | grep -q 'sync-files$' &&
		[ "$(grep -c 'NPU ID *: NA' "$tmp/info")" -eq 1 ] &&
		[ "$(grep -c "uid  *$user " "$tmp/info")" -eq 4 ] || return 1
	"$smi" info -t quota -i 0 >"$tmp/info" && cat "$tmp/info" &&
		grep -q 'No quota is set' "$tmp/info" &&
		! grep -q "uid  *$user " "$tmp/info" || return 1
	as_user "$hold" $((8 * MIB)) sh -c '"$smi" info -t quota' \
		>"$tmp/info" && cat "$tmp/info" &&
		grep -q "uid  *$user  *5120  *1  *0  objects$" \
			"$tmp/info" || return 1
	for resource in bindings objects sync-files host-memory; do
		"$smi" set -t quota --uid $user --resource $resource \
			--remove -y --json >"$tmp/out" && cat "$tmp/out" &&
			grep -q '"device": *null' "$tmp/out" || return 1
	done
	nothing
}
tap_check "limit resources of the host" host_quota

# The same lists in data; the host is last and has no id.
host_data()
{
	"$smi" set -t quota --uid $user --resource threads --limit 7 -y &&
		"$smi" info -t quota --json >"$tmp/json" &&
		"$smi" info -t quota --format csv >"$tmp/csv" &&
		"$smi" info -t quota -i 0 --json >"$tmp/one" &&
		"$smi" set -t quota --uid $user --resource threads --remove -y ||
		return 1
	cat "$tmp/json" "$tmp/csv"
	[ "$(sed 1d "$tmp/csv")" = ",,,threads,uid,$user,7,0,0" ] &&
		PYTHONPATH=selftests/tool python3 -B - "$tmp" <<'EOP'
import json, sys
from schema import Schema

def load(name):
    with open(f"{sys.argv[1]}/{name}") as f:
        info = json.load(f)
    Schema("Documentation/vnpu-smi.schema.json").validate("quota", info)
    return info["devices"]

*devices, host = load("json")
assert [d["id"] for d in devices] == list(range(len(devices))), devices
assert not any(d["quotas"] for d in devices), devices
quotas = host.pop("quotas")
assert host == {"id": None, "chip_count": None, "chip_id": None,
                "clients": []}, host
assert [(q["resource"], q["limit"]) for q in quotas] == [("threads", 7)], quotas
assert load("one") == devices[:1], devices
EOP
}
tap_check "JSON and CSV have the host once" host_data
tap_check "there must be such a resource" refused 1 "unknown resource" \
	"$smi" set -t quota -i 0 --uid $user --resource cores --limit 1 -y
tap_check "a quota that is not set cannot be removed" refused 7 "no such quota" \
	"$smi" set -t quota -i 0 --uid $user --remove -y

# Find the client of a process, in the list of clients.
# shellcheck disable=SC2016 # for the inner shell
client_quota()
{
	"$hold" $((4 * MIB)) sh -c '
		client=$("$smi" info -t quota -i 0 |
			 awk -v pid="$HOLD_PIDS" "\$3 == pid { print \$1 }") &&
		"$smi" set -t quota -i 0 --client "$client" --limit 1M -y &&
		"$smi" info -t quota -i 0' >"$tmp/info" && cat "$tmp/info" &&
		grep -q 'client  *[0-9]*  *1024  *4096  *0  memory(KB)$' "$tmp/info" &&
		nothing
}
tap_check "the quota of a client ends with it" client_quota
tap_check "there must be such a client" refused 7 "no such client" \
	"$smi" set -t quota -i 0 --client 18446744073709551615 --limit 0 -y

if cgroup=$(mktemp -d /sys/fs/cgroup/vnpu-smi-XXXXXX); then
	number=$(stat -c %i "$cgroup")
	by_path()
	{
		set_quota --cgroup "$cgroup" --limit 2M -y &&
			shown cgroup "$number" 2048 0 0
	}
	tap_check "a cgroup by its directory" by_path

	# shellcheck disable=SC2016 # for the inner shell
	within()
	{
		! cgroup=$cgroup sh -c 'echo $$ >"$cgroup/cgroup.procs" &&
			exec "$hold" 2097153 true' &&
			cgroup=$cgroup sh -c 'echo $$ >"$cgroup/cgroup.procs" &&
			exec "$hold" 2097152 true' &&
			shown cgroup "$number" 2048 0 1
	}
	tap_check "processes in it are limited" within

	by_number()
	{
		set_quota --cgroup "$number" --limit 3M -y &&
			shown cgroup "$number" 3072 0 1
	}
	tap_check "a cgroup by its number" by_number

	gone()
	{
		rmdir "$cgroup" && shown cgroup "$number" 3072 0 1 &&
			set_quota --cgroup "$number" --remove -y && nothing
	}
	tap_check "one that is gone can be removed" gone
else
	tap_skip "cgroups" "there is no cgroup2"
fi
tap_check "a directory outside of cgroup2 is refused" refused 7 "not a directory of cgroup2" \
	"$smi" set -t quota -i 0 --cgroup "$tmp" --limit 1 -y
tap_check "so is a missing directory" refused 7 "cannot find" \
	"$smi" set -t quota -i 0 --cgroup /nonexistent --limit 1 -y
tap_check "so is a number without a cgroup" refused 7 "no such cgroup" \
	"$smi" set -t quota -i 0 --cgroup 0 --limit 1 -y

# shellcheck disable=SC2016 # for the inner shell
schema()
{
	set_quota --uid $user --limit 1T -y --json && cp "$tmp/out" "$tmp/set" &&
		"$hold" 1 sh -c '"$smi" info -t quota --json' >"$tmp/info" &&
		set_quota --uid $user --remove -y --json &&
		cp "$tmp/out" "$tmp/remove" &&
		PYTHONPATH=selftests/tool python3 -B - "$tmp" $user <<'EOP'
import json, sys
from schema import Schema

def load(name):
    with open(f"{sys.argv[1]}/{name}") as f:
        return json.load(f)

schema = Schema("Documentation/vnpu-smi.schema.json")
user = int(sys.argv[2])
answers = load("set"), load("remove")
for answer in answers:
    schema.validate("set-quota", answer)
    assert (answer["scope"], answer["id"]) == ("uid", user), answer
    assert answer["limit"] == 1 << 40, answer
assert [a["removed"] for a in answers] == [False, True]
info = load("info")
schema.validate("quota", info)
device = info["devices"][0]
assert [q["id"] for q in device["quotas"]] == [user], device
assert [c["memory_bytes"] for c in device["clients"]] == [4096], device
EOP
}
tap_check "JSON conforms to the schema" schema

# confirmed STATUS ANSWER: answer the question for confirmation
confirmed()
{
	confirmed_status=0
	printf '%b' "$2" | "$smi" set -t quota -i 0 --uid $user --limit 1M \
		>"$tmp/out" 2>"$tmp/err" || confirmed_status=$?
	cat "$tmp/out" "$tmp/err"
	grep -q "Limit uid $user to 1048576 bytes on device 0? (y/n)" \
		"$tmp/err" && [ $confirmed_status -eq "$1" ] || return 1
	if [ "$1" -eq 0 ]; then
		set_quota --uid $user --remove -y
	else
		nothing
	fi
}
tap_check "yes" confirmed 0 'y\n'
tap_check "no" confirmed 7 'n\n'
tap_check "no answer" confirmed 7 ''

tap_check "a user without rights is refused" \
	refused 4 "permission" setpriv --reuid=65534 --regid=65534 \
	--clear-groups "$smi" set -t quota -i 0 --uid 65534 --limit 1T -y
tap_check "so is the root of a user namespace" \
	refused 4 "permission" unshare -Urn "$smi" set -t quota -i 0 --uid 0 \
	--limit 0 -y
tap_check "and may not remove one" \
	refused 4 "permission" unshare -Urn "$smi" set -t quota -i 0 --uid 0 \
	--remove -y

readable()
{
	set_quota --uid $user --limit 5M -y &&
		unshare -Urn "$smi" info -t quota -i 0 >"$tmp/info" &&
		cat "$tmp/info" && set_quota --uid $user --remove -y &&
		grep -q 'uid  *65534  *5120  *0  *0  memory(KB)$' "$tmp/info"
}
tap_check "but all may see them, with the users they know" readable

tap_end
