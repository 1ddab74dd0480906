"""Serves a static tree with nginx on loopback, configured as docs/delivery.md says."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

TRIES = 5  # another program may take the port first


def free_port(address="127.0.0.1"):
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


def answers(port, address="127.0.0.1"):
    with socket.socket() as probe:
        return probe.connect_ex((address, port)) == 0


class TreeServer:
    # `more`: further lines of the configuration. `connections`: at a time.
    def __init__(self, tree, more="", connections=512, address="127.0.0.1"):
        self._address = address
        self._more = more
        self._connections = connections
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if program is None:
            raise SystemExit("nginx is missing; setup/install-dependencies installs it")
        self._folder = tempfile.mkdtemp(prefix="fardel-nginx-")
        for _ in range(TRIES):
            if self._start(program, os.path.realpath(tree)):
                return
        with open(os.path.join(self._folder, "error.log")) as log:
            raise SystemExit("nginx does not start: " + log.read())

    def _start(self, program, tree):
        port = free_port(self._address)
        self.url = f"http://{self._address}:{port}"
        temporary = "".join(f"{kind}_temp_path {self._folder};\n" for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
        with open(os.path.join(self._folder, "nginx.conf"), "w") as file:
            file.write(
                f"daemon off;\nmaster_process off;\npid {self._folder}/nginx.pid;\n"
                f"events {{ worker_connections {self._connections}; }}\n"
                f"http {{\naccess_log off;\n{self._more}{temporary}client_body_temp_path {self._folder};\n"
                f"server {{\nlisten {self._address}:{port};\nlocation / {{ root {tree}; }}\n}}\n}}\n"
            )
        log = os.path.join(self._folder, "error.log")
        command = [program, "-c", os.path.join(self._folder, "nginx.conf"), "-p", self._folder, "-e", log]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while self._process.poll() is None:
            if answers(port, self._address):
                return True
            time.sleep(0.02)
        return False

    @property
    def process_id(self):
        return self._process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder)
