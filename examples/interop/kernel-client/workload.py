"""Runs in the guest: mounts, works, and prints a line per check.

Usage: workload.py REPORT key=value..., keys as `run` writes them. Lines:
"PASS name", "FAIL name: reason", "SKIP name: reason", and "DONE" at the very end.
"""
import contextlib
import ctypes
import errno
import functools
import mmap
import os
import random
import shutil
import socket
import stat
import subprocess
import sys
import time

from material import equal, make_kept, make_tree, read_tree, same_tree, verify_kept

MOUNT = "/mnt/main"
OTHER = "/mnt/other"
SQUASHED = "/mnt/squashed"
EMBEDDED = "/mnt/embedded"
SOURCE = "/tmp/source"
ALICE = 1001
libc = ctypes.CDLL(None, use_errno=True)
report = open(sys.argv[1], "w", buffering=1)
option = dict(a.split("=", 1) for a in sys.argv[2:])
quick, as_root = option["quick"] == "1", option["root"] == "1"
checks = []


class Skip(Exception):
    pass


def check(f):
    checks.append(f)
    return f


def perform(f):
    start = time.monotonic()
    try:
        f()
        print(f"PASS {f.__name__} ({time.monotonic() - start:.1f} s)", file=report)
        return True
    except Skip as e:
        print(f"SKIP {f.__name__}: {e}", file=report)
        return True
    except BaseException as e:  # whatever a check raises is its failure
        reason = f"{type(e).__name__}: {e}".replace("\n", "\\n")[:600]
        print(f"FAIL {f.__name__}: {reason}", file=report)
        return False


# ---- helpers ----

def put(path, data, mode=0o644):
    fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode)
    with open(fd, "wb", buffering=0) as f:
        view = memoryview(data)
        while view:
            view = view[f.write(view):]


def get(path):
    with open(path, "rb", buffering=0) as f:
        return f.readall()


@contextlib.contextmanager
def opened(path, flags, mode=0o644):
    fd = os.open(path, flags, mode)
    try:
        yield fd
    finally:
        os.close(fd)


def fails(want, f, *args):
    want = want if isinstance(want, tuple) else (want,)
    names = [errno.errorcode[e] for e in want]
    try:
        f(*args)
    except OSError as e:
        if e.errno not in want:
            raise AssertionError(f"{f.__name__}{args!r} gave {errno.errorcode.get(e.errno)}, want {names}") from e
        return
    raise AssertionError(f"{f.__name__}{args!r} passed, want {names}")


def as_user(uid, f, groups=()):
    """Runs f in a child with the ids of a user; its failure becomes ours."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        try:
            os.setgroups(list(groups))
            os.setgid(uid)
            os.setuid(uid)
            f()
        except BaseException as e:
            os.write(write, f"as uid {uid}: {type(e).__name__}: {e}".encode())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as f:
        text = f.read()
    os.waitpid(pid, 0)
    if text:
        raise AssertionError(text.decode())


def need_root():
    if not as_root:
        raise Skip("the server does not run as root")


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as f:
        f.write("3\n")


def command(*args):
    done = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise AssertionError(f"{' '.join(args)}: exit status {done.returncode}: {done.stdout.decode(errors='replace')}")


@functools.cache
def source_tree():
    return read_tree(SOURCE)


def mount(where, port, mountport, more=""):
    os.makedirs(where, exist_ok=True)
    options = f"vers=3,proto=tcp,port={port},mountport={mountport},mountproto=tcp,nolock,retry=0"
    if option["options"]:
        options += "," + option["options"]
    if more:
        options += "," + more
    command("/sbin/mount.nfs", f"{option['host']}:{option['export']}", where, "-o", options)


# ---- checks, in the folder work/ of the mount ----

@check
def copy_tree_in():
    command("cp", "-a", SOURCE, f"{MOUNT}/tree")


@check
def list_many_entries():
    count = 500 if quick else 5000
    os.mkdir("many")
    for i in range(count):
        os.close(os.open(f"many/entry-{i:05}", os.O_CREAT | os.O_WRONLY))
    want = [f"entry-{i:05}" for i in range(count)]
    drop_caches()
    equal(sorted(os.listdir("many")), want, "names listed without stat")
    drop_caches()
    with os.scandir("many") as entries:
        equal(sorted((e.name, e.stat(follow_symlinks=False).st_size) for e in entries), [(n, 0) for n in want],
              "names and sizes listed with stat")


@check
def remove_many_entries():
    shutil.rmtree("many")
    fails(errno.ENOENT, os.stat, "many")


@check
def list_a_crowd():
    """A directory that the host has filled."""
    count = int(option["crowd"])
    want = [f"entry-{i:05}" for i in range(count)]
    equal(sorted(os.listdir(f"{MOUNT}/crowd")), want, "names listed without stat")
    drop_caches()
    with os.scandir(f"{MOUNT}/crowd") as entries:
        equal(sorted((e.name, e.stat(follow_symlinks=False).st_size) for e in entries), [(n, 0) for n in want],
              "names and sizes listed with stat")


@check
def odd_sizes():
    for n in (0, 1, 2, 3, 4, 5, 255, 1023, 4095, 4097, 70_000):
        data = os.urandom(n)
        put(f"size-{n}", data)
        drop_caches()
        equal(get(f"size-{n}"), data, f"{n} bytes")


@check
def rename():
    put("r1", b"one")
    put("r2", b"two")
    os.rename("r1", "r3")
    fails(errno.ENOENT, os.stat, "r1")
    os.rename("r3", "r2")
    equal(get("r2"), b"one", "renamed over an existing file")
    os.makedirs("rd1/sub")
    os.rename("r2", "rd1/f")
    os.rename("rd1", "rd2")
    equal(get("rd2/f"), b"one", "file in the renamed directory")
    os.makedirs("rd3/full")
    fails((errno.ENOTEMPTY, errno.EEXIST), os.rename, "rd2", "rd3")
    os.mkdir("rd4")
    os.rename("rd2", "rd4")
    equal(sorted(os.listdir("rd4")), ["f", "sub"], "directory renamed over an empty one")
    fails(errno.EINVAL, os.rename, "rd3", "rd3/full/inside")
    fails(errno.EISDIR, os.rename, "rd4/f", "rd3")
    fails(errno.ENOTDIR, os.rename, "rd3", "rd4/f")
    fails(errno.ENOENT, os.rename, "none", "any")


@check
def rename_over_open_file():
    put("ro1", b"old")
    put("ro2", b"new")
    with opened("ro1", os.O_RDONLY) as fd:
        os.rename("ro2", "ro1")
        equal(os.pread(fd, 3, 0), b"old", "the file that was open")
        equal(get("ro1"), b"new", "the file of that name")


@check
def hard_links():
    put("l1", b"link")
    os.link("l1", "l2")
    a, b = os.stat("l1"), os.stat("l2")
    equal((a.st_ino, a.st_nlink), (b.st_ino, 2), "inode and links")
    fails(errno.EEXIST, os.link, "l1", "l2")
    os.unlink("l1")
    equal((get("l2"), os.stat("l2").st_nlink), (b"link", 1), "after unlink of the first name")
    os.mkdir("ldir")
    fails(errno.EPERM, os.link, "ldir", "l3")


@check
def symlinks():
    put("target", b"content")
    os.symlink("target", "s1")
    equal((os.readlink("s1"), get("s1")), ("target", b"content"), "relative symlink")
    os.symlink("/nowhere/at all", "s2")
    equal(os.readlink("s2"), "/nowhere/at all", "dangling symlink")
    assert stat.S_ISLNK(os.lstat("s2").st_mode)
    fails(errno.ENOENT, os.stat, "s2")
    fails(errno.EINVAL, os.readlink, "target")
    fails(errno.EEXIST, os.symlink, "x", "s1")
    os.unlink("s1")
    equal(get("target"), b"content", "target after unlink of the link")


@check
def truncate():
    put("t", b"0123456789")
    os.truncate("t", 4)
    equal(get("t"), b"0123", "shorter")
    os.truncate("t", 9000)
    drop_caches()
    equal(get("t"), b"0123" + b"\0" * 8996, "longer")
    os.truncate("t", 0)
    equal(os.stat("t").st_size, 0, "size after truncate to nothing")
    put("t", b"again")
    with opened("t", os.O_RDWR | os.O_TRUNC) as fd:
        equal(os.fstat(fd).st_size, 0, "O_TRUNC")


@check
def sparse_file():
    far = (5 << 30) + 123
    with opened("sparse", os.O_CREAT | os.O_RDWR) as fd:
        os.pwrite(fd, b"near", 0)
        os.pwrite(fd, b"far", far)
        os.fsync(fd)
    drop_caches()
    with opened("sparse", os.O_RDONLY) as fd:
        equal(os.fstat(fd).st_size, far + 3, "size")
        equal(os.pread(fd, 8192, 0), b"near" + b"\0" * 8188, "start")
        equal(os.pread(fd, 65536, 3 << 30), b"\0" * 65536, "hole")
        equal(os.pread(fd, 100, far), b"far", "data at 5 GiB")
        equal(os.pread(fd, 100, far + 3), b"", "read at the end of file")
    os.unlink("sparse")


@check
def append():
    with opened("log", os.O_CREAT | os.O_WRONLY | os.O_APPEND) as fd:
        for i in range(20):
            os.write(fd, b"%03d\n" % i)
    with opened("log", os.O_WRONLY | os.O_APPEND) as fd:
        os.write(fd, b"end\n")
    drop_caches()
    equal(get("log"), b"".join(b"%03d\n" % i for i in range(20)) + b"end\n", "content")


@check
def overwrite_in_the_middle():
    data = bytearray(os.urandom(300_000))
    put("middle", data)
    with opened("middle", os.O_RDWR) as fd:
        for offset, n in ((1, 3), (4095, 2), (65_537, 70_000), (299_999, 1)):
            data[offset:offset + n] = os.urandom(n)
            os.pwrite(fd, data[offset:offset + n], offset)
    drop_caches()
    equal(get("middle") == data, True, "content after overwrites")


@check
def random_blocks():
    """Blocks of a database, in any order, some of them synced at once."""
    block, count = 8192, 64 if quick else 512
    data = bytearray(block * count)
    with opened("blocks", os.O_CREAT | os.O_RDWR) as fd:
        os.ftruncate(fd, len(data))
        for n, i in enumerate(random.sample(range(count), count)):
            data[i * block:(i + 1) * block] = os.urandom(block)
            equal(os.pwrite(fd, data[i * block:(i + 1) * block], i * block), block, "bytes written")
            if n % 16 == 0:
                os.fdatasync(fd)
    drop_caches()
    with opened("blocks", os.O_RDONLY) as fd:
        for i in random.sample(range(count), count):
            equal(os.pread(fd, block, i * block) == data[i * block:(i + 1) * block], True, f"block {i}")


@check
def direct_io():
    with mmap.mmap(-1, 1 << 20) as out, mmap.mmap(-1, 1 << 20) as back:
        out.write(os.urandom(len(out)))
        with opened("direct", os.O_CREAT | os.O_RDWR | os.O_DIRECT) as fd:
            equal(os.pwritev(fd, [out], 4096), len(out), "bytes written past the cache")
            equal(os.preadv(fd, [back], 4096), len(out), "bytes read past the cache")
        equal(back[:] == out[:], True, "content past the cache")
        equal(get("direct") == bytes(4096) + out[:], True, "content through the cache")


@check
def shared_mapping():
    size = 3 * 4096 + 77
    put("map", b"m" * size)
    with opened("map", os.O_RDWR) as fd:
        with mmap.mmap(fd, size) as m:
            m[0:5] = b"HELLO"
            m[4094:4098] = b"EDGE"
            m[size - 3:size] = b"END"
            m.flush()
    drop_caches()
    want = b"HELLO" + b"m" * 4089 + b"EDGE" + b"m" * (size - 4098 - 3) + b"END"
    equal(get("map"), want, "content")


@check
def chmod():
    put("mode", b"m")
    for mode in (0o000, 0o444, 0o640, 0o4751, 0o1777, 0o755):
        os.chmod("mode", mode)
        drop_caches()
        equal(oct(os.stat("mode").st_mode & 0o7777), oct(mode), "mode")
    os.umask(0o027)
    os.close(os.open("masked", os.O_CREAT | os.O_WRONLY, 0o666))
    os.umask(0o022)
    equal(oct(os.stat("masked").st_mode & 0o7777), "0o640", "mode of a new file")


@check
def chown():
    need_root()
    put("owner", b"o")
    os.chown("owner", 1001, 1002)
    drop_caches()
    s = os.stat("owner")
    equal((s.st_uid, s.st_gid), (1001, 1002), "owner and group")
    os.chown("owner", -1, 1003)
    s = os.stat("owner")
    equal((s.st_uid, s.st_gid), (1001, 1003), "group alone")


@check
def times():
    put("time", b"t")
    os.utime("time", ns=(1_000_000_000_123_456_789, 1_234_567_890_987_654_321))
    drop_caches()
    s = os.stat("time")
    equal((s.st_atime_ns, s.st_mtime_ns), (1_000_000_000_123_456_789, 1_234_567_890_987_654_321), "times in ns")
    os.utime("time", (0, 2**31 + 5))
    equal(int(os.stat("time").st_mtime), 2**31 + 5, "a time after 2038")
    os.utime("time")
    assert abs(os.stat("time").st_mtime - time.time()) < 60, "utime without a time must mean now"
    before = os.stat("time")
    time.sleep(0.05)
    put("time", b"tt")
    after = os.stat("time")
    assert after.st_mtime_ns > before.st_mtime_ns and after.st_ctime_ns > before.st_ctime_ns, "a write must move mtime and ctime"
    folder = os.stat(".").st_mtime_ns
    time.sleep(0.05)
    put("time-new", b"")
    assert os.stat(".").st_mtime_ns > folder, "a new name must move the directory's mtime"


@check
def exclusive_create():
    with opened("excl", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600) as fd:
        os.write(fd, b"mine")
    drop_caches()
    s = os.stat("excl")
    equal((oct(s.st_mode & 0o7777), s.st_size), ("0o600", 4), "mode and size")
    assert abs(s.st_mtime - time.time()) < 60, f"the verifier was left in the times: mtime {s.st_mtime}"
    fails(errno.EEXIST, os.open, "excl", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)


@check
def create_without_write_permission():
    for name, mode in (("for-all", 0o444), ("for-me", 0o400)):
        with opened(name, os.O_CREAT | os.O_WRONLY, mode) as fd:
            os.write(fd, b"by the creating open")
        equal(get(name), b"by the creating open", "content")


@check
def directories():
    os.mkdir("d", 0o750)
    equal(oct(os.stat("d").st_mode & 0o7777), "0o750", "mode")
    os.makedirs("d/e/f")
    put("d/e/f/x", b"1")
    fails(errno.ENOTEMPTY, os.rmdir, "d/e/f")
    fails(errno.EEXIST, os.mkdir, "d")
    fails(errno.ENOTDIR, os.rmdir, "d/e/f/x")
    fails(errno.EISDIR, os.unlink, "d")
    fails(errno.ENOTDIR, os.stat, "d/e/f/x/y")
    os.unlink("d/e/f/x")
    os.removedirs("d/e/f")
    fails(errno.ENOENT, os.stat, "d")


@check
def deep_directories():
    deep = "deep" + "".join(f"/x{i}" for i in range(40))
    os.makedirs(deep)
    put(deep + "/leaf", b"leaf")
    drop_caches()
    equal(get(deep + "/leaf"), b"leaf", "leaf")


@check
def special_files():
    os.mkfifo("fifo", 0o600)
    assert stat.S_ISFIFO(os.stat("fifo").st_mode), "fifo"
    with socket.socket(socket.AF_UNIX) as s:
        s.bind("sock")
    assert stat.S_ISSOCK(os.stat("sock").st_mode), "socket"
    if as_root:
        os.mknod("chr", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        os.mknod("blk", 0o600 | stat.S_IFBLK, os.makedev(7, 200))
        drop_caches()
        c, b = os.stat("chr"), os.stat("blk")
        equal((stat.S_ISCHR(c.st_mode), c.st_rdev), (True, os.makedev(1, 3)), "character device")
        equal((stat.S_ISBLK(b.st_mode), b.st_rdev), (True, os.makedev(7, 200)), "block device")


@check
def unlink_while_open():
    put("gone", b"still here")
    with opened("gone", os.O_RDWR) as fd:
        os.unlink("gone")
        fails(errno.ENOENT, os.stat, "gone")
        os.pwrite(fd, b"STILL", 0)
        os.fsync(fd)
        drop_caches()
        equal(os.pread(fd, 20, 0), b"STILL here", "content")
    for _ in range(50):  # the client removes its renamed file some time after the close
        left = [n for n in os.listdir(".") if n.startswith(".nfs")]
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"left behind: {left}")


@check
def names():
    make_kept("kept", as_root)
    verify_kept("kept", as_root)
    fails(errno.ENAMETOOLONG, os.open, "n" * 256, os.O_CREAT | os.O_WRONLY)


@check
def file_system_numbers():
    s = os.statvfs(".")
    assert s.f_blocks > 0 and 0 < s.f_bfree <= s.f_blocks and 0 < s.f_bavail <= s.f_bfree, s
    assert s.f_files >= s.f_ffree and s.f_bsize >= 512, s
    equal(s.f_namemax, 255, "longest name")


@check
def fsync():
    with opened("synced", os.O_CREAT | os.O_RDWR) as fd:
        for i in range(5):
            os.write(fd, b"%d" % i)
            os.fsync(fd)
            os.fdatasync(fd)
    with opened("synced", os.O_WRONLY | os.O_SYNC | os.O_APPEND) as fd:
        os.write(fd, b"5")
    with opened(".", os.O_RDONLY | os.O_DIRECTORY) as fd:
        os.fsync(fd)
    drop_caches()
    equal(get("synced"), b"012345", "content")


@check
def permission_denied():
    need_root()
    put("secret", b"secret")
    os.chmod("secret", 0o600)
    os.mkdir("locked")
    os.chmod("locked", 0o700)
    os.mkdir("readable")
    os.chmod("readable", 0o755)

    def closed():
        fails(errno.EACCES, os.open, "secret", os.O_RDONLY)
        fails(errno.EACCES, os.open, "secret", os.O_WRONLY)
        fails(errno.EPERM, os.chmod, "secret", 0o666)
        fails(errno.EACCES, os.listdir, "locked")
        fails(errno.EACCES, os.mkdir, "readable/new")
        fails(errno.EACCES, os.unlink, "secret")
        equal(os.access("secret", os.R_OK), False, "access")
    as_user(ALICE, closed)
    os.chmod("secret", 0o644)
    as_user(ALICE, lambda: equal(get("secret"), b"secret", "content"))


@check
def execute_only():
    need_root()
    shutil.copyfile("/bin/busybox", "busybox")
    os.chmod("busybox", 0o111)
    drop_caches()

    def run():
        fails(errno.EACCES, os.open, "busybox", os.O_RDONLY)
        done = subprocess.run(["./busybox", "echo", "ran"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        equal((done.returncode, done.stdout), (0, b"ran\n"), "status and output")
    as_user(ALICE, run)


@check
def owner_of_new_files():
    need_root()
    os.mkdir("shared")
    os.chmod("shared", 0o777)

    def work():
        put("shared/mine", b"1")
        s = os.stat("shared/mine")
        equal((s.st_uid, s.st_gid), (ALICE, ALICE), "owner")
        os.chown("shared/mine", -1, 1002)  # a group of hers
        fails(errno.EPERM, os.chown, "shared/mine", 1002, -1)
        fails(errno.EPERM, os.chown, "shared/mine", -1, 1003)
        with opened("shared/mode-000", os.O_CREAT | os.O_WRONLY, 0o000) as fd:
            os.write(fd, b"the owner's open stays good")
    as_user(ALICE, work, groups=[1002])
    equal(get("shared/mode-000"), b"the owner's open stays good", "content")


@check
def supplementary_groups():
    need_root()
    put("group", b"for the group")
    os.chown("group", 0, 1005)
    os.chmod("group", 0o640)
    as_user(ALICE, lambda: equal(get("group"), b"for the group", "content"), groups=[1002, 1005])
    os.chown("group", 0, 1006)
    as_user(ALICE, lambda: fails(errno.EACCES, get, "group"), groups=[1002, 1005])


@check
def small_synced_files():
    """As mail servers do: written, synced, closed, one after the other."""
    want = {f"mail/{i:03}": os.urandom(4096) for i in range(20 if quick else 200)}
    os.mkdir("mail")
    for name, data in want.items():
        with opened(name, os.O_CREAT | os.O_WRONLY | os.O_EXCL) as fd:
            os.write(fd, data)
            os.fsync(fd)
    drop_caches()
    equal([name for name, data in want.items() if get(name) != data], [], "files with other content")


@check
def two_clients():
    """The export mounted once more, with a cache of its own, by small and by large transfers."""
    for size in (4096, 1 << 20):
        mount(OTHER, option["port"], option["mountport"], f"nosharecache,noac,rsize={size},wsize={size}")
        try:
            with open("/proc/mounts") as mounts:
                line = next(line for line in mounts if f" {OTHER} " in line)
            equal(f"rsize={size},wsize={size}" in line, True, f"transfer size in {line!r}")
            data = os.urandom(300_007)
            put(f"{OTHER}/work/ours", data)
            equal(get("ours") == data, True, "what the other wrote")
            with opened("ours", os.O_WRONLY | os.O_APPEND) as fd:
                os.write(fd, b"and more")
            equal(get(f"{OTHER}/work/ours") == data + b"and more", True, "what was appended here")
            os.rename("ours", "theirs")
            fails(errno.ENOENT, os.stat, f"{OTHER}/work/ours")
            os.unlink(f"{OTHER}/work/theirs")
            fails(errno.ENOENT, os.open, "theirs", os.O_RDONLY)
        finally:
            command("umount", OTHER)


@check
def server_killed():
    """The host kills the server in the middle of a file, and starts it anew."""
    if option["restarts"] != "1":
        raise Skip("the server is not ours to kill")
    data = os.urandom((2 if quick else 16) << 20)
    half = len(data) // 2
    with opened("held-open", os.O_CREAT | os.O_RDWR) as held, opened("killed", os.O_CREAT | os.O_RDWR) as fd:
        os.write(held, b"before")
        os.write(fd, data[:half])
        # Sent, but not committed: the new server's verifier must have them sent again.
        sync_file_range_write = 2
        equal(libc.sync_file_range(fd, ctypes.c_int64(0), ctypes.c_int64(0), sync_file_range_write), 0, "result")
        print("RESTART", file=report)
        time.sleep(2)  # the host looks oftener
        os.write(fd, data[half:])
        os.fsync(fd)
        os.write(held, b" and after")
        os.fsync(held)
    drop_caches()
    equal(get("killed") == data, True, "content")
    equal(get("held-open"), b"before and after", "content of a file that was open")
    verify_kept("kept", as_root)


@check
def remount():
    os.chdir("/")
    command("umount", MOUNT)
    assert not os.listdir(MOUNT), "something is still mounted"
    mount(MOUNT, option["port"], option["mountport"])
    os.chdir(f"{MOUNT}/work")
    verify_kept("kept", as_root)


@check
def hash_tree_cold():
    same_tree(read_tree(f"{MOUNT}/tree"), source_tree())


@check
def copy_tree_out():
    drop_caches()
    command("cp", "-a", f"{MOUNT}/tree", "/tmp/out")
    same_tree(read_tree("/tmp/out"), source_tree())


@check
def final_umount():
    os.chdir("/")
    command("umount", MOUNT)


# ---- a server that squashes root ----

@check
def squash_root():
    need_root()
    if not option["squashport"]:
        raise Skip("no squashing server was given")
    mount(SQUASHED, option["squashport"], option["squashport"])
    try:
        os.chdir(SQUASHED)
        put("by-root", b"r")
        s = os.stat("by-root")
        equal((s.st_uid, s.st_gid), (65534, 65534), "owner of a file made by root")
        fails(errno.EPERM, os.chown, "by-root", 0, 0)

        def hers():
            put("hers", b"private", 0o600)
            equal(os.stat("hers").st_uid, ALICE, "owner of a file made by alice")
        as_user(ALICE, hers)
        drop_caches()
        fails(errno.EACCES, os.open, "hers", os.O_RDONLY)
        fails(errno.EPERM, os.chmod, "hers", 0o666)
        as_user(ALICE, lambda: equal(get("hers"), b"private", "content"))
    finally:
        os.chdir("/")
        command("umount", SQUASHED)


# ---- the example of an embedded server, which keeps files in memory ----

@check
def embedded_server():
    if not option["embedport"]:
        raise Skip("no embedded server was given")
    mount(EMBEDDED, option["embedport"], option["embedport"])
    try:
        os.chdir(EMBEDDED)
        data = os.urandom(3_000_001)
        put("one", data)
        drop_caches()
        equal(get("one") == data, True, "content that was read back")
        os.mkdir("many", 0o750)
        want = [f"entry-{i:03}" for i in range(200)]
        for i, name in enumerate(want):
            put(f"many/{name}", b"x" * i)
        drop_caches()
        with os.scandir("many") as entries:
            equal(sorted((e.name, e.stat(follow_symlinks=False).st_size) for e in entries),
                  [(name, i) for i, name in enumerate(want)], "names and sizes")
        os.rename("one", "many/entry-000")
        fails(errno.ENOENT, os.stat, "one")
        os.symlink("many/entry-000", "link")
        drop_caches()
        equal(os.readlink("link"), "many/entry-000", "text of the link")
        equal(get("link") == data, True, "content behind the link, renamed over a file")
        os.rename("many", "few")
        fails(errno.ENOENT, os.stat, "many/entry-001")
        fails(errno.ENOTEMPTY, os.rmdir, "few")
        os.truncate("few/entry-199", 5000)
        os.chmod("few/entry-199", 0o400)
        os.utime("few/entry-199", ns=(1_000_000_000_123_456_789, 1_234_567_890_987_654_321))
        drop_caches()
        s = os.stat("few/entry-199")
        equal((s.st_size, oct(s.st_mode), s.st_mtime_ns), (5000, "0o100400", 1_234_567_890_987_654_321), "attributes")
        equal(get("few/entry-199"), b"x" * 199 + b"\0" * 4801, "content made longer")
        with opened("new", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o400) as fd:
            fails(errno.EEXIST, os.open, "new", os.O_CREAT | os.O_EXCL | os.O_RDWR)
            os.write(fd, b"by its maker")
            os.unlink("new")
            os.fsync(fd)
            drop_caches()
            equal(os.pread(fd, 20, 0), b"by its maker", "content of a file that was removed while open")
        os.mkfifo("fifo", 0o600)
        assert stat.S_ISFIFO(os.stat("fifo").st_mode), "fifo"
        shutil.rmtree("few")
        os.unlink("link")
        os.unlink("fifo")
        for _ in range(50):  # as in unlink_while_open
            if not os.listdir("."):
                break
            time.sleep(0.1)
        equal(os.listdir("."), [], "what is left")
    finally:
        os.chdir("/")
        command("umount", EMBEDDED)


def main():
    print(f"guest kernel {os.uname().release}, up {float(get('/proc/uptime').split()[0]):.1f} s", file=report)
    start = time.monotonic()
    make_tree(SOURCE, quick)
    print(f"source tree made in {time.monotonic() - start:.1f} s", file=report)

    def mount_v3():
        mount(MOUNT, option["port"], option["mountport"])
        os.mkdir(f"{MOUNT}/work")
        os.chdir(f"{MOUNT}/work")
    if perform(mount_v3):
        only = set(filter(None, option["only"].split(",")))
        for f in checks:
            if not only or f.__name__ in only:
                perform(f)
    print("DONE", file=report)


main()
