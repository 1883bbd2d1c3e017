"""The files that the guest writes and that guest and host verify.

Everything follows from constants, so the host can tell what must lie in the exported
directory without asking the guest.
"""
import hashlib
import os
import random
import stat

CHUNK = 1 << 16
FILES = 2000
TOTAL = 250_000_000
LARGEST = 32 << 20

_block = random.Random("nfswire block").randbytes(1 << 20)


def new_hash():
    """MD5: five times as fast as SHA under emulation, and nobody forges these files."""
    return hashlib.md5(usedforsecurity=False)


def content(number, size):
    """Yields the content of file `number` in pieces; each 64 KiB tells file and offset."""
    for offset in range(0, size, CHUNK):
        start = (number * 7919 + offset // CHUNK * 104_729) % (len(_block) - CHUNK)
        stamp = number.to_bytes(8, "big") + offset.to_bytes(8, "big")
        piece = stamp + _block[start:start + CHUNK - len(stamp)]
        yield piece[:min(CHUNK, size - offset)]


def plan(quick=False):
    """Lists (path, size, mode, mtime in ns) of every file of the tree, path as bytes."""
    files, total, largest = (200, 10_000_000, 1 << 20) if quick else (FILES, TOTAL, LARGEST)
    rng = random.Random("nfswire plan")
    sizes = [largest, largest // 2, largest // 2] + [largest // 4] * 4
    sizes += [0] * (files // 20) + list(range(1, 18)) + [4095, 4096, 4097, 65535, 65536, 65537]
    left = total - sum(sizes)
    weights = [2 ** rng.uniform(0, 14) for _ in range(files - len(sizes) - 1)]
    sizes += [int(left * 0.99 * w / sum(weights)) for w in weights]
    sizes.append(total - sum(sizes))
    assert len(sizes) == files and sum(sizes) == total and max(sizes) == largest
    rng.shuffle(sizes)

    folders = [b"."]
    for i in range(files // 20):
        name = rng.choice([b"d%d", b"spa ce %d", b"\xc3\xbcml\xc3\xa4ut-%d", b"dot.%d"]) % i
        folders.append(os.path.join(rng.choice(folders), name))
    out = []
    for number, size in enumerate(sizes):
        path = os.path.join(rng.choice(folders), b"file-%04d" % number)
        mode = rng.choice([0o644, 0o600, 0o755, 0o444])
        out.append((os.path.normpath(path), size, mode, rng.randrange(10**18, 2 * 10**18)))
    return out


def make_tree(root, quick=False):
    root = os.fsencode(root)
    for number, (path, size, mode, mtime) in enumerate(plan(quick)):
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.writelines(content(number, size))
        os.chmod(path, mode)
        os.utime(path, ns=(mtime, mtime))


def planned_tree(quick=False):
    """What `read_tree` must return: path -> (size, mode, mtime, hash)."""
    out = {}
    for number, (path, size, mode, mtime) in enumerate(plan(quick)):
        h = new_hash()
        for piece in content(number, size):
            h.update(piece)
        out[path] = (size, mode, mtime, h.hexdigest())
    return out


def read_tree(root):
    root = os.fsencode(root)
    out = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            h, n = new_hash(), 0
            with open(path, "rb", buffering=0) as f:
                s = os.fstat(f.fileno())
                while piece := f.read(1 << 20):
                    h.update(piece)
                    n += len(piece)
            if n != s.st_size:
                raise AssertionError(f"{path!r}: {n} bytes read, size is {s.st_size}")
            out[os.path.relpath(path, root)] = (n, stat.S_IMODE(s.st_mode), s.st_mtime_ns, h.hexdigest())
    return out


def same_tree(got, want):
    if got == want:
        return
    lost, extra = want.keys() - got.keys(), got.keys() - want.keys()
    differ = [(p, got[p], want[p]) for p in got.keys() & want.keys() if got[p] != want[p]]
    raise AssertionError(f"{len(lost)} files missing {sorted(lost)[:2]}, {len(extra)} too many {sorted(extra)[:2]}, "
                         f"{len(differ)} differ (got, want) {differ[:1]}")


# Names that are legal on the server's file system and awkward on the way.
NAMES = [b"spa ce", b" lead", b"trail ", b"new\nline", b"tab\t", "ünï€ 漢字".encode(), b"n" * 255,
         b"-dash", b".hidden", b"...", b"back\\slash", b"q'uo\"te", b"\xff\xfe\x80 not utf-8", b"\x01\x7f", b"*?[a]"]
FAR = (5 << 30) + 123
STAMPS = (1_000_000_000_123_456_789, 1_234_567_890_987_654_321)


def make_kept(root, as_root):
    """Makes a folder of everything that must outlive a remount."""
    os.makedirs(root + "/names")
    for name in NAMES:
        with open(os.path.join(os.fsencode(root), b"names", name), "wb") as f:
            f.write(b"I am " + name)
    os.symlink("names/no such file", root + "/dangling")
    os.symlink("x/" * 500 + "end", root + "/long-link")
    with open(root + "/sparse", "wb") as f:
        f.seek(FAR)
        f.write(b"far")
    with open(root + "/linked", "wb") as f:
        f.write(b"two names")
    os.link(root + "/linked", root + "/linked-too")
    os.mkfifo(root + "/fifo", 0o640)
    with open(root + "/owned", "wb") as f:
        f.write(b"owned")
    os.chmod(root + "/owned", 0o640)
    if as_root:
        os.chown(root + "/owned", 1001, 1002)
    os.utime(root + "/owned", ns=STAMPS)
    os.mkdir(root + "/setgid")
    os.chmod(root + "/setgid", 0o2750)


def verify_kept(root, as_root):
    braw = os.path.join(os.fsencode(root), b"names")
    equal(sorted(os.listdir(braw)), sorted(NAMES), "names")
    for name in NAMES:
        with open(os.path.join(braw, name), "rb") as f:
            equal(f.read(), b"I am " + name, repr(name))
    equal(os.readlink(root + "/dangling"), "names/no such file", "dangling")
    equal(os.readlink(root + "/long-link"), "x/" * 500 + "end", "long-link")
    with open(root + "/sparse", "rb") as f:
        equal(os.fstat(f.fileno()).st_size, FAR + 3, "size of sparse")
        for hole in (0, 1 << 31, 4 << 30, FAR - 4096):
            equal(os.pread(f.fileno(), 4096, hole), b"\0" * 4096, f"sparse at {hole}")
        equal(os.pread(f.fileno(), 10, FAR), b"far", "end of sparse")
    a, b = os.stat(root + "/linked"), os.stat(root + "/linked-too")
    equal((a.st_ino, a.st_nlink), (b.st_ino, 2), "hard link")
    s = os.lstat(root + "/fifo")
    equal((stat.S_ISFIFO(s.st_mode), stat.S_IMODE(s.st_mode)), (True, 0o640), "fifo")
    s = os.stat(root + "/owned")
    equal(stat.S_IMODE(s.st_mode), 0o640, "mode of owned")
    equal((s.st_atime_ns, s.st_mtime_ns), STAMPS, "times of owned")
    if as_root:
        equal((s.st_uid, s.st_gid), (1001, 1002), "owner of owned")
    equal(stat.S_IMODE(os.stat(root + "/setgid").st_mode), 0o2750, "mode of setgid")


def equal(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")
