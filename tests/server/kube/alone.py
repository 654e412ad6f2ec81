"""Whom the program speaks to: its API server, and nobody else.

A library in front of libc notes the address of each connection and datagram, and each name that is
looked up. What is in a review is a caller's: names, images and addresses in it lead nowhere.
"""

import json
import pathlib
import subprocess
import time

import certificates
import ray_workers
from checks import check
from made_up_api import Account, Living, Server
from program import Program
from ray_workers import CLUSTERS, OF_NS, PODS
from rules import MAPS, PATHS
from wire import Connection, get, post, tls

NOTES = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static void note(const char* what, const char* whom, int port) {
  FILE* file = fopen(getenv("NOTES"), "a");
  if (!file) abort();
  fprintf(file, "%s %s %d\n", what, whom, port);
  fclose(file);
}
static void note_address(const char* what, const struct sockaddr* to) {
  char text[INET6_ADDRSTRLEN] = "another family";
  int port = to->sa_family;
  if (to->sa_family == AF_INET) {
    const struct sockaddr_in* in = (const void*)to;
    inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
    port = ntohs(in->sin_port);
  } else if (to->sa_family == AF_INET6) {
    const struct sockaddr_in6* in = (const void*)to;
    inet_ntop(AF_INET6, &in->sin6_addr, text, sizeof text);
    port = ntohs(in->sin6_port);
  }
  note(what, text, port);
}
int connect(int fd, const struct sockaddr* to, socklen_t size) {
  int (*real)(int, const struct sockaddr*, socklen_t) = dlsym(RTLD_NEXT, "connect");
  note_address("connect", to);
  return real(fd, to, size);
}
ssize_t sendto(int fd, const void* bytes, size_t size, int flags, const struct sockaddr* to, socklen_t to_size) {
  ssize_t (*real)(int, const void*, size_t, int, const struct sockaddr*, socklen_t) = dlsym(RTLD_NEXT, "sendto");
  if (to) note_address("sendto", to);
  return real(fd, bytes, size, flags, to, to_size);
}
ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  ssize_t (*real)(int, const struct msghdr*, int) = dlsym(RTLD_NEXT, "sendmsg");
  if (message->msg_name) note_address("sendmsg", message->msg_name);
  return real(fd, message, flags);
}
int getaddrinfo(const char* name, const char* service, const struct addrinfo* hints, struct addrinfo** out) {
  int (*real)(const char*, const char*, const struct addrinfo*, struct addrinfo**) = dlsym(RTLD_NEXT, "getaddrinfo");
  note("getaddrinfo", name ? name : "nobody", 0);
  return real(name, service, hints, out);
}
"""

# Where somebody would like it to call.
ELSEWHERE = ["http://127.0.0.1:9/", "https://metadata.google.internal/", "${jndi:ldap://127.0.0.1:9/x}", "example.com"]


class Overheard(Program):
    def __init__(self, folder, server):
        (folder / "notes.c").write_text(NOTES)
        library, self.notes = folder / "notes.so", folder / "notes"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "notes.c", "-ldl"], check=True)
        super().__init__("--log-format", "json", "--ledger", "cluster",
                         beginning=("/usr/bin/env", f"LD_PRELOAD={library}", f"NOTES={self.notes}",
                                    "http_proxy=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9"), account=Account(server.port))


def hostile(pod):
    """With addresses of others wherever there is text."""
    pod = json.loads(json.dumps(pod))
    pod["metadata"]["annotations"] = {f"example.com/{i}": text for i, text in enumerate(ELSEWHERE)}
    pod["metadata"]["annotations"]["tpu-webhook.dev/coordinator"] = "example.com:8476"
    pod["spec"] |= {"subdomain": "example", "hostname": "a"}
    container = pod["spec"]["containers"][0]
    container["image"] = "example.com/x@sha256:" + "0" * 64
    container["env"] = [{"name": name, "value": text} for name in ("TPU_WORKER_HOSTNAMES", "MEGASCALE_COORDINATOR_ADDRESS", "A")
                        for text in ELSEWHERE]
    return pod


@check(waits=True)
def speaks_to_nobody_but_its_api_server():
    cluster = ray_workers.ray_cluster("train", "uid-train", ["workers"])
    api = Living({PODS: [], OF_NS: [], MAPS: [], CLUSTERS: [cluster], PATHS["nodes"]: [], PATHS["services"]: []})
    folder = pathlib.Path(certificates.FOLDER) / "alone"
    folder.mkdir()
    with Server(api) as server, Overheard(folder, server) as program:
        program.wait_for_log("cluster listed", 45)
        context = tls(program.ca)
        worker = ray_workers.worker("w", "train", "uid-train", "workers")
        for pod in (worker, hostile(worker)):
            _, request = ray_workers.creation(pod)
            for text in (request, request.replace(b"/mutate", b"/validate", 1)):
                with Connection(program.port, context) as connection:
                    assert connection.send(text).answer().status == 200
        with Connection(program.port, context) as connection:
            connection.send(post(b"{}", fields="X-Forwarded-For: example.com\r\nForwarded: for=127.0.0.1\r\n")).answer()
        for path in ("/livez", "/readyz", "/metrics"):
            with Connection(program.health_port, None) as health:
                health.send(get(path)).answer()
        time.sleep(1)
        program.signal()
        program.wait()
        noted = set(program.notes.read_text().splitlines())
    assert f"connect 127.0.0.1 {server.port}" in noted, noted
    assert noted <= {f"connect 127.0.0.1 {server.port}", "getaddrinfo 127.0.0.1 0"}, noted
