"""Records the bodies that a real API server sends to lists and watches.

Usage: record DIR, where DIR is that of a running control plane (tests/e2e/up --dir DIR
--no-default-pools). Writes recorded/*: the body of each answer, byte for byte but for uids, times
and resource versions, which are replaced by values of the same form and in the same order, so that
a second recording is the same. Objects are ConfigMaps of ours in a namespace of their own, and
`custom-resource.json` a page of a custom resource.
"""

import base64
import http.client
import json
import pathlib
import re
import ssl
import sys
import threading
import time
import urllib.parse

from controlplane import state

HERE = pathlib.Path(__file__).resolve().parent / "recorded"
SPACE = "recorded-watch"
MAPS = f"/api/v1/namespaces/{SPACE}/configmaps"
MINE = "labelSelector=" + urllib.parse.quote("recorded=yes")
INITIAL = "&watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"


class Server:
    def __init__(self, directory):
        self.plane = state.load(pathlib.Path(directory))
        self.api = self.plane.client()

    def connect(self):
        tls = ssl.create_default_context(cafile=str(self.plane.pki / "ca.crt"))
        tls.load_cert_chain(str(self.plane.pki / "admin.crt"), str(self.plane.pki / "admin.key"))
        return http.client.HTTPSConnection("127.0.0.1", self.api.port, timeout=120, context=tls)

    def body(self, path):
        """Status and body of one answer, whole."""
        connection = self.connect()
        connection.request("GET", path, headers={"Accept": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def config_map(self, name, data, **more):
        return {"apiVersion": "v1", "kind": "ConfigMap", "data": data,
                "metadata": {"name": name, "namespace": SPACE, "labels": {"recorded": "yes"}, **more}}

    def put(self, name, data):
        self.api.request("PUT", f"{MAPS}/{name}", self.config_map(name, data))

    def delete(self, name):
        self.api.request("DELETE", f"{MAPS}/{name}")


class Watch(threading.Thread):
    """A watch whose whole body is kept; it ends when its timeoutSeconds are over."""

    def __init__(self, server, path):
        super().__init__()
        self.server, self.path, self.text, self.status = server, path, "", 0
        self.start()
        time.sleep(0.5)

    def run(self):
        self.status, self.text = self.server.body(self.path)


UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")
VERSION = re.compile(r'(?<="resourceVersion":")\d+(?=")')
TOKEN = re.compile(r'(?<="continue":")[^"]+(?=")')
TOO_OLD = re.compile(r"too old resource version: \d+ \(\d+\)")


def canonical(texts):
    """The same texts with the same values for what differs in every recording."""
    everything = "".join(texts.values())
    order = {v: str(1000 + i) for i, v in enumerate(sorted(set(VERSION.findall(everything)), key=int))}
    uids = {u: f"00000000-0000-4000-8000-{i:012d}" for i, u in enumerate(dict.fromkeys(UID.findall(everything)))}
    tokens = {t: f"continue-{i}" for i, t in enumerate(dict.fromkeys(TOKEN.findall(everything)), 1)}
    for name, text in texts.items():
        text = TOKEN.sub(lambda m: tokens[m[0]], text)
        text = VERSION.sub(lambda m: order[m[0]], text)
        text = UID.sub(lambda m: uids[m[0]], text)
        text = TIME.sub("2026-01-05T10:00:00Z", text)
        text = TOO_OLD.sub("too old resource version: 1 (1000)", text)
        texts[name] = text


def record_lists(server, texts):
    token = ""
    for number in (1, 2, 3):
        status, text = server.body(f"{MAPS}?limit=2&{MINE}{'&continue=' + urllib.parse.quote(token) if token else ''}")
        assert status == 200, text
        texts[f"page-{number}.json"] = text
        token = json.loads(text)["metadata"].get("continue", "")
    assert not token
    texts["whole.json"] = server.body(f"{MAPS}?{MINE}")[1]
    texts["empty.json"] = server.body(f"{MAPS}?labelSelector=recorded%3Dno")[1]


def record_watches(server, texts):
    version = json.loads(texts["whole.json"])["metadata"]["resourceVersion"]
    live = Watch(server, f"{MAPS}?{MINE}&watch=1&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds=8")
    first = Watch(server, f"{MAPS}?{MINE}{INITIAL}&timeoutSeconds=8")
    server.api.create(server.config_map("e", {"text": "line\nwith \"quotes\", \\ and \u00e9 \u2713 {[}]"}))
    server.put("a", {"n": "2"})
    server.delete("b")
    server.put("a", {"n": "3"})
    live.join()
    first.join()
    assert live.status == first.status == 200
    texts["watch.jsonl"], texts["watch-list.jsonl"] = live.text, first.text
    texts["after.json"] = server.body(f"{MAPS}?{MINE}")[1]


def compact(server):
    """Makes etcd forget all versions but the newest, so that a read of an old one is refused."""
    etcd = http.client.HTTPConnection("127.0.0.1", server.plane.ports["etcd"], timeout=30)

    def ask(path, body):
        etcd.request("POST", path, json.dumps(body))
        return json.loads(etcd.getresponse().read())

    newest = ask("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
    ask("/v3/kv/compaction", {"revision": newest, "physical": True})


def record_refusals(server, texts, young):
    """`young`: a resource whose watch cache began after version 1, so that it cannot serve that."""
    status, text = server.body(f"{young}?{MINE}&watch=1&resourceVersion=1&timeoutSeconds=2")
    assert status == 200 and '"ERROR"' in text, (status, text)
    texts["watch-410.jsonl"] = text
    compact(server)
    token = json.dumps({"v": "meta.k8s.io/v1", "rv": 1, "start": "b\0"}, separators=(",", ":"))
    token = base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")
    status, text = server.body(f"{young}?limit=2&{MINE}&continue={token}")
    assert status == 410, (status, text)
    texts["continue-410.json"] = text
    status, text = server.body(f"{young}?{MINE}&watch=1&sendInitialEvents=true&timeoutSeconds=2")
    assert status == 422, (status, text)
    texts["watch-list-422.json"] = text


def record_custom_resource(server, texts):
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.recorded.example.com"},
        "spec": {"group": "recorded.example.com", "scope": "Namespaced",
                 "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
                 "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                     "openAPIV3Schema": {"type": "object", "properties": {
                         "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}}]}}
    server.api.create(definition)
    path = f"/apis/recorded.example.com/v1/namespaces/{SPACE}/things"
    until = time.monotonic() + 20
    while server.body(path)[0] != 200 and time.monotonic() < until:
        time.sleep(0.2)
    for name in ("x", "y"):
        server.api.post(path, {"apiVersion": "recorded.example.com/v1", "kind": "Thing",
                               "metadata": {"name": name, "labels": {"recorded": "yes"}}, "spec": {"items": [{}]}})
    texts["custom-resource.json"] = server.body(f"{path}?limit=1&{MINE}")[1]
    record_refusals(server, texts, path)
    server.api.request("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.recorded.example.com")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    server = Server(sys.argv[1])
    server.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
    texts = {}
    try:
        for name in "abcd":
            server.api.create(server.config_map(name, {"n": "1"}))
        server.api.create(server.config_map("f", {"n": "1"}, annotations={"text": "}]\" \\ ,:{"}))
        record_lists(server, texts)
        record_watches(server, texts)
        record_custom_resource(server, texts)
    finally:
        server.api.request("DELETE", f"/api/v1/namespaces/{SPACE}")
    canonical(texts)
    HERE.mkdir(exist_ok=True)
    for name, text in texts.items():
        (HERE / name).write_text(text)
    version = server.api.get("/version")["gitVersion"]
    (HERE / "versions.json").write_text(json.dumps({"kube-apiserver": version}, indent=2) + "\n")
    print(f"{len(texts)} files in {HERE}")


if __name__ == "__main__":
    main()
