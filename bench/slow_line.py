"""A slow line between this network namespace and another one: IP packets with a rate and a delay, so that TCP behaves
as it does over a real line (handshakes, slow start, lost packets). SlowLine is a program and needs /dev/net/tun;
NetemLine is the kernel's netem. Both need root, and an own network namespace: start the script with `unshare -n`.
"""

import collections
import ctypes
import fcntl
import json
import os
import select
import struct
import subprocess
import threading
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
TUN_WITHOUT_HEADER = 0x1001
PACKET_BYTES_MAX = 1500
QUEUED_SECONDS = 0.1  # what the line holds before it drops packets


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def open_device(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), TUN_WITHOUT_HEADER))
    return device


class Direction:
    def __init__(self, seconds, bytes_per_second):
        self._seconds = seconds
        self._rate = bytes_per_second
        self._free = 0.0  # when the line has sent what it has accepted
        self._under_way = collections.deque()
        self.sent = 0

    def accept(self, packet, now):
        if self._free - now > QUEUED_SECONDS:
            return
        self._free = max(self._free, now) + len(packet) / self._rate
        self.sent += len(packet)
        self._under_way.append((self._free + self._seconds, packet))

    def deliver(self, device, now):
        while self._under_way and self._under_way[0][0] <= now:
            try:
                os.write(device, self._under_way[0][1])
            except BlockingIOError:
                return
            self._under_way.popleft()

    def due(self):
        return self._under_way[0][0] if self._under_way else float("inf")


class Line:
    """`address` is this side; commands that begin with `enter` run on the other."""

    address = "10.77.0.1"

    def __init__(self):
        self._there = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])
        while os.readlink(f"/proc/{self._there.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        self.enter = ["nsenter", f"--net=/proc/{self._there.pid}/ns/net"]

    def close(self):
        self._there.kill()
        self._there.wait()

    def _set_up(self):
        run("ip", "link", "set", "lo", "up")
        for enter, device, address in (([], "near", self.address), (self.enter, "far", "10.77.0.2")):
            run(*enter, "ip", "address", "add", address + "/24", "dev", device)
            run(*enter, "ip", "link", "set", device, "up", "mtu", str(PACKET_BYTES_MAX))


class NetemLine(Line):
    def __init__(self, seconds, bytes_per_second):
        super().__init__()
        run("ip", "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(self._there.pid))
        self._set_up()
        queued = int((seconds + QUEUED_SECONDS) * bytes_per_second / PACKET_BYTES_MAX)  # packets, those on the way too
        for enter, device in (([], "near"), (self.enter, "far")):
            # The line passes packets of its own size, and not what a network card would divide.
            run(*enter, "ip", "link", "set", device, "gso_max_segs", "1")
            run(*enter, "tc", "qdisc", "add", "dev", device, "root", "netem", "delay", f"{seconds * 1000:g}ms",
                "rate", f"{bytes_per_second * 8:.0f}bit", "limit", str(queued))

    @property
    def sent(self):
        """Bytes of packets from this side to the other."""
        shown = subprocess.run(["tc", "-s", "-j", "qdisc", "show", "dev", "near"], check=True, stdout=subprocess.PIPE)
        return json.loads(shown.stdout)[0]["bytes"]


class SlowLine(Line):
    def __init__(self, seconds, bytes_per_second):
        super().__init__()
        self._near = open_device("near")
        opener = threading.Thread(target=self._open_far)
        opener.start()
        opener.join()
        self._set_up()
        self._down = Direction(seconds, bytes_per_second)
        self._up = Direction(seconds, bytes_per_second)
        threading.Thread(target=self._relay, daemon=True).start()

    @property
    def sent(self):
        """Bytes of packets from this side to the other."""
        return self._down.sent

    def _open_far(self):
        there = os.open(f"/proc/{self._there.pid}/ns/net", os.O_RDONLY)
        if ctypes.CDLL(None, use_errno=True).setns(there, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        self._far = open_device("far")

    def _relay(self):
        ways = {self._near: self._down, self._far: self._up}
        while True:
            wait = max(0, min(way.due() for way in ways.values()) - time.monotonic())
            ready, _, _ = select.select(list(ways), [], [], min(wait, 1))
            for device in ready:
                try:
                    for _ in range(64):
                        ways[device].accept(os.read(device, PACKET_BYTES_MAX), time.monotonic())
                except BlockingIOError:
                    pass
            now = time.monotonic()
            self._down.deliver(self._far, now)
            self._up.deliver(self._near, now)
