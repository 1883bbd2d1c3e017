"""What the clients do, operation by operation, and what a disk must hold after the first so many of them.

Everything follows from the numbers of the round and of the client, so that who checks a disk needs to be told only how many
operations each client saw acknowledged.
"""
import copy
import os
import random
import stat

CLIENTS = 3
BLOCKS = 8  # pairs of a block of writes and one of names
WRITES, NAMES = 15, 20  # operations in a block
UNTOLD = 200  # more acknowledged operations than this cannot have been under way to the record


def data_of(seed, length):
    return random.Random(seed).randbytes(length)


class Node:
    """A file, directory or whatever; `data` holds all that was written, `loose` where it need not be on disk yet."""

    def __init__(self, kind, mode=None, text=None):
        self.kind, self.mode, self.text, self.mtime = kind, mode, text, None
        self.data, self.loose, self.sure = bytearray(), [], 0

    def write(self, offset, data, is_loose):
        end = offset + len(data)
        self.data.extend(bytes(max(0, end - len(self.data))))
        self.data[offset:end] = data
        self.mtime = None
        if is_loose:
            self.loose.append((offset, end))
        else:
            self.sure = max(self.sure, end)
            kept = []
            for a, b in self.loose:
                kept += [(x, y) for x, y in ((a, min(b, offset)), (max(a, end), b)) if x < y]
            self.loose = kept

    def resize(self, size):
        self.data = self.data[:size] + bytes(max(0, size - len(self.data)))
        self.loose = [(a, min(b, size)) for a, b in self.loose if a < size]
        self.sure, self.mtime = size, None

    def commit(self):
        self.loose, self.sure = [], len(self.data)

    def differs(self, content):
        """How a file's content differs from what it must be; None if it does not."""
        if not self.sure <= len(content) <= len(self.data):
            return f"{len(content)} bytes, not {self.sure} to {len(self.data)}"
        want = bytearray(self.data[:len(content)])
        for a, b in self.loose:
            want[a:b] = content[a:b]
        if want != content:
            return f"other bytes from {next(i for i in range(len(want)) if want[i] != content[i])} on"
        return None


class Tree:
    """Names below a client's directory, which is "" itself."""

    def __init__(self):
        self.names = {}

    def apply(self, op, loosely=False):
        """`loosely`: a write of which nobody knows yet whether it is on disk."""
        name, path, *rest = op
        if name == "mkdir":
            self.names[path] = Node("dir", rest[0])
        elif name == "create":
            self.names[path] = Node("file", None if rest[0] == "exclusive" else rest[1])
        elif name == "symlink":
            self.names[path] = Node("link", text=rest[0])
        elif name == "mknod":
            self.names[path] = Node("fifo", rest[0])
        elif name == "write":
            offset, seed, length, how = rest
            self.names[path].write(offset, data_of(seed, length), loosely or how == "unstable")
        elif name == "commit":
            self.names[path].commit()
        elif name == "size":
            self.names[path].resize(rest[0])
        elif name == "chmod":
            self.names[path].mode = rest[0]
        elif name == "mtime":
            self.names[path].mtime = rest[0]
        elif name == "link":
            self.names[rest[0]] = self.names[path]
        elif name == "rename":
            moved = [p for p in self.names if p == path or p.startswith(path + "/")]
            for p in moved:
                self.names[rest[0] + p[len(path):]] = self.names.pop(p)
        elif name in ("remove", "rmdir"):
            del self.names[path]
        else:
            raise AssertionError(name)

    def differs(self, found):
        """How a tree that was read from a disk differs; None if it does not."""
        if missing := self.names.keys() - found.names.keys():
            return f"{sorted(missing)[0]!r} is not there"
        if more := found.names.keys() - self.names.keys():
            return f"{sorted(more)[0]!r} is there"
        pairs = {}
        for path, want in self.names.items():
            have = found.names[path]
            if pairs.setdefault(id(want), have.file) != have.file:
                return f"{path!r} is no longer the file of its other name"
            if want.kind != have.kind or want.text != have.text:
                return f"{path!r} is {have.kind} {have.text}, not {want.kind} {want.text}"
            if want.mode is not None and want.mode != have.mode:
                return f"{path!r} has mode {have.mode:o}, not {want.mode:o}"
            if want.mtime is not None and want.mtime != have.mtime:
                return f"{path!r} has mtime {have.mtime}, not {want.mtime}"
            if want.kind == "file" and (why := want.differs(have.data)):
                return f"{path!r}: {why}"
        return None


class Found(Tree):
    """A tree on a disk."""

    def __init__(self, top):
        super().__init__()
        if os.path.lexists(top):
            self.look(top, "")

    def look(self, full, path):
        at = os.lstat(full)
        kinds = {stat.S_IFDIR: "dir", stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFIFO: "fifo"}
        node = self.names[path] = Node(kinds[stat.S_IFMT(at.st_mode)], stat.S_IMODE(at.st_mode))
        node.mtime, node.file = int(at.st_mtime), at.st_ino
        if node.kind == "file":
            # Reading must not change the times, by which EXCLUSIVE creates are known.
            with open(os.open(full, os.O_RDONLY | os.O_NOATIME), "rb") as file:
                node.data = file.read()
        elif node.kind == "link":
            node.text = os.readlink(full)
        elif node.kind == "dir":
            for name in os.listdir(full):
                self.look(f"{full}/{name}", f"{path}/{name}" if path else name)


def operations(round_, client):
    """All blocks of a client: ("writes" or "names", operations)."""
    dice, tree, count = random.Random(f"{round_}/{client}"), Tree(), 0

    def fresh(kind):
        nonlocal count
        count += 1
        return dice.choice(folders()) + f"{kind}{count}"

    def folders():
        return [""] + [p + "/" for p, node in tree.names.items() if node.kind == "dir" and p]

    def some(*kinds, prefix=""):
        found = [p for p, n in tree.names.items() if n.kind in kinds and p and p.rpartition("/")[2].startswith(prefix)]
        return dice.choice(found) if found else None

    def writes():
        file = fresh("file")
        yield "create", file, dice.choice(["unchecked", "guarded", "exclusive"]), 0o640
        for _ in range(WRITES - 1):
            what = dice.choice(["sync", "sync", "data", "commit", "commit", "size", "other", "loose"])
            size = len(tree.names[file].data)
            seed, length = dice.random(), dice.choice([1, 77, 4096, 5000, 20000])
            if what == "sync":
                yield "write", file, dice.randint(0, size + 3000), seed, length, "file"
            elif what == "data":
                yield "write", file, dice.randint(0, size), seed, length, "data"
            elif what == "commit":
                for i in range(3):
                    yield "write", file, size + i * length, f"{seed}{i}", length, "unstable"
                yield "commit", file
            elif what == "size":
                yield "size", file, dice.randint(0, size + 5000)
            elif what == "loose":
                loose = fresh("loose")
                yield "create", loose, "unchecked", 0o600
                yield "write", loose, 0, seed, 20000, "unstable"
            else:
                file = fresh("file")
                yield "create", file, dice.choice(["unchecked", "guarded"]), 0o644

    def names():
        nonlocal count
        for _ in range(NAMES):
            what = dice.choice(["create", "exclusive", "mkdir", "symlink", "link", "rename", "over", "move", "remove",
                                "rmdir", "mknod", "chmod", "mtime"])
            file, link, folder = some("file", prefix="file"), some("link", "fifo"), some("dir")  # none of them the top
            empty = [p for p, n in tree.names.items() if n.kind == "dir" and p and not any(
                q.startswith(p + "/") for q in tree.names)]
            if what == "exclusive":
                yield "create", fresh("mine"), "exclusive", 0
            elif what == "symlink":
                yield "symlink", fresh("link"), f"text of {dice.random()}"
            elif what == "mknod":
                yield "mknod", fresh("fifo"), 0o622
            elif what == "mkdir" or not folder:
                yield "mkdir", fresh("dir"), dice.choice([0o755, 0o700])
            elif what == "link" and file:
                yield "link", file, fresh("file")
            elif what == "rename" and file:
                yield "rename", dice.choice([file, link or file]), fresh("file")
            elif what == "move" and folder:
                count += 1
                yield "rename", folder, f"dir{count}"
            elif what == "over" and (other := some("file", prefix="file")) and tree.names[other] is not tree.names[file]:
                yield "rename", file, other
            elif what == "remove" and (link or file):
                yield "remove", dice.choice([link or file, file or link])
            elif what == "rmdir" and empty:
                yield "rmdir", dice.choice(empty)
            elif what == "chmod" and file:
                yield "chmod", dice.choice([file, folder]), dice.choice([0o700, 0o711, 0o755])
            elif what == "mtime" and file:
                yield "mtime", file, dice.randint(1, 1 << 30)
            else:
                yield "create", fresh("file"), "guarded", 0o600

    def played(block):
        for op in block:
            tree.apply(op)
            yield op

    yield "names", list(played([("mkdir", "", 0o755)]))
    for _ in range(BLOCKS):
        yield "writes", list(played(writes()))
        yield "names", list(played(names()))


def check(round_, client, acknowledged, found):
    """Compares a disk with what was acknowledged. Operations behind that may have been done, one after the other.

    Returns (sentence about the difference or None, the tree that it has to be)."""
    ops = [op for _, block in operations(round_, client) for op in block]
    tree, first = Tree(), None
    for done in range(min(len(ops), acknowledged + UNTOLD) + 1):
        if done >= acknowledged:
            why = tree.differs(found)
            if why is None:
                return None, tree
            first = first or why
        if done < len(ops):
            if done >= acknowledged and ops[done][0] == "write":
                half = copy.deepcopy(tree)
                half.apply(ops[done], loosely=True)
                if half.differs(found) is None:
                    return None, half
            tree.apply(ops[done])
    return first, tree
