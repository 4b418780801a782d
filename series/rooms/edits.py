"""Literal edits of single files, by stage.  Each says when what it looks for is gone."""
import os, re

OFFERS = {
    '.': 'The module: its start and end, and its tracepoints.',
    'ioctl': '/dev/vnpu: open, mmap, fdinfo, and a handler for each ioctl.',
    'netlink': 'The netlink family: requests of tools, and the events of base/events.h.',
    'device': 'The life of a device: made, plugged, suspended, removed; sysfs and debugfs.',
    'client': 'The life of a client, the address space that it ends with, and its history.',
    'exec': 'Streams, and the engines that run their tasks: rings, scheduler, operations, fences, hangs and resets.',
    'sync': 'Timelines and counters: values that streams, the host and files wait for.',
    'va': 'Device addresses: bindings, the window that the host maps, slabs, copies by address.',
    'compact': 'Allocating device memory: compaction, what it moves, and the report when none is left.',
    'mem': 'Memory objects: pages of the arena, host memory, dma-bufs; who holds them.',
    'ras': 'Injected faults and errors of memory.',
    'account': 'Users, accounts, quotas and numbered resources.',
    'base': 'The device and the client, as all rooms know them: structs, tables, references.',
    'core': 'Algorithms without the kernel: allocator, address map, planner, queues.'}

def replace(path, old, new, count=None):
    if not os.path.exists(path): return warn(f"{path} is gone")
    t = read(path)
    if old not in t: return warn(f"{path}: not found: {old[:60]!r}")
    write(path, t.replace(old, new))

def moves():
    core = "selftests/core/core.mk"
    replace(core, "$(CORE_DIR)/check/%.o: driver/%.c driver/", "$(CORE_DIR)/check/%.o: driver/exec/%.c driver/")
    replace(core, "CORE_TARGETS := buddy compact slab va", "CORE_TARGETS := allocator compact slab va")
    replace("selftests/core/fuzz.sh", "for target in buddy compact slab va", "for target in allocator compact slab va")
    replace("selftests/core/core_test.c", 'feed("buddy"', 'feed("allocator"')
    replace("selftests/pool/pool.mk", "lib/src/pool/*.h lib/src/*.h", "lib/src/pool/*.h lib/src/*/*.h")
    replace("selftests/lib/lib-tests.mk", "lib/src/profile/*.", "lib/src/memprof/*.")
    replace("selftests/pool/pool.mk", "async default provider)", "async default provider \\\n\tmempool mempool_segment)")
    replace("selftests/plan/plan.mk", "-Ilib/include -pthread", "-Ilib/include -iquote lib/src -pthread")
    layers = "selftests/abi/layers.sh"
    replace(layers, r"'driver/(ioctl|file|copy|sysfs|netlink)\.[ch]'",
            r"'driver/(ioctl/(ioctl|file)|va/copy|device/sysfs|netlink/netlink)\.[ch]'")
    replace(layers, r"'driver/(ioctl.*|file|sysfs|netlink)\.[ch]'",
            r"'driver/(ioctl/.*|device/sysfs|netlink/netlink)\.[ch]'")
    t = read(layers)
    t = re.sub(r"'lib/src/io(?:/io)?\\.c'", lambda m: r"'lib/src/io/io\.c'", t)
    t = t.replace(r"'lib/src/io(_[a-z]+)?\.[ch]'", r"'lib/src/io/.*'")
    write(layers, t)

def renames():
    for p in ("selftests/tool/events.c", "Documentation/tracing.md"):
        t = read(p)
        write(p, re.sub(r"\bvnpu_clear\b", "vnpu_scrub", t))

    replace("driver/exec/stream.h", " * @latched: what its operation keeps from", " * @saved: what its operation keeps from")
    replace("driver/exec/stream.h", "u64 latched[2];", "u64 saved[2];")


# ---------------------------------------------------------------- moving definitions
def _span(t, name, kind):
    """(start, end) of a definition with its comment: kind func, proto, struct, define, line."""
    n = re.escape(name)
    if kind == "func":
        m = re.search(rf"^(?![ \t#/*}}])(?:[^\n;{{}}]*\n)??[^\n;]*?\b{n}\((?:[^;{{}}]*?)\)\s*\n\{{\n.*?^\}}\n", t, re.M | re.S)
        # A return type may stand alone on the line before.
    elif kind == "proto":
        m = re.search(rf"^(?![ \t#/*}}])[^\n;(){{]*\n?[^\n;(){{]*\b{n}\([^;{{]*\);\n", t, re.M)
    elif kind == "struct":
        m = re.search(rf"^(?:struct|union|enum) {n} \{{\n.*?^\}};\n", t, re.M | re.S)
    elif kind == "define":
        m = re.search(rf"^#define {n}\b(?:[^\n]*\\\n)*[^\n]*\n", t, re.M)
    else:
        m = re.search(rf"^[^\n]*{name}[^\n]*\n", t, re.M)
    if not m: return None
    start = m.start()
    # A match that begins in an earlier blank or foreign line is cut down to its last paragraph.
    body = m[0]
    cut = body.rfind("\n\n", 0, body.index(name) if name in body else 0)
    if kind in ("func", "proto") and cut >= 0: start += cut + 2
    if kind in ("func", "proto"):
        head = t[start:t.index(name, start)]
        lines = head.split("\n")
        while len(lines) > 1 and (not lines[0].strip() or lines[0].rstrip().endswith((";", "}", "*/")) or lines[0].startswith("#")):
            start += len(lines[0]) + 1
            lines.pop(0)
    before = t[:start]
    c = re.search(r"(?:^|\n)(/\*(?:(?!\*/).)*\*/\n)$", before, re.S)
    if c and kind != "proto" and kind != "line": start -= len(c[1])
    return start, m.end()

def take(path, *names, kind="func"):
    t, out_ = read(path), []
    for name in names:
        s = _span(t, name, kind)
        if not s:
            warn(f"take: {path}: no {kind} {name}")
            continue
        out_.append(t[s[0]:s[1]])
        rest = t[s[1]:]
        head = t[:s[0]]
        if kind in ("func", "struct") and head.endswith("\n\n") and rest.startswith("\n"): rest = rest[1:]
        t = head + rest
    t = re.sub(r"\n{3,}", "\n\n", t)
    t = re.sub(r"\n\n\Z", "\n", t)
    write(path, t)
    return ("" if kind in ("proto", "define", "line") else "\n").join(out_)

def before_line(path, marker, text, last=False):
    t = read(path)
    i = t.rfind(marker) if last else t.find(marker)
    if i < 0: return warn(f"{path}: no {marker!r}")
    write(path, t[:i] + text + t[i:])

def after_includes(path, text):
    t = read(path)
    m = list(re.finditer(r"^#include [^\n]*\n", t, re.M))[-1]
    write(path, t[:m.end()] + text + t[m.end():])

def public(text):
    """Functions that another file calls now."""
    return re.sub(r"^static (?!inline|const)", "", text, flags=re.M)

def include(path, *headers):
    t = read(path)
    room = os.path.dirname(path)[len("driver/"):] if path.startswith("driver/") else ""
    have = set(re.findall(r'^#include "([^"]+)"', t, re.M))
    for h in headers:
        short = h.split("/", 1)[1] if "/" in h and h.split("/")[0] == room else h
        if short in have or h in have: continue
        have.add(short)
        m = list(re.finditer(r'^#include "[^"]+"\n', t, re.M))
        line = f'#include "{short}"\n'
        if m: t = t[:m[-1].end()] + line + t[m[-1].end():]
        else:
            m = list(re.finditer(r'^#include <[^>]+>\n', t, re.M))
            if m: t = t[:m[-1].end()] + "\n" + line + t[m[-1].end():]
            else:
                m = re.search(r"^#define VNPU_\w+_H\n", t, re.M)
                t = t[:m.end()] + "\n" + line + t[m.end():]
    write(path, resort(path, t))

def exclude(path, *headers):
    t = read(path)
    for h in headers:
        t = re.sub(rf'^#include "{re.escape(h)}"\n', "", t, flags=re.M)
    t = re.sub(r"\n{3,}", "\n\n", t)
    write(path, t)

def resort(path, t):
    def sub(m):
        lines = m[0].rstrip("\n").split("\n")
        key = lambda l: re.search(r'"([^"]+)"', l)[1]
        lines.sort(key=lambda l: ("/" not in key(l), key(l)))
        return "\n".join(lines) + "\n"
    if os.path.basename(path) in ("trace.c", "trace.h", "trace_mem.h"): return t
    return re.sub(r'(?:^#include "[^"]+"\n)+', sub, t, flags=re.M)

def header(path, summary, includes, forward, body):
    g = "VNPU_" + os.path.splitext(os.path.basename(path))[0].upper() + "_H"
    if g == "VNPU_CREATE_H": g = "VNPU_" + path.split("/")[-2].upper() + "_CREATE_H"
    inc = "".join(f"#include {i}\n" for i in includes)
    fwd = "".join(f"struct {s};\n" for s in sorted(forward))
    parts = [p for p in (inc, fwd, body.strip("\n") + "\n") if p.strip()]
    write(path, "/* SPDX-License-Identifier: GPL-2.0-only */\n" + summary + f"#ifndef {g}\n#define {g}\n\n" +
          "\n".join(parts) + "\n#endif\n")
    sh("git", "add", path)

def source(path, summary, includes, body):
    write(path, "// SPDX-License-Identifier: GPL-2.0-only\n" + summary +
          "".join(f"#include {i}\n" if i else "\n" for i in includes) + "\n" + body.strip("\n") + "\n")
    sh("git", "add", path)

def kbuild_add(*objs):
    t = read("Kbuild")
    for o in objs:
        room = o.split("/")[1]
        m = re.search(rf"^vnpu-y (?:\+|:)= \\\n((?:\tdriver/{room}/[^\n]*\n)+)", t, re.M)
        files = sorted(re.findall(r"driver/\S+\.o", m[1]) + [o]) if m else [o]
        width = (max(len(f) for f in files) + 8) // 8 * 8
        text = "".join("\t" + f + ("" if f == files[-1] else "\t" * ((width - len(f) + 7) // 8) + "\\") + "\n" for f in files)
        t = t[:m.start(1)] + text + t[m.end(1):]
    write("Kbuild", t)

def users(regex):
    r = re.compile(regex)
    for p in text_files("driver"):
        if p.endswith((".c", ".h")) and not p.startswith(("driver/core/", "driver/tests/")) and r.search(read(p)):
            yield p

    for p in text_files("driver", "Documentation"):
        if not p.endswith((".c", ".h", ".md")): continue
        t = read(p)
        if p.startswith("driver/compact/"):
            for a, b in (("evacuation", "migration"), ("is evacuated", "is emptied"), ("evacuated", "migrated")):
                t = re.sub(rf"\b{a}\b", b, t)
        t = t.replace("buddy*.c", "allocator*.c")
        if p == "Documentation/allocator.md": t = t.replace("`evacuate.c`", "`migrate.c`")
        write(p, t)

def splits():
    B = "driver/base/"
    # ---- A. events: what low rooms report, and netlink/ sends
    nl = "driver/netlink/netlink.h"
    names = re.findall(r"\b(vnpu_event_send_\w+)\(", read(nl))
    protos = take(nl, *names, kind="proto")
    header(B + "events.h", """/*
 * Events: what happens in any room and user space is to hear of.  Implemented by
 * netlink/, which sends them; a room that reports one knows nothing of netlink.
 */
""", ["<linux/types.h>"], ["vnpu_compaction", "vnpu_device", "vnpu_history", "vnpu_hang", "vnpu_oom", "vnpu_task_fault"], protos)
    t = read(nl)
    write(nl, re.sub(r"(?:^struct \w+;\n)+\n|#include <linux/types.h>\n\n", "", t, flags=re.M))
    for p in list(users(r"\bvnpu_event_send_")):
        if p.endswith(".c"): include(p, "base/events.h")
    for p in list(users(r'#include "netlink/netlink.h"')):
        if not re.search(r"vnpu_netlink_(un)?register", read(p)): exclude(p, "netlink/netlink.h")
    # ---- B. upcalls: the few calls that go up
    eng = "driver/exec/engine.h"
    up = (take(eng, "vnpu_assert_may_wait", kind="proto") + take(eng, "vnpu_engines_are_busy", kind="proto") +
          take("driver/exec/foreign.h", "vnpu_foreign_start", kind="proto"))
    header(B + "upcalls.h", """/*
 * What low rooms ask of those above: whether the caller may wait, whether engines are
 * busy, and for a thread that asks other drivers.  Implemented by exec/.
 */
""", ["<linux/types.h>"], ["vnpu_engines", "vnpu_foreign"], up)
    for p in list(users(r"\b(vnpu_assert_may_wait|vnpu_engines_are_busy|vnpu_foreign_start)\(")):
        if p.endswith(".c"): include(p, "base/upcalls.h")
    for p in ("driver/mem/scrub.c", "driver/mem/mem.c", "driver/mem/dmabuf_import.c", "driver/sync/timeline.c"):
        exclude(p, "exec/engine.h", "exec/foreign.h")
    for p in list(users(r'#include "exec/(engine|foreign).h"')):
        if p.split("/")[1] not in ("sync", "va", "compact", "mem", "ras", "account") or not p.endswith(".c"): continue
        t = re.sub(r"vnpu_(assert_may_wait|engines_are_busy|foreign_start)\b", "", read(p))
        if not re.search(r"\bvnpu_engines?_\w+\(|struct vnpu_engine\b", t): exclude(p, "exec/engine.h")
        if not re.search(r"\bvnpu_foreign_\w+\(", t): exclude(p, "exec/foreign.h")
    # ---- C. the device, as all rooms know it
    dev, dc = B + "device.h", "driver/device/create.c"
    classes = take(eng, "VNPU_ENGINE_COPY", "VNPU_ENGINE_VECTOR", "VNPU_ENGINE_CLASSES", "VNPU_ENGINE_ANY", kind="define")
    ids = take("driver/account/id_pool.h", "VNPU_ID_STREAM", "VNPU_ID_EVENT", "VNPU_ID_COUNTER", "VNPU_ID_KINDS", kind="define")
    structs = "\n".join([take("driver/account/id_pool.h", "vnpu_id_pool", kind="struct"),
                         take("driver/ras/inject.h", "vnpu_inject", kind="struct"),
                         take("driver/ras/ecc.h", "vnpu_ecc", kind="struct"),
                         take("driver/mem/scrub.h", "vnpu_scrub", kind="struct")])
    before_line(dev, "/**\n * struct vnpu_device - ", classes + "\n" + ids + "\n" + structs + "\n")
    exclude(dev, "account/id_pool.h", "mem/scrub.h", "device/scrub.h", "ras/ecc.h", "ras/inject.h")
    before_line(dev, "#include <linux/kref.h>", "#include <linux/atomic.h>\n#include <linux/idr.h>\n")
    before_line(dev, "#include <linux/list.h>", "#include <linux/kthread.h>\n")
    before_line(dev, "#include <linux/uuid.h>", "#include <linux/spinlock.h>\n#include <linux/types.h>\n")
    before_line(dev, "\n#include <linux/vnpu.h>", "#include <linux/xarray.h>\n")
    for h in ("driver/account/id_pool.h", "driver/account/account.h", "driver/ras/inject.h", "driver/ras/ecc.h",
              "driver/mem/scrub.h", "driver/exec/engine.h"):
        include(h, "base/device.h")
    exclude("driver/account/account.h", "id_pool.h")
    # ---- D. the client, as all rooms know it
    cl, cc = B + "client.h", "driver/client/create.c"
    faults = take("driver/exec/task_fault.h", "VNPU_TASK_FAULT_BURST", "VNPU_TASK_FAULT_SECONDS", kind="define")
    structs = "\n".join([take("driver/exec/task_fault.h", "vnpu_task_fault", kind="struct"),
                         take("driver/exec/task_fault.h", "vnpu_task_faults", kind="struct"),
                         take("driver/exec/foreign.h", "vnpu_foreign", kind="struct")])
    before_line(cl, "/**\n * struct vnpu_client - ", faults + "\n" + structs + "\n")
    exclude(cl, "account/account.h", "exec/engine.h", "exec/foreign.h", "exec/task_fault.h")
    before_line(cl, "#include <linux/rwsem.h>", "#include <linux/ratelimit.h>\n")
    before_line(cl, "#include <linux/wait.h>", "#include <linux/spinlock.h>\n#include <linux/types.h>\n")
    before_line(cl, "#include <linux/xarray.h>", "#include <linux/workqueue.h>\n")
    include(cl, "base/device.h")
    for h in ("driver/exec/task_fault.h", "driver/exec/foreign.h"): include(h, "base/client.h")
    # ---- E. bindings, as memory knows them
    bind = "driver/va/bind.h"
    t = read(bind)
    mapped = take(bind, "VNPU_MAPPED_NO", "VNPU_MAPPED_YES", "VNPU_MAPPED_GOING", kind="define")
    write(bind, read(bind).replace("/* mapped.c */\n", ""))
    body = (mapped + "\n" + take(bind, "vnpu_binding", kind="struct") + "\n" + take(bind, "vnpu_span", kind="struct") + "\n" +
            take(bind, "vnpu_binding_note_mapped", "vnpu_mapped_revoke", kind="proto") + "\n" +
            take(bind, "vnpu_binding_of", "vnpu_binding_is_mapped", "vnpu_binding_length"))
    header("driver/mem/binding.h", "/* A binding, as the memory object knows it: va/ makes them. */\n",
           ["<asm/barrier.h>", "<linux/container_of.h>", "<linux/list.h>", "<linux/types.h>", "", '"core/va.h"'],
           ["vnpu_client", "vnpu_mem"], body)
    t = read("driver/mem/binding.h").replace("#include \n", "\n"); write("driver/mem/binding.h", t)
    include(bind, "mem/binding.h")
    exclude("driver/mem/devmem.h", "va/bind.h"); include("driver/mem/devmem.h", "mem/binding.h")
    exclude("driver/mem/mapped.c", "va/bind.h"); include("driver/mem/mapped.c", "mem/binding.h")
    exclude("driver/compact/migrate.c", "va/bind.h"); include("driver/compact/migrate.c", "mem/binding.h")
    # ---- F. injection points and errors of memory
    inj = "driver/ras/inject.h"
    tp = take(inj, "vnpu_inject_task", "vnpu_inject_doorbell", kind="proto")
    pt = "driver/ras/inject_point.c"
    look = take(pt, "VNPU_INJECT_LOOK", kind="define")
    fn = take(pt, "vnpu_inject_stall", "vnpu_inject_task", "vnpu_inject_doorbell")
    source("driver/exec/inject_task.c", """/*
 * Injected faults of engines, tasks and doorbells; those of memory are in
 * ras/inject_point.c.
 */
""", ["<linux/hrtimer.h>", "<linux/ktime.h>", "<linux/sched.h>", "", "<linux/vnpu_netlink.h>", "", '"base/client.h"',
      '"base/device.h"', '"ras/inject.h"', '"engine.h"', '"stream.h"', '"task.h"'], look + "\n" + fn)
    before_line("driver/exec/task.h", "\n#endif", "\n/* inject_task.c: asked only while vnpu_inject_is_on() */\n" + tp, last=True)
    t = read(pt)
    t = t.replace("static bool vnpu_inject_happens(", "bool vnpu_inject_happens(")
    t = t.replace("""/*
 * An occasion for faults of a kind: does one happen? Each that is meant counts
 * it. Of several that happen, *@delay_us is what all take together.
 */
""", """/**
 * vnpu_inject_happens() - ask at an injection point whether a fault happens
 * @dev: the device
 * @kind: VNPU_INJECT_KIND_*
 * @class: class of the engine, or VNPU_INJECT_ANY_CLASS
 * @client: id of the client, or VNPU_INJECT_ANY_CLIENT
 * @delay_us: set to the sum of the delays of all faults that happen
 *
 * Each fault that is set for this point counts it.
 */
""")
    t = re.sub(r"^bool vnpu_inject_happens\([^)]*\)", "bool vnpu_inject_happens(struct vnpu_device *dev, u32 kind, u32 class, u64 client,\n\t\t\t u64 *delay_us)", t, flags=re.M)
    write(pt, t)
    exclude(pt, "exec/engine.h", "exec/stream.h", "exec/task.h")
    exclude("driver/ras/inject.c", "exec/engine.h"); include("driver/ras/inject.c", "base/device.h")
    before_line(inj, "bool vnpu_inject_alloc(", "bool vnpu_inject_happens(struct vnpu_device *dev, u32 kind, u32 class, u64 client,\n\t\t\t u64 *delay_us);\n")
    meet = take("driver/ras/ecc.c", "vnpu_ecc_meet")
    write("driver/va/resolve.c", read("driver/va/resolve.c").rstrip("\n") + "\n\n" + meet)
    before_line(bind, "bool vnpu_binding_allows(", take("driver/ras/ecc.h", "vnpu_ecc_meet", kind="proto"))
    include(bind, "ras/inject.h")
    before_line(bind, "\n#endif", "\n" + take("driver/ras/ecc.h", "vnpu_ecc_check"), last=True)
    write("driver/ras/ecc.h", read("driver/ras/ecc.h").replace("struct vnpu_span;\n", ""))
    alarm = take("driver/ras/ecc.c", "vnpu_ecc_alarm", "vnpu_ecc_init", "vnpu_ecc_fini", "vnpu_ecc_flush")
    after_includes("driver/exec/reset.c", "\n#include PLACE\n")
    write("driver/exec/reset.c", read("driver/exec/reset.c").replace("\n#include PLACE\n", "").rstrip("\n") + "\n\n" + alarm)
    before_line("driver/exec/reset.h", "\n#endif", "\n" + take("driver/ras/ecc.h", "vnpu_ecc_init", "vnpu_ecc_fini", "vnpu_ecc_flush", kind="proto"), last=True)
    write("driver/exec/reset.h", read("driver/exec/reset.h").replace("struct vnpu_device;", "struct vnpu_device;\nstruct vnpu_ecc;", 1))
    exclude("driver/ras/ecc.c", "device/reset.h", "exec/reset.h", "exec/engine.h", "mem/mem.h", "va/bind.h")
    exclude("driver/ras/ecc.h", "inject.h"); include("driver/ras/ecc.c", "ras/inject.h"); include("driver/va/resolve.c", "ras/inject.h")
    # ---- G. why there is no memory: quotas, and the whole report
    oc, oh = "driver/compact/oom_report.c", "driver/account/oom.h"
    rep = take(oh, "vnpu_oom_report", "vnpu_oom_get_last", kind="proto")
    header("driver/compact/oom_report.h", "/* The report on an allocation that failed. */\n", ["<linux/types.h>"],
           ["vnpu_account", "vnpu_client", "vnpu_devmem_spec", "vnpu_oom", "vnpu_quota_state"], rep)
    q = take(oc, "vnpu_oom_log_quota", "vnpu_oom_notify_quota", "vnpu_oom_report_quota", "vnpu_oom_put_holders")
    isq = take(oc, "vnpu_oom_is_quota").replace("static bool", "static inline bool")
    q = q.replace("static void vnpu_oom_notify_quota(const struct vnpu_oom *oom,\n\t\t\t\t  struct vnpu_device *dev)",
                  "/**\n * vnpu_oom_notify_quota() - report a request that a quota refused\n * @oom: the request\n * @dev: the device\n */\nvoid vnpu_oom_notify_quota(const struct vnpu_oom *oom, struct vnpu_device *dev)")
    if "static void vnpu_oom_notify_quota" in q: warn("oom_notify_quota: still static")
    source("driver/account/oom.c", "/*\n * Requests that a quota refused.  The report on memory that is short is made by\n * compact/oom_report.c.\n */\n#define pr_fmt(fmt) KBUILD_MODNAME \": \" fmt\n\n",
           ["<linux/pid.h>", "<linux/printk.h>", "<linux/slab.h>", "", "<linux/vnpu.h>", "", '"base/client.h"', '"base/device.h"', '"base/events.h"',
            '"account.h"', '"oom.h"', '"quota.h"', '"trace.h"'], q)
    before_line(oh, "\n#endif", "void vnpu_oom_notify_quota(const struct vnpu_oom *oom, struct vnpu_device *dev);\n\n" + isq, last=True)
    write(oh, read(oh).replace("struct vnpu_client;\n", "struct vnpu_client;\nstruct vnpu_device;\n", 1).replace("struct vnpu_devmem_spec;\n", ""))
    include(oc, "compact/oom_report.h", "account/oom.h")
    before_line(oh, "\n#include \"", "\n#include <linux/vnpu.h>\n")
    # ---- H. allocating device memory: from what is free, by compaction, or a report
    dm, dh = "driver/mem/devmem.c", "driver/mem/devmem.h"
    st = take(dm, "vnpu_devmem_found", kind="struct")
    fns = take(dm, "vnpu_devmem_taken", "vnpu_devmem_try_find_pages", "vnpu_devmem_replace_seen", "vnpu_devmem_find_pages",
               "vnpu_devmem_trim", "vnpu_devmem_create_for", "vnpu_devmem_create")
    p = take(dh, "vnpu_devmem_create", kind="proto")
    header("driver/compact/devmem_alloc.h", "/* Allocating device memory. */\n", [], ["vnpu_client", "vnpu_devmem", "vnpu_devmem_spec"], p)
    source("driver/compact/devmem_alloc.c", """/*
 * Allocating device memory: from the free extents; else by a compaction that makes a
 * run of them; else there is a report on why there is none.
 */
""", ["<linux/err.h>", "<linux/list.h>", "<linux/log2.h>", "<linux/sched.h>", "<linux/string.h>", "", "<linux/vnpu.h>", "",
      '"account/account.h"', '"account/quota.h"', '"base/client.h"', '"base/device.h"', '"mem/devmem.h"', '"ras/inject.h"',
      '"compact.h"', '"devmem_alloc.h"', '"oom_report.h"', '"trace_mem.h"'], st + "\n" + fns)
    t = read(dm)
    t = t.replace("static struct vnpu_devmem *vnpu_devmem_new(", """/**
 * vnpu_devmem_new() - make an object without pages
 * @dev: the device whose memory it is to have
 *
 * Return: the object with one reference and a pin, or NULL.
 */
struct vnpu_devmem *vnpu_devmem_new(""")
    t = t.replace("""/*
 * One that was broken off stays on the list, without pages, while a walk that is
 * paused at it has a reference.
 */
static void vnpu_devmem_give_back(""", """/**
 * vnpu_devmem_give_back() - free the pages of an object
 * @devmem: the object, which has pages
 * @is_released: it has no reference and leaves the list of the device
 *
 * An object whose allocation was broken off stays on the list, without pages, while
 * a walk that is paused at it has a reference.
 */
void vnpu_devmem_give_back(""")
    write(dm, t)
    before_line(dh, "struct vnpu_devmem *vnpu_devmem_of(", "struct vnpu_devmem *vnpu_devmem_new(struct vnpu_device *dev);\nvoid vnpu_devmem_give_back(struct vnpu_devmem *devmem, bool is_released);\n")
    exclude(dm, "compact/compact.h", "compact/oom.h", "compact/oom_report.h", "account/oom.h")
    # ---- I. ids of streams
    ti, th = "driver/sync/timeline_id.c", "driver/sync/timeline.h"
    fns = take(ti, "vnpu_timeline_take_entry", "vnpu_timeline_take_stream_id", "vnpu_timeline_give_up_id", "vnpu_timelines_end_all")
    p = take(th, "vnpu_timeline_take_stream_id", "vnpu_timeline_give_up_id", "vnpu_timelines_end_all", kind="proto")
    source("driver/exec/stream_id.c", "/*\n * Taking ids of streams and timelines from a client: one, or all at its end.\n */\n",
           ["<linux/err.h>", "<linux/sched.h>", "<linux/xarray.h>", "", '"account/user.h"', '"base/client.h"', '"sync/timeline.h"', '"engine.h"', '"fence.h"', '"stream.h"'], fns)
    before_line("driver/exec/stream.h", "static inline struct vnpu_stream *vnpu_stream_of(", "/* stream_id.c: ids of streams and timelines, see sync/timeline_id.c */\n" + p + "\n")
    exclude(ti, "exec/engine.h", "exec/fence.h", "exec/stream.h")
    # ---- J. the owner of a client
    mo, mh = "driver/client/mm_owner.c", B + "mm_owner.h"
    life = take(mh, "vnpu_mm_owner_get", "vnpu_mm_owner_put", "vnpu_mm_owner_add", "vnpu_mm_owner_remove", kind="proto")
    header("driver/client/create.h", "/* The life of a client, see create.c and mm_owner.c. */\n", [],
           ["vnpu_client", "vnpu_device", "vnpu_mm_owner"],
           take(cl, "vnpu_client_create", "vnpu_client_destroy", "vnpu_client_end", kind="proto") + "\n" + life)
    fns = take(mo, "vnpu_mm_owner_is_current", "vnpu_mm_owner_has_vma", "vnpu_vma_fork_by_fault")
    source(B + "mm_owner.c", "/* Whether the caller, or a mapping, is in the address space that a client belongs to. */\n",
           ["<linux/mm.h>", "<linux/sched.h>", "", '"compat.h"', '"mm_owner.h"'], fns)
    include(mo, "client/create.h"); include(cc, "client/create.h")
    for p in list(users(r"\bvnpu_client_(create|destroy|end)\(")):
        if p.endswith(".c"): include(p, "client/create.h")
    # ---- K. the account of a client on a device
    ac, ah = "driver/account/account.c", "driver/account/account.h"
    fns = take(cc, "vnpu_client_publish_account", "vnpu_client_account")
    write(ac, read(ac).rstrip("\n") + "\n\n" + fns)
    after_includes(ac, "") ; t = read(ac)
    if "#include <linux/nospec.h>" not in t: write(ac, re.sub(r"(#include <linux/rbtree|#include <linux/slab)", r"#include <linux/nospec.h>\n\1", t, count=1))
    before_line(ah, "\n#endif", "\n" + take(cl, "vnpu_client_account", kind="proto") + "\n" + take(cl, "vnpu_client_peek_account"), last=True)
    for p in list(users(r"\bvnpu_client_(peek_)?account\(|\baccount->|charged->|\bvnpu_account_\w+\(")):
        if p.endswith(".c"): include(p, "account/account.h")
    include(ah, "base/client.h")
    # ---- L. tables of clients and devices
    fns = take(cc, "vnpu_clients_note_devices", "vnpu_client_get_by_id", "vnpu_client_get_next", "vnpu_client_name",
               "vnpu_client_get", "vnpu_client_put", "vnpu_clients_generation", "vnpu_clients_most_devices")
    fns = fns.replace("static void vnpu_clients_note_devices", "/**\n * vnpu_clients_note_devices() - count the devices that a client uses\n * @client: the client\n */\nvoid vnpu_clients_note_devices")
    fns = fns.replace("kref_put(&client->ref, vnpu_client_release)", "kref_put(&client->ref, client->release)")
    t = read(cc)
    for name in ("static DEFINE_XARRAY_FLAGS\\(vnpu_clients", "static atomic_t vnpu_clients_gen", "static atomic_t vnpu_clients_most"):
        t, n = re.subn(r"(?:/\*(?:(?!\*/).)*\*/\n)?" + name + r"[^\n]*\n", "", t, count=1, flags=re.S)
        if not n: warn("client/create.c: no", name)
    t = re.sub(r"\n{3,}", "\n\n", t)
    t = t.replace("ret = xa_insert(&vnpu_clients, client->id, client, GFP_KERNEL_ACCOUNT);", "ret = vnpu_clients_insert(client);")
    t = t.replace("\tatomic_inc(&vnpu_clients_gen);\n", "").replace("xa_erase(&vnpu_clients, client->id);", "vnpu_clients_erase(client);")
    if "vnpu_clients," in t or "vnpu_clients_gen" in t: warn("client/create.c: the table of clients is still used")
    t = t.replace("\tkref_init(&client->ref);\n", "\tkref_init(&client->ref);\n\tclient->release = vnpu_client_release;\n")
    write(cc, t)
    source(B + "client.c", "/* The table of all clients, and references to them. */\n",
           ["<linux/bitmap.h>", "<linux/pid.h>", "<linux/sched.h>", "<linux/sched/task.h>", "<linux/string.h>", "<linux/xarray.h>", "", '"client.h"'],
           """static DEFINE_XARRAY_FLAGS(vnpu_clients, XA_FLAGS_ACCOUNT);
static atomic_t vnpu_clients_gen = ATOMIC_INIT(0);

/* The most devices that a client has used. */
static atomic_t vnpu_clients_most = ATOMIC_INIT(0);

/**
 * vnpu_clients_insert() - put a client into the table
 * @client: the client, whose id is in the table of no other
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_clients_insert(struct vnpu_client *client)
{
	int ret = xa_insert(&vnpu_clients, client->id, client,
			    GFP_KERNEL_ACCOUNT);

	if (!ret)
		atomic_inc(&vnpu_clients_gen);
	return ret;
}

/**
 * vnpu_clients_erase() - take a client out of the table
 * @client: the client
 */
void vnpu_clients_erase(struct vnpu_client *client)
{
	xa_erase(&vnpu_clients, client->id);
	atomic_inc(&vnpu_clients_gen);
}

""" + fns)
    replace(cl, "\tstruct kref ref;\n\tunsigned long id;\n", "\tstruct kref ref;\n\tvoid (*release)(struct kref *ref);\n\tunsigned long id;\n")
    replace(cl, " * @id: never used again; constant\n", " * @release: called with the last reference; constant\n * @id: never used again; constant\n")
    before_line(cl, "struct vnpu_client *vnpu_client_get_by_id(", "int vnpu_clients_insert(struct vnpu_client *client);\nvoid vnpu_clients_erase(struct vnpu_client *client);\nvoid vnpu_clients_note_devices(const struct vnpu_client *client);\n")
    fns = take(dc, "vnpu_device_get_next", "vnpu_device_get", "vnpu_device_put", "vnpu_device_note_lost", "vnpu_device_lost_epoch", "vnpu_device_bus_id")
    rel = take(dc, "vnpu_device_release")
    t = read(dc)
    for name in ("static DEFINE_XARRAY\\(vnpu_devices", "static atomic64_t vnpu_lost_epochs", "#define VNPU_BUS_DOMAIN"):
        t, n = re.subn(r"(?:/\*(?:(?!\*/).)*\*/\n)?" + name + r"[^\n]*\n", "", t, count=1, flags=re.S)
        if not n: warn("device/create.c: no", name)
    t = re.sub(r"\n{3,}", "\n\n", t)
    m = re.search(r"(?:/\*(?:(?!\*/).)*\*/\n)?static struct vnpu_config vnpu_device_config\(", t, re.S)
    cut = t.rfind("/*", 0, m.end()) if "/*" in m[0] else m.start()
    t = t[:cut] + ("static void vnpu_device_release(struct kref *ref)\n{\n\tstruct vnpu_device *dev = container_of(ref, struct vnpu_device, ref);\n\n"
                   "\tqueue_work(vnpu_device_wq, &dev->free_work);\n}\n\n") + t[cut:]
    t = t.replace("\tkref_init(&dev->ref);\n", "\tkref_init(&dev->ref);\n\tdev->release = vnpu_device_release;\n")
    write(dc, t)
    source(B + "device.c", "/* The table of all devices, and references to them. */\n",
           ["<linux/atomic.h>", "<linux/kernel.h>", "<linux/xarray.h>", "", '"device.h"'],
           """DEFINE_XARRAY(vnpu_devices);

/* By number: how often clients may have lost what they had there. */
static atomic64_t vnpu_lost_epochs[VNPU_MAX_DEVICES];

/* Real PCI domains of this machine are small, those of bridges above 0xffff. */
#define VNPU_BUS_DOMAIN		0xfffe

""" + fns.replace("kref_put(&dev->ref, vnpu_device_release)", "kref_put(&dev->ref, dev->release)"))
    replace(dev, "\tstruct kref ref;\n\tstruct work_struct free_work;", "\tstruct kref ref;\n\tvoid (*release)(struct kref *ref);\n\tstruct work_struct free_work;")
    replace(dev, " * @free_work: frees it;", " * @release: called with the last reference; constant\n * @free_work: frees it;")
    life = take(dev, "vnpu_devices_init", "vnpu_devices_fini", "vnpu_devices_class", "vnpu_devices_nodes", "vnpu_device_add", "vnpu_device_remove", kind="proto")
    header("driver/device/create.h", "/* Making and removing devices, see create.c. */\n", ["<linux/types.h>"],
           ["class", "vnpu_config", "vnpu_device"], life)
    before_line(dev, "struct vnpu_device *vnpu_device_get(", "/* By index; written by device/create.c. */\nextern struct xarray vnpu_devices;\n\n")
    for p in list(users(r"\b(vnpu_devices_(init|fini|class|nodes)|vnpu_device_add|vnpu_device_remove)\(")):
        if p.endswith(".c"): include(p, "device/create.h")
    # ---- M. netlink: injection and resets
    ni = "driver/netlink/inject.c"
    fns = "\n".join([take(ni, "vnpu_nl_reset_doit", "vnpu_fill_hang", "vnpu_event_send_hang"),
                     take(ni, "vnpu_reset_event", kind="struct"), take(ni, "vnpu_fill_reset", "vnpu_event_send_reset"),
                     take(ni, "vnpu_health_event", kind="struct"), take(ni, "vnpu_fill_health", "vnpu_event_send_health")])
    block = re.search(r"#include .*\n(?:(?:#include .*)?\n)*(?=\n)", read(ni))[0]
    incs = [l[len("#include "):] for l in block.strip().split("\n")]
    source("driver/netlink/reset.c", "/* Netlink: hangs, resets and health of devices. */\n", incs, fns)
    exclude(ni, "base/events.h", "exec/reset.h")
    # ---- who uses what moved
    for regex, head in ((r"\bvnpu_devmem_create\(", "compact/devmem_alloc.h"), (r"\bvnpu_oom_(report|get_last)\(", "compact/oom_report.h"),
                        (r"\bstruct vnpu_oom\b", "account/oom.h"), (r"\bvnpu_ecc_(init|fini|flush)\(", "exec/reset.h"),
                        (r"\bvnpu_inject_(task|doorbell)\(", "exec/task.h"), (r"\bvnpu_(timeline_take_stream_id|timeline_give_up_id|timelines_end_all)\(", "exec/stream.h"),
                        (r"\bvnpu_id_(pool_\w+|alloc|free)\(", "account/id_pool.h"), (r"\bvnpu_inject_\w+\(|\bvnpu_inject_is_on|struct vnpu_injection\b", "ras/inject.h"),
                        (r"\bvnpu_ecc_(un)?corrected\(", "ras/ecc.h"), (r"\bvnpu_ecc_check\(", "va/bind.h"), (r"\bvnpu_scrub_\w+\(", "mem/scrub.h"), (r"\bvnpu_engine(s)?_\w+\(|struct vnpu_engine\b|engines->", "exec/engine.h"),
                        (r"\bvnpu_foreign_\w+\(", "exec/foreign.h"), (r"\bvnpu_task_faults?_\w+\(", "exec/task_fault.h")):
        room = head.split("/")[0]
        for p in list(users(regex)):
            if not p.endswith(".c"): continue
            if head == "exec/engine.h" and not p.startswith(("driver/exec", "driver/device", "driver/netlink", "driver/client", "driver/ioctl")): continue
            if head == "exec/foreign.h" and not p.startswith(("driver/exec", "driver/client", "driver/device")): continue
            if head == "compact/devmem_alloc.h" and p.startswith("driver/mem"): continue
            if head == "ras/ecc.h" and p.endswith("exec/reset.c"): continue
            include(p, head)
    kbuild_add("driver/base/client.o", "driver/base/device.o", "driver/base/mm_owner.o", "driver/exec/inject_task.o", "driver/exec/stream_id.o",
               "driver/account/oom.o", "driver/compact/devmem_alloc.o", "driver/netlink/reset.o")
    sh("git", "add", "-A")

    # ---- what each room offers
    k = read("Kbuild")
    for room, offer in OFFERS.items():
        first = r"driver/[a-z_]+\.o" if room == "." else rf"driver/{room}/"
        k = re.sub(rf"^(vnpu-y (?:\+|:)= \\\n\t{first})", lambda m: f"# {offer}\n{m[1]}", k, count=1, flags=re.M)
    write("Kbuild", k)
    # ---- the check
    write("selftests/abi/rooms.py", open(os.path.join(os.path.dirname(__file__), "files-rooms.py")).read())
    os.chmod("selftests/abi/rooms.py", 0o755)
    before_line("selftests/abi/layers.sh", "# Word splitting of the lists is meant from here on.",
                'tap_silent "no file includes a header of a room above" \\\n\tselftests/abi/rooms.py\n\n')
    sh("git", "add", "-A")
