#!/usr/bin/env python3
"""replay.py [--commit]: sort driver/ and lib/src/ into rooms and rename what issue 22, section 2, names.

Run it in a clean checkout.  What it does is in rooms.txt, renames.txt, edits.py beside it.
With --commit each stage becomes a commit.
"""
import fnmatch, importlib.util, os, re, subprocess, sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
COMMIT = "--commit" in sys.argv
def sh(*a, **k): return subprocess.run(a, check=True, text=True, **k)
def out(*a): return subprocess.run(a, check=True, text=True, capture_output=True).stdout
def read(p):
    with open(p, encoding="utf-8") as f: return f.read()
def write(p, t):
    if os.path.exists(p) and read(p) == t: return
    with open(p, "w", encoding="utf-8") as f: f.write(t)
def warn(*a): print("replay:", *a, file=sys.stderr)

def text_files(*under):
    for p in out("git", "ls-files", *under).split("\n"):
        if not p or os.path.islink(p) or not os.path.isfile(p): continue
        if p.endswith((".png", ".xz", ".hex")) or p.startswith("LICENSES"): continue
        try: read(p)
        except UnicodeDecodeError: continue
        yield p

# ------------------------------------------------------------------ rooms.txt
def load_rooms():
    section, rooms, dirs, order = None, {"driver": {}, "lib": {}}, {}, {"driver": [], "lib": []}
    for line in read(f"{HERE}/rooms.txt").split("\n"):
        line = line.split("#")[0].strip()
        if not line: continue
        if line[0] == "[": section = line[1:-1]; continue
        if section == "libdirs":
            a, b = line.split("="); dirs[a] = b; continue
        room, names = line.split(":", 1)
        if room not in order[section]: order[section].append(room)
        for n in names.split():
            old, _, new = n.partition("=")
            new = new or old
            if old.endswith((".c", ".h")): rooms[section][old] = (room, new)
            else:
                for e in (".c", ".h"): rooms[section].setdefault(old + e, (room, new + e))
    return rooms, dirs, order
ROOMS, LIBDIRS, ORDER = load_rooms()

# New files of a newer main that rooms.txt does not know go by their prefix.
PREFIXES = {"driver": [("ioctl_", "ioctl", True), ("netlink_", "netlink", True), ("task_", "exec", False),
    ("sched_", "exec", False), ("stream_", "exec", False), ("timeline_", "sync", False), ("devmem_", "mem", False),
    ("evacuate_", "compact", False), ("compact_", "compact", False), ("device_", "device", False),
    ("dmabuf_", "mem", False), ("hostmem_", "mem", False), ("quota_", "account", False), ("user_", "account", False),
    ("client_", "client", False), ("inject_", "ras", False), ("engine_", "exec", False), ("bind_", "va", False),
    ("slabs_", "va", False), ("window_", "va", False), ("fence_", "sync", False), ("oom_", "compact", False),
    ("pages_", "mem", False), ("mem_", "mem", False)],
  "lib": [("io_", "io", False), ("stream_", "stream", False), ("event_", "stream", False), ("mempool_", "pool", False),
    ("mem_", "mem", False), ("copy_", "stream", False), ("device_", "runtime", False), ("context_", "runtime", False),
    ("ipc_", "ipc", False), ("notify_", "stream", False), ("queue_", "stream", False), ("reporter_", "stream", False)]}

def place(kind, base):
    if base in ROOMS[kind]: return ROOMS[kind][base]
    for prefix, room, strip in PREFIXES[kind]:
        if base.startswith(prefix):
            warn(f"{kind}: {base} is not in rooms.txt; put into {room}/ by its prefix")
            return room, base[len(prefix):] if strip else base
    warn(f"{kind}: {base} IS NOT IN rooms.txt and has no known prefix; it stays")
    return ".", base

def plan_moves():
    moves = {}
    for p in out("git", "ls-files", "driver", "lib/src").split():
        if not p.endswith((".c", ".h")): continue
        parts = p.split("/")
        if parts[0] == "driver":
            base = parts[-1]
            if len(parts) == 2:
                room, new = place("driver", base)
                q = f"driver/{new}" if room == "." else f"driver/{room}/{new}"
            elif len(parts) == 3 and parts[1] in ("core", "tests"):
                # core/ and tests/ stay, but for renamed files
                new = base
                for b in (base,):
                    stem, ext = os.path.splitext(b)
                    m = re.match(r"buddy(_.*)?$", stem)
                    if m: new = "allocator" + (m[1] or "") + ext
                q = f"driver/{parts[1]}/{new}"
            else: q = p
        else:
            if len(parts) == 3:
                room, new = place("lib", parts[-1])
                q = p if room == "." else f"lib/src/{room}/{new}"
            elif parts[2] in LIBDIRS: q = "/".join(["lib/src", LIBDIRS[parts[2]]] + parts[3:])
            else: q = p
        if q != p: moves[p] = q
    for a, b in (("selftests/core/fuzz_buddy.c", "selftests/core/fuzz_allocator.c"),
                 ("selftests/core/corpus/buddy.hex", "selftests/core/corpus/allocator.hex"),
                 ("lib/src/prof/stamp.c", None)):
        if b and os.path.exists(a): moves[a] = b
    return moves

INC = re.compile(r'^(\s*#\s*include\s+)"([^"]+)"', re.M)

def rewrite_includes(path_old, path_new, text, moves):
    """Each #include "..." of a file that was at path_old and is at path_new now."""
    olddir, newdir = os.path.dirname(path_old), os.path.dirname(path_new)
    roots = ["driver"] if path_old.startswith("driver/") else ["lib/src"]
    if not path_old.startswith(("driver/", "lib/src/")): roots = ["lib/src"]
    def sub(m):
        h = m[2]
        outside = not path_old.startswith(("driver/", "lib/src/"))
        for root in [olddir] + roots:
            target = os.path.normpath(os.path.join(root, h))
            if outside and root == "lib/src" and "/" not in h and not path_old.startswith("selftests/pool/"):
                continue
            if outside and os.path.exists(target) and target not in moves: return m[0]
            if target in moves or os.path.exists(target) or target in OLD:
                if target not in moves and target not in OLD: continue
                new = moves.get(target, target)
                if not path_old.startswith(("driver/", "lib/src/")):
                    if target not in moves: return m[0]
                    if h.startswith(".."): return f'{m[1]}"{os.path.relpath(new, newdir)}"'
                    return f'{m[1]}"{os.path.relpath(new, root)}"'
                if h.startswith("..") and os.path.dirname(new) != newdir:
                    return f'{m[1]}"{os.path.relpath(new, newdir)}"'
                if os.path.dirname(new) == newdir: return f'{m[1]}"{os.path.basename(new)}"'
                return f'{m[1]}"{os.path.relpath(new, roots[0])}"'
        return m[0]
    return INC.sub(sub, text)

def sort_includes(path, text):
    if os.path.basename(path) in ("trace.c", "trace.h", "trace_mem.h"): return text
    def sub(m):
        lines = m[0].rstrip("\n").split("\n")
        key = lambda l: re.search(r'"([^"]+)"', l)[1]
        # of the own room last, as in the kernel's subsystems
        lines.sort(key=lambda l: ("/" not in key(l) and os.path.dirname(path) not in ("driver", "lib/src"), key(l)))
        return "\n".join(lines) + "\n"
    return re.sub(r'(?:^#include "[^"]+"\n)+', sub, text, flags=re.M)

def guard(path, old, new, text):
    ob, nb = os.path.basename(old), os.path.basename(new)
    if not new.endswith(".h"): return text
    m = re.search(r"^#ifndef (VNPU_\w+_H)$", text, re.M)
    if not m: return text
    stem = os.path.splitext(nb)[0].upper()
    prefix = "VNPU_LIB_" if m[1].startswith("VNPU_LIB_") else "VNPU_"
    old_stem = os.path.splitext(ob)[0].upper()
    if ob == nb: return text
    return re.sub(rf"\b{m[1]}\b", f"{prefix}{stem}_H", text)

# ------------------------------------------------------------------ renames.txt
def split_c(text):
    """Yield (kind, piece): code, comment, string."""
    pos = 0
    for m in re.finditer(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', text, re.S):
        if m.start() > pos: yield "code", text[pos:m.start()]
        yield ("comment" if m[0].startswith("/") else "string"), m[0]
        pos = m.end()
    yield "code", text[pos:]

def load_renames():
    table = []
    for line in read(f"{HERE}/renames.txt").split("\n"):
        if not line.strip() or line.startswith("#"): continue
        scope, regex, new = line.split()
        table.append((scope, regex, new))
    return table

def compile_group(rows):
    out = []
    for _, regex, new in rows:
        out.append((re.compile(rf"(?<![\w])(?:{regex})(?!\w)"), new))
    return out

def apply(text, rules, c_code_only=False):
    if not c_code_only:
        for r, new in rules: text = r.sub(new, text)
        return text
    pieces = []
    for kind, piece in split_c(text):
        for r, new in rules:
            if kind == "code":
                piece = re.sub(r'(#\s*include[^\n]*)|' + r.pattern,
                               lambda m, new=new, r=r: m[1] if m[1] else r.sub(new, m[0]), piece) \
                    if "include" in piece else r.sub(new, piece)
            elif kind == "comment":
                w = r.pattern
                piece = re.sub(rf"(?<=@)(?:{w})|(?<=[a-z_]\.)(?:{w})(?!\.[ch]\b)|(?<=->)(?:{w})|(?:{w})(?=\(\))|(?:{w})(?=->)",
                               lambda m, r=r, new=new: r.sub(new, m[0]), piece)
        pieces.append(piece)
    return "".join(pieces)

# ------------------------------------------------------------------ continuation lines
def blank(text):
    """The text with what is in comments and strings as dots: for counting brackets."""
    return "".join(p if k == "code" else re.sub(r"[^\n]", ".", p) for k, p in split_c(text))

def column(line, n):
    """Column of character n of a line, with tabs of 8."""
    c = 0
    for ch in line[:n]: c = (c // 8 + 1) * 8 if ch == "\t" else c + 1
    return c

def indent(c): return "\t" * (c // 8) + " " * (c % 8)

def realign(old, new):
    """Shift continuation lines along with the bracket that they are aligned with."""
    if old == new: return new
    ol, nl = old.split("\n"), new.split("\n")
    if len(ol) != len(nl): warn("realign: line counts differ"); return new
    ob, nb = blank(old).split("\n"), blank(new).split("\n")
    stack, res = [], []
    for o, n, bo, bn in zip(ol, nl, ob, nb):
        so, sn = o.lstrip("\t "), n.lstrip("\t ")
        if stack and so and not o.startswith("#"):
            co = column(o, len(o) - len(so))
            to, tn = stack[-1]
            if co == to and to != tn:
                n = indent(tn) + sn
        res.append(n)
        bn = n[:len(n) - len(sn)] + bn.lstrip("\t ") if sn else bn
        # Brackets come in the same order in both lines.
        po = [i for i, ch in enumerate(bo) if ch in "([{)]}"]
        pn = [i for i, ch in enumerate(bn) if ch in "([{)]}"]
        if [bo[i] for i in po] != [bn[i] for i in pn]: stack = []; continue
        for i, j in zip(po, pn):
            if bo[i] in "([": stack.append((column(o, i) + 1, column(n, j) + 1))
            elif bo[i] in ")]":
                if stack: stack.pop()
            else: stack = []
    return "\n".join(res)

# ------------------------------------------------------------------ stages
def commit(subject, body):
    sh("git", "add", "-A")
    if COMMIT: sh("git", "commit", "-q", "-m", subject + "\n\n" + body)

def stage_moves():
    global OLD
    moves = plan_moves()
    OLD = set(out("git", "ls-files", "driver", "lib/src", "selftests/core").split())
    back = {}
    for a, b in moves.items():
        os.makedirs(os.path.dirname(b), exist_ok=True)
        sh("git", "mv", a, b)
        back[b] = a
    for p in list(text_files("driver", "lib", "tools", "selftests")):
        if not p.endswith((".c", ".h")): continue
        old = back.get(p, p)
        t = read(p)
        t = rewrite_includes(old, p, t, moves)
        if old != p: t = guard(p, old, p, t)
        if p.startswith(("driver/", "lib/src/")): t = sort_includes(p, t)
        write(p, t)
    # Paths in makefiles, scripts, documents, comments
    paths = sorted(((a, b) for a, b in moves.items()), key=lambda x: -len(x[0]))
    table = {}
    for a, b in paths:
        table[a] = b
        if a.endswith(".c"): table[a[:-2] + ".o"] = b[:-2] + ".o"
    full = re.compile("|".join(rf"(?<![\w/-]){re.escape(a)}(?!\w)" for a in table) )
    rel = re.compile(r"\[(`?)([\w./]+)(`?)\]\(\.\./((?:driver|lib/src)/[\w/]+\.[ch])\)")
    renamed = {"driver": {}, "lib": {}}
    for a, b in moves.items():
        oa, nb = os.path.basename(a), os.path.basename(b)
        if oa != nb and a.startswith(("driver/", "lib/src/")):
            k = "driver" if a.startswith("driver/") else "lib"
            renamed[k][oa] = (os.path.basename(os.path.dirname(b)) + "/" + nb)
    for p in list(text_files()):
        t = read(p)
        def link(m):
            if m[4] not in table: return m[0]
            new = table[m[4]]
            text = m[2]
            if os.path.basename(text) == os.path.basename(m[4]):
                text = new if "/" in text else os.path.basename(new)
            return f"[{m[1]}{text}{m[3]}](../{new})"
        t = rel.sub(link, t)
        t = re.sub(r"(?<![\w/.-])(\.\./(?:\.\./)*)?(" + "|".join(re.escape(a) for a in table) + r")(?!\w)",
                   lambda m: (m[1] or "") + table[m[2]], t)
        # $(src)/driver/..., CFLAGS_driver/x.o
        t = re.sub(r"(?<=CFLAGS_)(driver/\w+\.o)|(?<=CFLAGS_REMOVE_)(driver/\w+\.o)",
                   lambda m: table.get(m[0], m[0]), t)
        k = "driver" if p.startswith("driver/") else "lib" if p.startswith("lib/src/") else None
        if k and p.endswith((".c", ".h")):
            pieces = []
            for kind, piece in split_c(t):
                if kind == "comment":
                    piece = re.sub(r"(?<![\w/.])([a-z_0-9]+\.[ch])(?!\w)",
                                   lambda m: renamed[k].get(m[1], m[1]), piece)
                pieces.append(piece)
            t = "".join(pieces)
        write(p, t)
    kbuild()
    edits("moves")
    commit("driver, lib: sort the files into rooms",
           "Files move, nothing else changes: #include lines, Kbuild, the makefiles and\n"
           "what names a file follow. A file's room is its folder.")

def kbuild():
    t = read("Kbuild")
    m = re.search(r"^vnpu-y := (.*?)\n\n", t, re.M | re.S)
    objs = [o for o in re.findall(r"driver/[\w/]+\.o", m[1])]
    rank = {r: i for i, r in enumerate(ORDER["driver"])}
    def key(o):
        parts = o.split("/")
        room = "." if len(parts) == 2 else parts[1]
        return rank.get(room, 99), o
    lines = []
    for room in sorted({key(o)[0] for o in objs}):
        files = sorted(o for o in objs if key(o)[0] == room)
        width = (max(len(o) for o in files) + 8) // 8 * 8
        lines.append("vnpu-y += \\" if lines else "vnpu-y := \\")
        for o in files:
            pad = "\t" * ((width - len(o) + 7) // 8)
            lines.append("\t" + o + (pad + "\\" if o != files[-1] else ""))
        lines.append("")
    lines.pop()
    t = t[:m.start()] + "\n".join(lines) + "\n\n" + t[m.end():]
    write("Kbuild", t)

def stage_renames():
    table = load_renames()
    g = {s: compile_group([r for r in table if r[0] == s])
         for s in ("all", "driver", "driver-code", "lib", "lib-code")}
    BYFILE = [(r[0][1:], compile_group([r])) for r in table if r[0][0] == "="]
    for p in list(text_files()):
        if p == "selftests/abi/uapi.layout": continue
        before = t = read(p)
        is_c = p.endswith((".c", ".h"))
        if p.startswith(("driver/", "lib/", "uapi/", "tools/", "selftests/", "Documentation/")) or p in (
                "README.md", "Makefile", "Kbuild", "SECURITY.md"):
            t = apply(t, g["all"])
        if p.startswith(("driver/", "selftests/core/", "selftests/cover/")) or \
                p.startswith("Documentation/") and p.endswith(".md"):
            t = apply(t, g["driver"])
        if p.startswith("driver/") and is_c:
            t = apply(t, g["driver-code"], True)
        if p.startswith("lib/src/") and is_c or p.startswith("selftests/pool/"):
            t = apply(t, g["lib"])
            t = apply(t, g["lib-code"], True)
        for glob, rules in BYFILE:
            if fnmatch.fnmatch(p, glob) and is_c: t = apply(t, rules, True)
        if is_c and p.startswith(("driver/", "lib/", "uapi/", "selftests/", "tools/")): t = realign(before, t)
        write(p, t)
    edits("renames")
    sh("python3", "selftests/abi/layout.py", "--update")
    commit("uapi, driver, lib: use the field's words",
           "Identifiers only. In the ABI EVENT_TAKE and EVENT_GIVE become EVENT_ALLOC and\nEVENT_FREE.")

def edits(stage):
    spec = importlib.util.spec_from_file_location("edits", f"{HERE}/edits.py")
    mod = importlib.util.module_from_spec(spec)
    mod.read, mod.write, mod.sh, mod.out, mod.warn, mod.text_files = read, write, sh, out, warn, text_files
    spec.loader.exec_module(mod)
    getattr(mod, stage)()

if __name__ == "__main__":
    if out("git", "status", "--porcelain", "--untracked-files=no").strip(): sys.exit("replay: the tree is not clean")
    stage_moves()
    stage_renames()
    if "splits" in [l.strip() for l in open(f"{HERE}/stages")]:
        edits("splits")
        commit("driver: remove the calls that go up",
               "Files that two rooms need are divided, and structs that a device or a client embeds\n"
               "are defined with it.  What low rooms report goes through base/events.h, which netlink/\n"
               "implements; five other calls are in base/upcalls.h.  selftests/abi/rooms.py holds that no\n"
               "file of driver/ includes a header of a room above; in lib/src/ it lists those that do.")
