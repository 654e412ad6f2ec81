"""`kubectl tpu certificate keep` with a made-up API server: the certificate of the server, in a Secret."""

import base64
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import certificates
from checks import check
from made_up_api import Living, Server
from program import tools

SECRETS = "/api/v1/namespaces/webhook/secrets"
SECRET = f"{SECRETS}/tpu-webhook-certificate"
GROUP = "/apis/admissionregistration.k8s.io/v1"
MUTATING, VALIDATING = (f"{GROUP}/{kind}webhookconfigurations" for kind in ("mutating", "validating"))
CONFIGURATION = f"{MUTATING}/tpu-webhook"


def secret():
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": "tpu-webhook-certificate", "namespace": "webhook",
                         "resourceVersion": "5"}}


def configuration(entries=2, kind="MutatingWebhookConfiguration"):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
            "metadata": {"name": "tpu-webhook", "resourceVersion": "6"},
            "webhooks": [{"name": f"{i}.tpu-webhook.dev",
                          "clientConfig": {"service": {"name": "tpu-webhook", "namespace": "webhook"}}}
                         for i in range(entries)]}


# Of each, the keeper once ended for good, or may have.
WRONG = [
    (SECRET, "[]"), (SECRET, "1"), (SECRET, '"x"'), (SECRET, "null"), (SECRET, "true"),
    (SECRET, '{"a":1}'), (SECRET, '{"metadata":[]}'), (SECRET, '{"metadata":{"resourceVersion":7}}'),
    (SECRET, '{"metadata":{"resourceVersion":"7","annotations":"x"}}'),
    (SECRET, '{"metadata":{"resourceVersion":"7"},"data":[1]}'),
    (SECRET, '{"metadata":{"resourceVersion":"7"},"data":"x"}'), (SECRET, "{"), (SECRET, ""),
    (SECRET, "[" * 100_000), (SECRET, '{"a":"' + "x" * (3 << 20) + '"}'),
    (CONFIGURATION, "[]"), (CONFIGURATION, "7"), (CONFIGURATION, '"x"'),
    (CONFIGURATION, '{"webhooks":"x"}'), (CONFIGURATION, '{"webhooks":[1]}'),
    (CONFIGURATION, '{"webhooks":{"a":1}}'), (CONFIGURATION, '{"webhooks":[{"clientConfig":"x"}]}'),
    (CONFIGURATION, '{"webhooks":[null,[]]}'), (CONFIGURATION, '{"webhooks":1e400}'),
]


class Api(Living):
    """`wrong`: answers to GETs. `dies_after`: the write after which the connection is cut without an answer, counted from 1;
    0 for never. Each write leaves what the server would mount and what the API server would trust then in `states`."""

    def __init__(self, *configurations, validating=(), wrong=(), held=None):
        super().__init__({SECRETS: [held or secret()], MUTATING: list(configurations), VALIDATING: list(validating)}, self.spoil)
        self.wrong, self.dies_after, self.writes, self.states = list(wrong), 0, [], []

    def spoil(self, _, request):
        if request.method != "GET" or not self.wrong or request.path != self.wrong[0][0]:
            return None
        return 200, self.wrong.pop(0)[1]

    def put(self, request):
        code, out = super().put(request)
        if code == 200:
            self.writes.append(request.folder.rpartition("/")[2])
            self.states.append((self.data(), self.bundles()))
            if len(self.writes) == self.dies_after:
                raise ConnectionResetError("after a write")
        return code, out

    def data(self):
        held = self.collections[SECRETS][0].get("data") or {}
        return {key: base64.b64decode(value).decode() for key, value in held.items()}

    def bundles(self):
        """The caBundle of each entry; "" where it has none."""
        found = [each["clientConfig"].get("caBundle", "") for path in (MUTATING, VALIDATING)
                 for one in self.collections[path] for each in one["webhooks"]]
        return [base64.b64decode(each).decode() for each in found]

    def is_done(self):
        return "tls.crt" in self.data() and set(self.bundles()) == {self.data()["bundle.crt"]}


class Keeper:
    """The process, as a Pod of the chart would run it; a context manager."""

    def __init__(self, server):
        self._folder = tempfile.TemporaryDirectory(prefix="tpu-webhook-keeper-")
        folder = pathlib.Path(self._folder.name)
        (folder / "token").write_text("t")
        (folder / "namespace").write_text("webhook")
        (folder / "ca.crt").write_bytes((certificates.FOLDER / "ca.crt").read_bytes())
        self._log = open(folder / "log", "w+b")
        self.process = subprocess.Popen(
            [tools(), "certificate", "keep", "--service-account", folder, "--log-format", "json"], stderr=self._log,
            env={"PATH": os.environ["PATH"], "KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(server.port)})

    def log(self):
        return pathlib.Path(self._log.name).read_text()

    def lines(self, message):
        return [line for line in map(json.loads, self.log().splitlines()) if line["msg"] == message]

    def wait_for(self, what, condition, limit=20.0):
        until = time.monotonic() + limit
        while not condition():
            assert time.monotonic() < until, f"no {what}:\n{self.log()}"
            time.sleep(0.02)

    def wait_for_log(self, text, limit=20.0):
        self.wait_for(repr(text), lambda: text in self.log(), limit)

    def kill(self):
        self.process.kill()
        self.process.wait(5)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self._log.close()
        self._folder.cleanup()


def is_trusted(pem, bundle):
    """Whether who trusts `bundle` takes the certificate as our Service's, by openssl's word."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "leaf").write_text(pem)
        (folder / "bundle").write_text(bundle)
        command = ["openssl", "verify", "-purpose", "sslserver", "-verify_hostname", "tpu-webhook.webhook.svc", "-CAfile", folder / "bundle",
                   folder / "leaf"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


@check(waits=True)
def no_answer_ends_the_keeper():
    api = Api(configuration(), wrong=WRONG)
    with Server(api) as server, Keeper(server) as keeper:
        keeper.wait_for_log("certificate trusted", 60)
        assert not api.wrong, api.wrong
        assert "a task failed" not in keeper.log(), keeper.log()
        errors = [line for line in keeper.lines("certificate") if line["level"] == "error"]
        assert 1 <= len(errors) <= 2, errors  # one a minute
        assert "expected an object" in errors[0]["error"], errors
        assert api.is_done()


@check(waits=True)
def a_certificate_is_written_when_every_entry_holds_its_bundle():
    """The server's Pods cannot be ready before, since they have no certificate."""
    api = Api(configuration(), validating=[configuration(1, "ValidatingWebhookConfiguration")])
    with Server(api) as server, Keeper(server) as keeper:
        keeper.wait_for_log("certificate trusted")
        keeper.process.send_signal(signal.SIGTERM)
        assert keeper.process.wait(10) == 0
        assert keeper.log().splitlines()[-1].count("stopped") == 1
    assert api.writes == ["secrets", "mutatingwebhookconfigurations", "validatingwebhookconfigurations", "secrets"], api.writes
    assert [set(data) for data, _ in api.states[:3]] == [{"ca.crt", "ca.key", "bundle.crt"}] * 3, api.states
    assert len(api.bundles()) == 3 and all(is_trusted(api.data()["tls.crt"], bundle) for bundle in api.bundles())


@check(waits=True)
def a_keeper_that_is_killed_after_any_write_is_continued():
    """By the next one; at each moment every entry trusts whatever the Secret holds."""
    for write in (1, 2, 3, 4):
        api = Api(configuration(), validating=[configuration(1, "ValidatingWebhookConfiguration")])
        api.dies_after = write
        with Server(api) as server:
            with Keeper(server) as first:
                first.wait_for("the write", lambda api=api, write=write: len(api.writes) >= write)
                first.kill()
            written = len(api.writes)
            api.dies_after = 0
            with Keeper(server) as second:
                second.wait_for("the end", api.is_done)
                second.wait_for_log("certificate trusted")
        assert written >= write and len(api.writes) == 4, (write, written, api.writes)
        for data, bundles in api.states:
            assert "tls.crt" not in data or all(is_trusted(data["tls.crt"], bundle) for bundle in bundles), (write, data, bundles)


@check(waits=True)
def where_nobody_calls_nothing_is_trusted():
    """No configuration, then one of no entries: both counted as trust. There is no certificate meanwhile."""
    api = Api()
    with Server(api) as server, Keeper(server) as keeper:
        keeper.wait_for_log("no API server calls tpu-webhook")
        api.collections[MUTATING].append(configuration(0))
        time.sleep(1)
        assert "certificate trusted" not in keeper.log()
        assert "tls.crt" not in api.data(), api.data()
        api.collections[MUTATING][:] = [configuration()]
        keeper.wait_for_log("certificate trusted", 25)
        assert api.is_done()
        assert len(keeper.lines("no API server calls tpu-webhook: its webhook configurations do not exist "
                                "or have no webhooks")) == 1


@check(waits=True)
def a_configuration_of_another_name_is_not_ours():
    other = configuration()
    other["metadata"]["name"] = "somebody-elses"
    api = Api(other)
    with Server(api) as server, Keeper(server) as keeper:
        keeper.wait_for_log("no API server calls tpu-webhook")
        assert "caBundle" not in json.dumps(other)


@check(waits=True)
def a_bundle_that_was_changed_is_restored():
    api = Api(configuration())
    with Server(api) as server, Keeper(server) as keeper:
        keeper.wait_for_log("certificate trusted")
        before = api.data()
        for changed in ("", base64.b64encode(b"no certificate").decode()):
            api.collections[MUTATING][0]["webhooks"][1]["clientConfig"]["caBundle"] = changed
            api.changed(api.collections[MUTATING][0])
            keeper.wait_for("the bundle", api.is_done, 15)
        assert api.data() == before


@check(waits=True)
def a_secret_that_was_emptied_while_no_keeper_ran_costs_no_trust():
    """Replicas serve the certificate of before until their kubelet brings the new one: both CAs are trusted."""
    api = Api(configuration())
    with Server(api) as server:
        with Keeper(server) as first:
            first.wait_for_log("certificate trusted")
            before = api.data()["tls.crt"]
        del api.collections[SECRETS][0]["data"]
        api.states.clear()
        with Keeper(server) as second:
            second.wait_for("both CAs in each entry", lambda: all(one.count("BEGIN") == 2 for one in api.bundles()))
            time.sleep(5)
            assert "tls.crt" not in api.data(), "API servers have a minute to learn of the new CA"
            second.wait_for_log("certificate trusted", 90)
    assert api.data()["tls.crt"] != before
    for data, bundles in api.states:
        assert all(is_trusted(before, bundle) for bundle in bundles)
        assert "tls.crt" not in data or all(is_trusted(data["tls.crt"], bundle) for bundle in bundles)


@check
def outside_a_pod_it_says_so():
    out = subprocess.run([tools(), "certificate", "keep"], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False)
    assert out.returncode == 1 and out.stdout == "", out
    assert "KUBERNETES_SERVICE_HOST" in out.stderr and "certificate.mode is internal" in out.stderr, out.stderr
