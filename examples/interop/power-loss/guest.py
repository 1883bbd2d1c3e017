"""In the guest: checks what the disk holds of earlier rounds, then works until the power goes.

usage: guest.py REPORT ROUND EXPORT-OPTIONS

What earlier rounds saw acknowledged is in /lab/record-ROUND. REPORT gets a line per check, and per acknowledged operation.
"""
import os
import socket
import struct
import subprocess
import sys
import threading

from model import CLIENTS, Found, check, data_of, operations

DISK, PORT = "/disk", 20490
NFS, MOUNT = 100003, 100005
SETATTR, WRITE, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME, LINK, COMMIT = 2, 7, 8, 9, 10, 11, 12, 13, 14, 15, 21
GETATTR, EXIST = 1, 17

report = open(sys.argv[1], "wb", buffering=0)
turn = threading.Lock()


def say(line):
    with turn:
        report.write(line.encode() + b"\n")


def opaque(b):
    return struct.pack(">I", len(b)) + b + bytes(-len(b) % 4)


def attributes(mode=None, size=None, mtime=None):
    out = struct.pack(">I", 0) if mode is None else struct.pack(">II", 1, mode)
    out += bytes(8)
    out += struct.pack(">I", 0) if size is None else struct.pack(">IQ", 1, size)
    out += bytes(4)
    return out + (struct.pack(">I", 0) if mtime is None else struct.pack(">III", 2, mtime, 0))


class Refused(Exception):
    pass


class Client:
    """Just enough of NFSv3, one call at a time; it knows every object below its directory by its handle."""

    def __init__(self, directory):
        self.s = socket.create_connection(("127.0.0.1", PORT), timeout=60)
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.xid, self.directory, self.handles = 0, directory, {}
        reply = self.call(MOUNT, 1, opaque(b"/export"))
        self.root = self.handle(reply[4:])

    def exactly(self, n):
        out = b""
        while len(out) < n:
            part = self.s.recv(n - len(out))
            if not part:
                raise EOFError("the server closed the connection")
            out += part
        return out

    def call(self, program, procedure, args):
        self.xid += 1
        credential = struct.pack(">IIIIIII", 1, 20, 0, 0, 0, 0, 0)
        message = struct.pack(">IIIIII", self.xid, 0, 2, program, 3, procedure) + credential + bytes(8) + args
        self.s.sendall(struct.pack(">I", 1 << 31 | len(message)) + message)
        record = self.exactly(struct.unpack(">I", self.exactly(4))[0] & 0x7FFFFFFF)
        assert record[:24] == struct.pack(">IIIIII", self.xid, 1, 0, 0, 0, 0), record[:24].hex()
        (status,) = struct.unpack(">I", record[24:28])
        if status != 0:
            raise Refused(f"status {status}")
        return record[24:]

    @staticmethod
    def handle(data):
        (length,) = struct.unpack(">I", data[:4])
        return data[4:4 + length]

    def at(self, path):
        """A name in a directory, as arguments have it."""
        if path == "":
            return opaque(self.root) + opaque(self.directory.encode())
        above, _, name = path.rpartition("/")
        return opaque(self.handles[above]) + opaque(name.encode())

    def made(self, path, reply):
        assert reply[4:8] == bytes([0, 0, 0, 1]), "no handle of what was made"
        self.handles[path] = self.handle(reply[8:])

    def verifier(self, reply):
        return reply[-8:].hex()

    def do(self, op, mine):
        """Does an operation; returns what is to be kept of the answer."""
        name, path, *rest = op
        if name == "create":
            how = {"unchecked": 0, "guarded": 1, "exclusive": 2}[rest[0]]
            how = struct.pack(">I", how) + (mine if how == 2 else attributes(rest[1]))
            self.made(path, self.call(NFS, CREATE, self.at(path) + how))
            return f"{rest[0]} {self.handles[path].hex()}"
        if name == "mkdir":
            self.made(path, self.call(NFS, MKDIR, self.at(path) + attributes(rest[0])))
        elif name == "symlink":
            self.made(path, self.call(NFS, SYMLINK, self.at(path) + attributes() + opaque(rest[0].encode())))
        elif name == "mknod":
            self.made(path, self.call(NFS, MKNOD, self.at(path) + struct.pack(">I", 7) + attributes(rest[0])))
        elif name == "write":
            offset, seed, length, how = rest
            how = {"unstable": 0, "data": 1, "file": 2}[how]
            args = struct.pack(">QII", offset, length, how) + opaque(data_of(seed, length))
            reply = self.call(NFS, WRITE, opaque(self.handles[path]) + args)
            count, committed = struct.unpack(">II", reply[-16:-8])
            assert count == length and committed >= how, (count, committed)
            return f"verifier {self.verifier(reply)}"
        elif name == "commit":
            reply = self.call(NFS, COMMIT, opaque(self.handles[path]) + bytes(12))
            return f"verifier {self.verifier(reply)}"
        elif name in ("size", "chmod", "mtime"):
            new = attributes(**{{"chmod": "mode"}.get(name, name): rest[0]})
            self.call(NFS, SETATTR, opaque(self.handles[path]) + new + bytes(4))
        elif name == "link":
            self.call(NFS, LINK, opaque(self.handles[path]) + self.at(rest[0]))
            self.handles[rest[0]] = self.handles[path]
        elif name == "rename":
            self.call(NFS, RENAME, self.at(path) + self.at(rest[0]))
            for p in [p for p in self.handles if p == path or p.startswith(path + "/")]:
                self.handles[rest[0] + p[len(path):]] = self.handles.pop(p)
        else:
            self.call(NFS, {"remove": REMOVE, "rmdir": RMDIR}[name], self.at(path))
            del self.handles[path]
        return ""


def folder(round_, client):
    return f"round{round_}-client{client}"


def verifier_of_create(round_, client, n):
    return struct.pack(">HHI", round_, client, n)


def start_server(options):
    server = subprocess.Popen(
        ["/lab/server", "--export", f"{DISK}/export{options}", "--squash", "none", "--listen", f"127.0.0.1:{PORT}",
         "--state-dir", f"{DISK}/state", "--log", "warn"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        print(line, end="", flush=True)
        if line.startswith("ready "):
            return server
    raise SystemExit("the server did not get ready")


def verify(round_):
    """All that was acknowledged in a round; returns its verifiers."""
    done, handles, verifiers = [0] * CLIENTS, {}, set()
    for line in open(f"/lab/record-{round_}"):
        _, client, n, *kept = line.split()
        client, n = int(client), int(n)
        assert n == done[client], "a gap in the record"
        done[client] += 1
        if kept and kept[0] == "verifier":
            verifiers.add(kept[1])
        elif kept:
            handles[client, n] = kept
    lost = loose = wrong = 0
    for client in range(CLIENTS):
        top = f"{DISK}/export/{folder(round_, client)}"
        found = Found(top)
        why, tree = check(round_, client, done[client], found)
        if why:
            say(f"FAIL round_{round_}: client {client}, {done[client]} operations acknowledged: {why}")
            wrong += 1
            continue
        by_handle(round_, client, handles, found)
        for path, node in tree.names.items():
            if path.rpartition("/")[2].startswith("loose") and node.loose:
                loose += 1
                lost += found.names[path].data != node.data
    if wrong:
        return verifiers
    if loose and not lost:
        say(f"FAIL round_{round_}: {loose} files with data that nobody committed have all of it: this was no power loss")
    else:
        say(f"PASS round_{round_}: {sum(done)} acknowledged operations; uncommitted data of {lost} in {loose} files was lost")
    return verifiers


def by_handle(round_, client, handles, found):
    """Handles lead to the files they are of, and EXCLUSIVE creates know their own retry."""
    files = {node.file: path for path, node in found.names.items()}
    ops = [op for _, block in operations(round_, client) for op in block]
    nfs, wrong = Client(""), []
    for (owner, n), (how, handle) in handles.items():
        if owner != client:
            continue
        try:
            reply = nfs.call(NFS, GETATTR, opaque(bytes.fromhex(handle)))
            path = files.get(struct.unpack(">Q", reply[4 + 52:4 + 60])[0])
        except Refused:
            path = None  # removed since, or the file of another name
        if how == "exclusive" and path and path == ops[n][1] and path.rpartition("/")[2].startswith("mine"):
            above, _, name = f"{folder(round_, client)}/{path}".rpartition("/")
            nfs.directory = ""
            at = opaque(walk(nfs, above)) + opaque(name.encode())
            mine = verifier_of_create(round_, client, n)
            reply = nfs.call(NFS, CREATE, at + struct.pack(">I", 2) + mine)
            if nfs.handle(reply[8:]).hex() != handle:
                wrong.append(f"{path!r}: the same EXCLUSIVE create gives another handle")
            try:
                nfs.call(NFS, CREATE, at + struct.pack(">I", 2) + mine[::-1])
                wrong.append(f"{path!r}: another EXCLUSIVE create was answered with success")
            except Refused as refused:
                if str(refused) != f"status {EXIST}":
                    wrong.append(f"{path!r}: another EXCLUSIVE create: {refused}")
        elif path is None and ops[n][1] in found.names and is_untouched(ops, n):
            wrong.append(f"{ops[n][1]!r} is there, but its handle is not good")
    if wrong:
        say(f"FAIL handles_{round_}: client {client}: {wrong[0]}")


def is_untouched(ops, n):
    """Whether no later operation takes the name of the file or of a directory above it."""
    path = ops[n][1]
    return not any(op[0] in ("rename", "remove", "rmdir") and any(
        path == p or path.startswith(f"{p}/") for p in op[1:2] + (op[2:3] if op[0] == "rename" else ())) for op in ops[n + 1:])


def walk(nfs, path):
    at = nfs.root
    for name in path.split("/"):
        at = nfs.handle(nfs.call(NFS, 3, opaque(at) + opaque(name.encode()))[4:])
    return at


def work(round_, client, barrier):
    nfs, n = Client(folder(round_, client)), 0
    try:
        for _, block in operations(round_, client):
            barrier.wait()
            for op in block:
                kept = nfs.do(op, verifier_of_create(round_, client, n))
                say(f"ok {client} {n} {kept}")
                n += 1
        say(f"FAIL work_{round_}: client {client} came to the end before the power went")
    except BaseException as error:
        say(f"FAIL work_{round_}: client {client}, operation {n}: {type(error).__name__}: {error}")


def main():
    round_, options = int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ""
    os.makedirs(f"{DISK}/export", exist_ok=True)
    os.sync()
    server = start_server(options)
    old = set()
    for record in sorted(os.listdir("/lab")):
        if record.startswith("record-"):
            old |= verify(int(record[7:]))
    # Asked of a file of this start.
    nfs = Client("verifier")
    if not os.path.exists(f"{DISK}/export/verifier"):
        nfs.do(("mkdir", "", 0o700), b"")
    nfs.handles[""] = walk(nfs, "verifier")
    nfs.do(("create", "file", "unchecked", 0o600), b"")
    now = nfs.do(("commit", "file"), b"").split()[1]
    say(f"FAIL verifier_{round_}: it is that of an earlier start" if now in old else f"PASS verifier_{round_}")
    say("CHECKED")
    if round_ == 0:
        server.terminate()
        say("PASS end" if server.wait() == 0 else f"FAIL end: the server ended with status {server.returncode}")
        return
    block = iter([kind for kind, _ in operations(round_, 0)])
    barrier = threading.Barrier(CLIENTS, action=lambda: say(f"block {next(block)}"))
    for client in range(CLIENTS):
        threading.Thread(target=work, args=(round_, client, barrier)).start()


main()
