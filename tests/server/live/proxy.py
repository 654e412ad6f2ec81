"""kubectl-tpu and the `kubectl proxy` that it starts: how it begins, and that it ends with the program in every way."""

import contextlib
import json
import os
import pathlib
import signal
import stat
import subprocess
import tempfile
import time

import certificates
import program
from checks import check
from made_up_api import Account, Objects, Server, kubeconfig

EMPTY = {"/api/v1/pods": [], "/api/v1/nodes": [], "/api/v1/services": []}
NOTING = """#!/bin/sh
echo $$ >> {folder}/started
echo "kubectl $*" >> {folder}/words
exec {fake} "$@"
"""


class Desk:
    """A person's machine: a kubectl that notes when it is started, an empty $TMPDIR, and a kubeconfig."""

    def __init__(self, folder, port, script=NOTING):
        self.folder = pathlib.Path(folder)
        self.tmp = self.folder / "tmp"
        self.tmp.mkdir()
        kubectl = self.folder / "bin" / "kubectl"
        kubectl.parent.mkdir()
        kubectl.write_text(script.format(folder=folder, fake=program.FAKE_KUBECTL / "kubectl"))
        kubectl.chmod(0o755)
        self.environment = {"PATH": f"{kubectl.parent}:/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(self.tmp),
                            "KUBECONFIG": kubeconfig(folder, port)}

    def start(self, *arguments, **variables):
        return subprocess.Popen([program.tools(), *arguments], env={**self.environment, **variables}, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments, **variables):
        """(exit code, standard output, standard error)"""
        with self.start(*arguments, **variables) as process:
            out, err = process.communicate(timeout=60)
            return process.returncode, out, err

    def lines(self, name):
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []

    def wait_until_ended(self):
        for pid in map(int, self.lines("started")):
            until = time.monotonic() + 10
            while pathlib.Path(f"/proc/{pid}/stat").exists():
                assert time.monotonic() < until, f"kubectl {pid} is still running"
                time.sleep(0.02)


@contextlib.contextmanager
def desk(api=None, **options):
    with Server(api or Objects(EMPTY), tls=False) as server, tempfile.TemporaryDirectory() as folder:
        yield Desk(folder, server.port, **options)


@check
def one_proxy_for_a_command_that_is_gone_afterwards():
    seen = []

    def look(_, request):
        (folder,) = pathlib.Path(os.environ["LOOKED_AT"]).iterdir()
        seen.append((stat.S_IMODE(folder.stat().st_mode), [each.name for each in folder.iterdir()]))

    with desk(Objects(EMPTY, look)) as one:
        os.environ["LOOKED_AT"] = str(one.tmp)
        code, out, err = one.run("slices", "--context", "test")
        assert (code, err) == (0, ""), (code, out, err)
        assert len(one.lines("started")) == 1
        (words,) = one.lines("words")
        assert words.startswith(f"kubectl proxy --unix-socket={one.tmp}/kubectl-tpu-") and words.endswith("/socket --context=test"), words
        assert seen and set(map(str, seen)) == {str((0o700, ["socket"]))}, seen
        one.wait_until_ended()
        assert not list(one.tmp.iterdir())


@check
def a_command_without_a_cluster_starts_none():
    with desk() as one:
        code, _, err = one.run("catalog", "v6e")
        assert (code, err) == (0, "") and not one.lines("started")


@check
def a_signal_ends_the_proxy_and_removes_its_folder():
    for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGKILL:
        came = []

        def hang(_, request, came=came):
            came.append(request.path)
            time.sleep(1)

        with desk(Objects(EMPTY, hang)) as one:
            process = one.start("slices")
            until = time.monotonic() + 20
            while not came:
                assert time.monotonic() < until, process.communicate()
                time.sleep(0.02)
            process.send_signal(number)
            process.communicate(timeout=10)
            assert process.returncode == -number, (number, process.returncode)
            one.wait_until_ended()
            left = list(one.tmp.iterdir())
            assert bool(left) == (number == signal.SIGKILL), (number, left)  # then nobody is left to remove it


@check
def without_kubectl_one_sentence_says_so():
    with desk() as one:
        code, out, err = one.run("slices", PATH="/nonexistent")
    assert (code, out) == (2, ""), (code, out, err)
    assert err.startswith("kubectl-tpu: kubectl is not in $PATH, but kubectl-tpu needs kubectl to reach a cluster; install kubectl, or "
                          "run kubectl-tpu in a Pod with a ServiceAccount; "), err


@check
def what_kubectl_prints_is_seen():
    with desk() as one:
        code, out, err = one.run("slices", "--context", "other")
        assert (code, out) == (2, ""), (code, out, err)
        first, second = err.splitlines()
        assert first == 'error: context "other" does not exist', err
        assert second.startswith(f"kubectl-tpu: {one.folder}/bin/kubectl proxy ended with exit code 1 before it listened; the message of "
                                 "kubectl is on standard error; "), err
        assert not list(one.tmp.iterdir())


@check
def an_api_server_that_is_not_reached_is_one_sentence():
    with Server(Objects(EMPTY), tls=False) as server:
        port = server.port
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = Desk(folder, port).run("slices")
    assert (code, out) == (2, ""), (code, out, err)
    assert err.startswith(f"kubectl-tpu: kubectl cannot reach the API server: dial tcp 127.0.0.1:{port}: Connection refused; "), err


@check
def a_proxy_that_ends_early_is_noticed():
    script = "#!/bin/sh\necho $$ >> {folder}/started\ntimeout 2 {fake} \"$@\"\nsleep 60\n"

    def late(_, request):
        if request.path == "/api/v1/nodes":
            time.sleep(3)

    with desk(Objects(EMPTY, late), script=script) as one:
        code, out, err = one.run("slices")
        assert code == 2 and not out, (code, out, err)
        assert err.startswith("kubectl-tpu: cannot list nodes: ") and ("localhost: " in err or "kubectl proxy no longer accepts connections" in err), err
        one.wait_until_ended()


@check
def a_folder_that_cannot_be_made_is_said():
    with desk() as one:
        for folder, said in (one.folder / ("y" * 120), "set TMPDIR to a folder with a shorter path"), (one.folder / "no", "set TMPDIR to a writable folder"):
            code, _, err = one.run("slices", TMPDIR=str(folder))
            assert code == 2 and said in err and not one.lines("started"), (code, err)


@check
def in_a_pod_the_service_account_is_used():
    heads = []

    def empty_lists(peer):
        while text := peer.request():
            heads.append(text.partition("\r\n\r\n")[0])
            peer.answer(json.dumps({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": []}))

    with certificates.made(), Server(empty_lists) as server, tempfile.TemporaryDirectory() as folder:
        account = Account(server.port)
        one = Desk(folder, server.port)
        variables = {**account.environment, "KUBECONFIG": ""}
        # kubectl-tpu reads the folder that the kubelet mounts, which exists in a mount namespace of this test alone.
        mount = "mkdir -p /var/run/secrets/kubernetes.io && ln -sfn \"$0\" /var/run/secrets/kubernetes.io/serviceaccount && exec \"$@\""
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f"mount -t tmpfs none /var/run && {mount}",
                   str(account.folder), program.tools(), "slices"]
        done = subprocess.run(command, env={**one.environment, **variables}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done
        assert not one.lines("started") and heads and all("Authorization: Bearer a-token" in head for head in heads), heads
