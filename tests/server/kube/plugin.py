"""A kubeconfig whose user has a credential plugin: kubectl-tpu runs it, tpu-webhook refuses the file."""

import certificates
import program
from checks import check
from made_up_api import Server, kubeconfig

PLUGIN = """#!/bin/sh
echo started >> "$0.runs"
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "of-the-plugin"}}'
"""


class Plugin:
    """A plugin, a made-up API server, and a kubeconfig that names both."""

    def __init__(self, name):
        self.file = certificates.FOLDER / name
        self.file.write_text(PLUGIN)
        self.file.chmod(0o700)
        self.heads = []
        self.server = Server(self._empty_lists, tls=False)
        user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(self.file), "interactiveMode": "Never"}}
        self.kubeconfig = kubeconfig(certificates.FOLDER, self.server.port, "webhook", user)

    def _empty_lists(self, peer):
        while text := peer.request():
            self.heads.append(text.partition("\r\n\r\n")[0])
            peer.answer('{"kind": "List", "metadata": {"resourceVersion": "1"}, "items": []}')

    def runs(self):
        file = self.file.with_name(self.file.name + ".runs")
        return file.read_text().count("started") if file.exists() else 0


@check
def kubectl_tpu_runs_a_plugin_once_for_a_command():
    plugin = Plugin("plugin-of-kubectl-tpu")
    with plugin.server:
        code, out, err = program.run(program.tools(), "slices", "--kubeconfig", plugin.kubeconfig)
    assert code == 0, (code, out, err)
    assert plugin.runs() == 1, plugin.runs()
    assert plugin.heads and all("Authorization: Bearer of-the-plugin" in head for head in plugin.heads), plugin.heads


@check
def the_server_refuses_a_plugin_without_running_it():
    for flags in ("--ledger", "cluster"), ("--claims",), ("--tls-secret", "tls"):
        plugin = Plugin("plugin-of-the-server")
        with plugin.server:
            code, out, err = program.run(program.PROGRAM, "serve", "--listen", "127.0.0.1:0", "--kubeconfig", plugin.kubeconfig, *flags)
        assert (code, out) == (1, ""), (flags, code, out, err)
        assert ("users[0].user.exec: is not supported by this program, which starts no other; use a token, a client certificate "
                "or, in a Pod, its service account") in err, err
        assert not plugin.runs() and not plugin.heads, (plugin.runs(), plugin.heads)
