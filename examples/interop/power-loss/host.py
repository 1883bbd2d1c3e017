"""Boots the guest, and pulls the plug in the middle of its work.

usage: host.py REPORT RECORD ROUND SECONDS QEMU...

The moment follows from the number of the round: while names change in odd rounds, while files are written in even ones.
In round 0 nobody pulls the plug. A boot that is not done after so many SECONDS has failed. RECORD gets the operations that the guest has reported as acknowledged.
"""
import random
import signal
import subprocess
import sys
import time


def main():
    report, record, round_, patience, qemu = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]
    dice = random.Random(f"plug {round_}")
    kind = "names" if round_ % 2 else "writes"
    block, acknowledged = dice.randint(2, 4), dice.randint(15, 40)
    for path in (report, record):
        open(path, "wb").close()
    guest = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *qemu], stdin=subprocess.DEVNULL)
    end, rest, kept, pulled = time.monotonic() + patience, b"", [], False
    with open(report, "rb") as lines:
        while True:
            ended = guest.poll() is not None
            *whole, rest = (rest + lines.read()).split(b"\n")
            for line in whole:
                line = line.decode(errors="replace").strip("\r")
                if line.startswith("ok "):
                    kept.append(line)
                    acknowledged -= block == 0
                elif line == f"block {kind}":
                    block -= 1
                elif line.startswith(("PASS ", "FAIL ")):
                    print(line, flush=True)
                    pulled |= line.startswith("FAIL work")
            pulled |= round_ > 0 and block == 0 and acknowledged <= 0
            if ended:
                break
            is_late = time.monotonic() > end
            if is_late:
                print(f"FAIL guest: it was not done within {patience} s", flush=True)
            if pulled or is_late:
                guest.send_signal(signal.SIGKILL)
                guest.wait()
            time.sleep(0.003)
    with open(record, "w") as out:
        out.writelines(line + "\n" for line in kept)


main()
