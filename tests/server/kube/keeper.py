"""The program with a made-up API server: the certificate that the replicas keep in a Secret."""

import json
import time

from checks import check
from made_up_api import Account, Living, Server
from program import Program
from wire import Connection, get

SECRETS = "/api/v1/namespaces/webhook/secrets"
SECRET = f"{SECRETS}/tpu-webhook-certificate"
GROUP = "/apis/admissionregistration.k8s.io/v1"
MUTATING, VALIDATING = (f"{GROUP}/{kind}webhookconfigurations" for kind in ("mutating", "validating"))
CONFIGURATION = f"{MUTATING}/tpu-webhook"


def secret():
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": "tpu-webhook-certificate", "namespace": "webhook",
                         "resourceVersion": "5"}}


def configuration(entries=2):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
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
    def __init__(self, *configurations, wrong=()):
        super().__init__({SECRETS: [secret()], MUTATING: list(configurations), VALIDATING: []}, self.spoil)
        self.wrong = list(wrong)

    def spoil(self, _, request):
        if request.method != "GET" or not self.wrong or request.path != self.wrong[0][0]:
            return None
        return 200, self.wrong.pop(0)[1]


class Keeping(Program):
    def __init__(self, server):
        super().__init__("--log-format", "json", "--ledger", "none", "--tls-secret",
                         "tpu-webhook-certificate", account=Account(server.port))

    def asked(self, path):
        with Connection(self.health_port, None) as health:
            return health.send(get(path)).answer()

    def metric(self, name):
        return next(float(line.split()[-1]) for line in self.asked("/metrics").body.decode().splitlines()
                    if line.startswith(name + " "))


@check(waits=True)
def no_answer_ends_the_keeper():
    api = Api(configuration(), wrong=WRONG)
    with Server(api) as server, Keeping(server) as program:
        assert program.asked("/readyz").status == 503
        program.wait_for_log("certificate trusted", 45)
        assert not api.wrong, api.wrong
        assert program.asked("/readyz").status == 200
        assert program.metric("tpu_webhook_certificate_trusted") == 1
        assert program.metric("tpu_webhook_certificate_failures_total") >= len(WRONG)
        assert "a task failed" not in program.log(), program.log()
        said = [line for line in program.log_lines("certificate") if line["level"] == "error"]
        assert 1 <= len(said) <= 2, said  # one a minute
        assert "expected an object" in said[0]["error"], said
        written = api.collections[SECRETS][0]["data"]
        bundle = {webhook["clientConfig"]["caBundle"]
                  for webhook in api.collections[MUTATING][0]["webhooks"]}
        assert bundle == {written["bundle.crt"]}


@check(waits=True)
def where_nobody_calls_nothing_is_trusted():
    """No configuration, then one of no entries: both counted as trust by all of them."""
    api = Api()
    with Server(api) as server, Keeping(server) as program:
        program.wait_for_log("no API server calls this server")
        assert program.metric("tpu_webhook_certificate_trusted") == 0
        assert program.asked("/readyz").status == 503
        api.collections[MUTATING].append(configuration(0))
        time.sleep(1)
        assert "certificate trusted" not in program.log()
        api.collections[MUTATING][:] = [configuration()]
        program.wait_for_log("certificate trusted", 25)
        assert program.asked("/readyz").status == 200
        assert program.metric("tpu_webhook_certificate_trusted") == 1
        assert len(program.log_lines("no API server calls this server: its webhook configuration does not exist "
                                     "or is empty")) == 1


@check(waits=True)
def a_configuration_of_another_name_is_not_ours():
    other = configuration()
    other["metadata"]["name"] = "somebody-elses"
    api = Api(other)
    with Server(api) as server, Keeping(server) as program:
        program.wait_for_log("no API server calls this server")
        assert program.metric("tpu_webhook_certificate_trusted") == 0
        assert "caBundle" not in json.dumps(other)
