#!/usr/bin/env python3
"""What a hand expects of the command line: run.py PROGRAM [PART].

PART: only checks whose name contains it. Standard library only; manual pages are set by groff, and
completion is tried in bash and in those of zsh and fish that are installed.
"""

import contextlib
import functools
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
sys.path[:0] = [str(TESTS / "server"), str(TESTS / "support")]

import checks  # noqa: E402
import golden_manifests  # noqa: E402
import program  # noqa: E402
from checks import check, row  # noqa: E402
from made_up_api import Objects, Server, kubeconfig  # noqa: E402

POD = str(ROOT / "docs/samples/job-pod.yaml")
DENIED = str(ROOT / "docs/samples/pod-3x3.yaml")
RECORDED = str(TESTS / "golden/recorded/job-2x4/reviews.jsonl")


def run(*arguments, stdin=None):
    """(exit code, standard output, standard error)"""
    return program.run(asked(arguments), *arguments, stdin=stdin)


def asked(arguments):
    """kubectl-tpu, but for what only tpu-webhook has."""
    return program.PROGRAM if arguments[:1] == ("serve",) else program.tools()


@contextlib.contextmanager
def folder(**files):
    """A folder with these files: name without its dot -> text ("a_yaml")."""
    with tempfile.TemporaryDirectory() as path:
        for name, text in files.items():
            pathlib.Path(path, name.replace("_", ".")).write_text(text, encoding="utf-8")
        yield path


def on_a_terminal(*arguments):
    """(exit code, what it prints) with a terminal as all three."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(asked(arguments), [asked(arguments), *arguments], {**program.ENVIRONMENT, "TERM": "xterm"})
    out = b""
    with contextlib.suppress(OSError):  # the terminal ends with the program
        while piece := os.read(terminal, 65536):
            out += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out.decode().replace("\r\n", "\n")


def text(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def objects(*items):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)})


def tpu_pod(ns, name="a"):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": ns, "uid": name},
            "spec": {"nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                                      "cloud.google.com/gke-tpu-topology": "2x2"},
                     "containers": [{"name": "c", "image": "i", "resources": {"limits": {"google.com/tpu": "4"}}}]},
            "status": {"phase": "Running"}}


# --- one value for each option

SINGLE = [("review", "--mode", "shadow", POD), ("review", "--base-port", "9000", POD),
          ("review", "--annotation-prefix", "a.b", POD), ("review", "--workloads", "job", POD),
          ("review", "--workloads", "ray,job", "--workloads", "pod", POD)]


def one_value(arguments):
    code, out, err = run(*arguments)
    assert code == 0 and not err and out.startswith("Pod default/train-1-*: allowed"), out + err


for each in SINGLE:
    row("one_value." + " ".join(each[:-1]), lambda each=each: one_value(each))


@check
def slices_take_a_name_behind_a_setting():
    code, out, err = run("slices", "--cluster", "-", "--annotation-prefix", "a.b", "other",
                         stdin=objects(tpu_pod("ml", "other"), tpu_pod("ml", "a")))
    assert code == 0 and out.count("Pod/") == 1 and not err, out + err


@check
def a_list_counts_as_it_is_given():
    for flags in (["--workloads", "ray,pod"], ["--workloads", "ray", "--workloads", "pod"]):
        _, out, _ = run("config", "print", "-o", "json", *flags)
        assert json.loads(out)["workloads"] == ["ray", "pod"], out
    _, out, _ = run("review", "--workloads", "ray", POD)
    assert "this workload API is switched off" in out or "unchanged" in out, out


# --- what is read

@check
def a_folder_is_its_manifests_by_name():
    with folder(b_yaml=text(DENIED), a_yml=text(POD), notes_txt="x") as path:
        code, out, err = run("review", path)
        titles = [line for line in out.splitlines() if line.startswith("Pod ")]
    assert code == 1 and not err, err
    assert titles == ["Pod default/train-1-*: allowed, 6 changes", "Pod default/trainer: denied"], titles


@check
def several_files_in_any_spelling():
    for arguments in ((POD, DENIED), ("-f", POD, "-f", DENIED), (POD, "--filename", DENIED),
                      ("-f", POD, "--mode", "enforce", "-f", DENIED)):
        code, out, _ = run("review", *arguments)
        assert code == 1 and out.count("Pod default/") == 2, (arguments, out)
    code, out, _ = run("review", "-", DENIED, stdin=text(POD))
    assert code == 1 and out.index("train-1-*: allowed") < out.index("trainer: denied"), out


@check
def a_namespace_for_objects_that_name_none():
    code, out, _ = run("review", "-n", "ml", DENIED)
    assert code == 1 and out.startswith("Pod ml/trainer: denied"), out
    named = text(DENIED).replace("metadata:\n", "metadata:\n  namespace: web\n", 1)
    code, out, _ = run("review", "--namespace=ml", stdin=named)
    assert out.startswith("Pod web/trainer: denied"), out


UNREADABLE = [  # arguments, standard input, what the line says
    (["review", "/no/such.yaml"], None, "cannot read /no/such.yaml: No such file or directory; expected a file"),
    (["review", str(ROOT / "webhook")], None, f"folder {ROOT}/webhook holds no .yaml, .yml or .json file; expected"),
    (["review", "-", "-"], "", "- is given twice"),
    (["review"], "", "standard input is empty; expected an AdmissionReview, a manifest or a List"),
    (["review"], "# nothing\n---\n", "standard input holds no objects; expected an AdmissionReview"),
    (["review"], objects(), "standard input holds no objects"),
    (["review", POD, "--cluster", "/no/such"], None, "cannot read /no/such: No such file"),
    (["review", "-", "--cluster", "-"], "", "--cluster: expected a file; standard input holds the objects to review"),
    (["slices", "--cluster", "-"], objects(), "standard input holds no objects; create it with for kind in pods"),
    (["slices", "--cluster", "-"], '{"items":[]}', "standard input holds no objects"),
    (["slices", "--cluster", "-"], "", "standard input is empty; create it with for kind in pods"),
    (["slices", "--by", "team"], None, '--by: expected namespace or label=KEY, got "team"; did you mean "label=team"?'),
    (["slices", "--by", "namespaces"], None, 'got "namespaces"; did you mean "namespace"?'),
    (["slices", "--by", "label="], None, 'expected namespace or label=KEY, got "label="'),
    (["slices", "--prices", POD], None, "--prices: expected --by namespace or --by label=KEY as well"),
    (["slices", "--by", "namespace", "--prices", "/no/such.yaml", "--cluster", "-"], "", "--prices: /no/such.yaml: No such file"),
    (["audit", "-f", "/no/such"], None, "cannot read /no/such: No such file or directory; expected a file"),
    (["audit", "-f", str(ROOT / "webhook")], None, "holds no .yaml, .yml or .json file"),
    (["doctor", "--cluster", "-"], objects(), "standard input holds no objects; create it with kubectl get"),
    (["doctor", "--cluster", "-"], objects(tpu_pod("ml")), "standard input holds no webhook configuration, but 1 Pod; create it"),
    (["doctor", "--probe-namespace", "ml"], None, "--probe-namespace: expected --probe or --probe-only as well"),
    (["doctor", "--probe", "--probe-namespace", "A\nb"], None, "expected the name of a namespace"),
    (["explain", POD, "--dry-run"], None, "--dry-run: expected --cluster without a file as well"),
    (["explain", POD, "--cluster", "snapshot.json", "--dry-run"], None, "--dry-run: expected --cluster without a file as well"),
    (["serve"], None, "serve needs a certificate: pass --tls-cert FILE and --tls-key FILE"),
    (["serve", "--tls-cert", "nofile"], None, "--tls-cert: also needs its key"),
    (["slices", "--cluster", "-", "-n", "nosuch"], objects(tpu_pod("ml")),
     "the snapshot holds no object in namespace nosuch"),
    (["audit", "--cluster", "-", "-n", "mll"], objects(tpu_pod("mly")), "did you mean \"mly\"?"),
    (["slices", "trian", "--cluster", "-"], objects(tpu_pod("ml", "train")),
     'no slice is of a workload called trian; did you mean "train"?'),
    (["audit", "train", "-n", "ml", "--cluster", "-"], objects(tpu_pod("ml", "a"), tpu_pod("web", "train")),
     "no slice is of a workload called train in namespace ml"),
    (["audit", "--cluster", "-", "-n", "nosuch"],
     objects(tpu_pod("ml"), {"kind": "Namespace", "metadata": {"name": "ml"}}), "namespace nosuch does not exist"),
]


def ends_with_2(arguments, stdin, said):
    code, out, err = run(*arguments, stdin=stdin)
    assert code == 2 and not out, (code, out)
    assert err.startswith(f"{pathlib.Path(asked(tuple(arguments))).name}: ") and err.count("\n") == 1 and said in err, err


for number, each in enumerate(UNREADABLE):
    row(f"unreadable.{number} {' '.join(each[0])}", lambda each=each: ends_with_2(*each))


@check
def an_empty_file_is_named():
    with folder(a_yaml=text(POD), b_yaml=" \n") as path:
        ends_with_2(["review", path], None, f"{path}/b.yaml is empty")
        ends_with_2(["review", f"{path}/b.yaml"], None, f"{path}/b.yaml is empty")


@check
def an_unusable_input_says_in_which_file():
    with folder(a_yaml=text(POD), b_yaml="a: 1\n---\n" + text(DENIED)) as path:
        code, out, err = run("review", path)
    assert code == 2 and out.count("Pod default/") == 2, out
    assert err == f"kubectl-tpu: {path}/b.yaml: input 1: no kind; expected an AdmissionReview, a Pod or a List\n", err


@check
def an_existing_namespace_without_slices_is_no_fault():
    items = objects(tpu_pod("ml"), {"kind": "Service", "metadata": {"name": "s", "namespace": "web"}})
    for command in "slices", "audit":
        code, out, err = run(command, "-n", "web", "--cluster", "-", stdin=items)
        assert code == 0 and out and not err, out + err


@check
def a_snapshot_may_be_several_files_and_yaml():
    with folder(pods_json=objects(tpu_pod("ml", "a")), more_yaml=json.dumps(tpu_pod("ml", "b"), indent=1)) as path:
        pathlib.Path(path, "third.yml").write_text(
            "apiVersion: v1\nkind: List\nitems:\n- " + json.dumps(tpu_pod("ml", "c")) + "\n", encoding="utf-8")
        for arguments in (["--cluster", path], ["-f", path],
                          [word for name in ("pods.json", "more.yaml", "third.yml")
                           for word in ("--cluster", f"{path}/{name}")]):
            code, out, err = run("slices", *arguments, "-o", "json")
            names = [found["name"] for found in json.loads(out)["slices"]]
            assert code == 0 and names == ["a", "b", "c"], (arguments, out, err)


@check
def counts_have_the_prices_of_a_file():
    pods = [tpu_pod("ml", "a"), tpu_pod("web", "b"), tpu_pod("web", "c")]
    pods[0]["spec"]["nodeName"] = pods[1]["spec"]["nodeName"] = "n"
    with folder(prices_yaml="currency: USD\nprices:\n  tpu-v6e-slice: 2.7\n", bad_yaml="prices:\n  tpu7x: 2,7\n") as path:
        by = ("slices", "--cluster", "-", "--by", "namespace", "--prices")
        code, out, err = run(*by, f"{path}/prices.yaml", stdin=objects(*pods))
        assert code == 0 and not err, err
        assert [line.split()[-2:] for line in out.splitlines()[1:4]] == [["10.80", "USD"], ["10.80", "USD"], ["21.60", "USD"]], out
        assert out.splitlines()[2].split()[-3] == "4", out  # chips that wait
        _, out, _ = run(*by, f"{path}/prices.yaml", "-o", "json", stdin=objects(*pods))
        assert json.loads(out)["total"]["perHour"] == 21.6, out
        code, out, err = run(*by, f"{path}/bad.yaml", stdin=objects(*pods))
    assert code == 2 and not out, out
    assert err == (f"kubectl-tpu: {path}/bad.yaml:1: currency: is missing; expected a text such as USD\n"
                   f"kubectl-tpu: {path}/bad.yaml:2: prices.tpu7x: expected a number from 0 to 1000000, without a currency\n"), err


DENY = """---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny}
spec: {podSelector: {}, policyTypes: [Ingress]}
"""


def blocked(manifest):
    """The workloads whose Pods a NetworkPolicy keeps apart."""
    _, out, _ = run("explain", "-o", "json", stdin=manifest)
    return [each["name"] for each in json.loads(out)["workloads"]
            if any(found["finding"] == "TPU-811" for found in each["findings"])]


@check
def a_printed_network_policy_opens_what_another_blocks():
    """Each workload that has one is blocked by a policy that denies everything, and is not beside its own."""
    seen = 0
    for path in sorted([*(TESTS / "e2e/manifests").glob("*.yaml"), *(TESTS / "golden/findings/right").glob("*.yaml")]):
        manifest = golden_manifests.text_of(path)
        _, printed, err = run("explain", "-o", "network-policy", stdin=manifest)
        assert not err, (path, err)
        assert not blocked(manifest), path
        named = {line.split()[2].rstrip(":").split("/")[1] for line in printed.splitlines() if line.startswith("# ") and "/" in line and
                 ": " in line and "has no" not in line}
        has_own = "kind: NetworkPolicy" in manifest
        opted_out = "TPU_WORKER_HOSTNAMES, value: \"\"" in manifest  # no variable names a port that could be blocked
        assert has_own or opted_out or named <= set(blocked(manifest + DENY)), (path, named)
        assert not set(blocked(manifest + DENY + printed)) & named, path
        seen += len(named)
    assert seen >= 15, seen


@check
def a_manifest_may_be_reviewed_in_an_empty_cluster():
    with folder(empty_json=objects()) as path:
        code, out, err = run("review", POD, "--cluster", f"{path}/empty.json")
    assert code == 0 and not err and out == run("review", POD)[1], out + err


@check
def a_namespace_that_the_api_server_does_not_have():
    pods = "/api/v1/namespaces/{}/pods"
    api = Objects({"/api/v1/pods": [], pods.format("nosuch"): [], pods.format("web"): [],
                   "/api/v1/namespaces": [{"metadata": {"name": "web"}}], "/api/v1/nodes": []})
    with Server(api, tls=False) as server, tempfile.TemporaryDirectory() as path:
        config = kubeconfig(path, server.port)
        for command in "slices", "audit":
            code, out, err = run(command, "-n", "nosuch", "--kubeconfig", config)
            assert (code, out, err) == (2, "", "kubectl-tpu: namespace nosuch does not exist\n"), (code, out, err)
        code, out, err = run("slices", "-n", "web", "--kubeconfig", config)
        assert (code, err) == (0, ""), err


@check(waits=True)
def a_terminal_is_told_what_takes_long():
    def slow(api, request):
        if request.path == "/api/v1/nodes":
            time.sleep(3.5)

    api = Objects({"/api/v1/pods": [tpu_pod("ml")], "/api/v1/nodes": [], "/api/v1/services": []}, slow)
    with Server(api, tls=False) as server, tempfile.TemporaryDirectory() as path:
        config = kubeconfig(path, server.port)
        code, out = on_a_terminal("slices", "--kubeconfig", config)
        erased = "\r\033[K"
        assert code == 0 and out.startswith(f"{erased}listing nodes, 2 s{erased}listing nodes, 3 s{erased}"), out
        assert "ml" in out.rpartition(erased)[2], out
        code, _, err = run("slices", "--kubeconfig", config)
        assert (code, err) == (0, ""), err


# --- what is printed

@check
def findings_are_asked_for_by_id_and_by_name():
    for name in "TPU-705", "tpu-705", "705", "unmutated":
        code, out, _ = run("findings", name)
        assert code == 0 and out.startswith("TPU-705 unmutated (error at most, by audit)\n"), out
    _, out, _ = run("findings", "quota")  # Kueue's, and that of the webhook's namespace
    assert [line.split()[0] for line in out.splitlines() if line.startswith("TPU-")] == ["TPU-802", "TPU-926"], out
    rows = json.loads(run("findings", "-o", "json")[1])
    ids = [row["id"] for row in rows]
    assert ids == sorted(set(ids)) and {row["by"] for row in rows} == {"webhook", "policy", "audit", "explain", "doctor"}, ids
    assert all(row["what"].endswith(".") and row["fix"].endswith(".") for row in rows)
    assert run("findings", "unmuted")[0] == 2


@check
def manifests_are_answered_in_words():
    code, out, _ = run("review", POD)
    assert code == 0 and out.startswith("Pod default/train-1-*: allowed, 6 changes\n"), out


@check
def recorded_reviews_are_answered_as_they_were_asked():
    reviews = text(RECORDED)
    code, out, _ = run("review", stdin=reviews)
    answers = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and len(answers) == len(reviews.splitlines())
    assert all(each["kind"] == "AdmissionReview" for each in answers)
    assert run("review", "-o", "review", stdin=reviews)[1] == out
    assert run("review", "-o", "text", stdin=reviews)[1].startswith("Pod default/")


@check
def on_a_terminal_reviews_are_answered_in_words_too():
    code, out = on_a_terminal("review", RECORDED)
    assert code == 0 and "allowed" in out and '"AdmissionReview"' not in out, out
    code, out = on_a_terminal("review")
    assert code == 2 and out.startswith("kubectl-tpu: nothing to review; expected an AdmissionReview"), out


@check
def of_a_key_that_stands_twice_the_last_holds():
    """As kubectl reads it, by both commands and with a word: the last "spec" asks for no chips, the first for four."""
    pod = json.dumps(tpu_pod("web"))
    twice = pod[:-1] + ', "spec": {"containers": [{"name": "c", "image": "i"}]}}'
    in_a_list = f'{{"kind": "List", "items": [{pod}, {twice}]}}'
    with folder(one_json=twice, list_json=in_a_list) as path:
        for command in "explain", "review":
            for name, said in ("one", "duplicate key spec; the last one holds"), ("list", "duplicate key spec; the last one holds"):
                code, out, err = run(command, f"{path}/{name}.json")
                assert code == 0 and said in out, (command, code, out, err)


@check
def json_is_one_line_for_each_input():
    for short in "-o", "--output":
        code, out, _ = run("review", short, "json", POD, DENIED)
        first, second = map(json.loads, out.splitlines())
        assert code == 1 and first["verdict"] == "allowed" and second["verdict"] == "denied", out
    assert (first["file"], first["kind"], first["namespace"], first["name"]) == (POD, "Pod", "default", "train-1-*")
    assert first["workload"] == "job" and len(first["patch"]) == 6 and "message" not in first, first
    assert second["code"] == 422 and "3x3 is 9 chips" in second["message"] and second["patch"] == [], second


@check
def a_warning_counts_where_one_is_strict():
    lonely = json.dumps({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"}, "spec": {
        "completions": 1, "parallelism": 1, "completionMode": "Indexed", "template": {"spec": {
            "subdomain": "svc", "restartPolicy": "Never", "nodeSelector": {
                "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "4x4"},
            "containers": [{"name": "c", "image": "i", "resources": {"limits": {"google.com/tpu": "4"}}}]}}}})
    code, out, _ = run("review", stdin=lonely)
    assert code == 0 and "  warning " in out, out
    assert run("review", "--strict", stdin=lonely)[:2] == (1, out)
    assert run("review", "--strict", POD)[0] == 0


@check
def every_output_has_its_short_form():
    for path in commands():
        _, out, _ = run(*path, "--help")
        assert [names for names in options_of(out) if "--output" in names] in ([], ["-o,--output"]), path


# --- help, version, completion, manual pages

def options_of(help_text):
    """The names that are in the first column: "-o,--output"."""
    assert "{false}" not in help_text, help_text
    return re.findall(r"^  (-\S+)", help_text, re.MULTILINE)


class Both:
    """(program, as a person calls it, its commands at least), once the program is known."""

    def __iter__(self):
        yield program.tools(), "kubectl tpu", 18
        yield program.PROGRAM, "tpu-webhook", 5


BOTH = Both()


@functools.cache
def commands_of(each, *path):
    """Every command, as the program lists them in its help."""
    _, out, err = program.run(each, *path, "--help")
    assert not err, err
    names = re.findall(r"^  (\S+)", out.partition("\nCommands:\n")[2].partition("\n\n")[0], re.MULTILINE)
    return [found for name in names for found in [(*path, name), *commands_of(each, *path, name)]]


def commands():
    return commands_of(program.tools())


@check
def help_and_version_are_commands():
    for each, called, least in BOTH:
        ask = functools.partial(program.run, each)
        assert ask("version") == ask("--version") and ask("version")[1].startswith(called.replace(" ", "-") + " "), ask("version")
        found = commands_of(each)
        assert ("config", "check") in found and len(found) >= least, found
        assert ("help",) not in found or ask("help") == ask("--help")
        for path in found:
            assert ("help",) not in found or ask("help", *path) == ask(*path, "--help"), path
            assert f"Usage: {called} {' '.join(path)}" in ask(*path, "--help")[1], path


NEAR = [  # arguments, what is meant
    (["reviw", "a.yaml"], 'unknown command "reviw"; did you mean "review"?'),
    (["config", "chck"], 'unknown command "chck"; did you mean "check"?'),
    (["help", "slces"], 'unknown command "slces"; did you mean "slices"?'),
    (["review", "--mod", "shadow"], 'unknown option --mod; did you mean "--mode"?'),
    (["review", "-o", "txt"], 'got "txt"; did you mean "text"?'),
    (["review", "--mode", "enforced"], 'expected enforce|shadow, got "enforced"'),
    (["catalog", "v6e", "4x8", "--compute-class", "x"], "unknown option --compute-class"),
    (["catalog", "v6e", "16"], "v6e-16 is 4x4"),
    (["catalog", "v4", "16"], "v4-16 (2 TensorCores on a chip) is 2x2x2"),
    (["catalog", "v6e", "17"], "no listed topology is v6e-17"),
    (["catalog", "tpu8"], "TPU 8t (announced 2026-04-22), TPU 8i (announced 2026-04-22): no GKE label"),
    ([], "expected a command, one of explain, review"),
]
for number, each in enumerate(NEAR):
    row(f"meant.{number} {' '.join(each[0])}", lambda each=each: ends_with_2(each[0], None, each[1]))


@check
def a_type_in_words_and_in_json_are_one_shape():
    _, out, _ = run("catalog", "v6e-16", "-o", "json")
    assert [shape["topology"] for shape in json.loads(out)["shapes"]] == ["4x4"], out
    assert run("catalog", "v6e", "4x4", "--output", "json") == (0, out, "")


@check
def announced_generations_are_those_of_the_catalog():
    catalog = json.loads(text(ROOT / "topology/tpu-catalog.json"))["announced_without_gke_support"]
    for each in catalog:
        date = re.search(r"Announced ([\d-]+)", each["note"])[1]
        ends_with_2(["catalog", each["id"]], None, f"{each['name']} (announced {date}): no GKE label")
    _, _, err = run("catalog", "tpu8")
    assert err.count("announced") == len(catalog), err


def completed(shell, script):
    """What bash, zsh or fish prints of a script behind the completion's own."""
    with tempfile.TemporaryDirectory() as path:
        pathlib.Path(path, "kubectl-tpu").symlink_to(program.tools())
        done = subprocess.run([shell, "-c", script], text=True, capture_output=True, check=False, timeout=30,
                              env={**program.ENVIRONMENT, "PATH": f"{path}:/usr/bin:/bin", "HOME": path})
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return done.stdout.split()


def in_bash(*words):
    listed = " ".join(f"'{word}'" for word in ("kubectl-tpu", *words))
    return completed("bash", "source <(kubectl-tpu completion bash); complete -p kubectl-tpu >/dev/null || exit 1; "
                     f"COMP_WORDS=({listed}); COMP_CWORD={len(words)}; _kubectl_tpu; printf '%s\\n' \"${{COMPREPLY[@]}}\"")


@check
def bash_completes():
    assert in_bash("re") == ["review"], in_bash("re")
    assert in_bash("slices", "-o", "j") == ["json"]
    assert in_bash("slices", "--output", "=", "") == ["text", "json"]
    assert "--watch" in in_bash("slices", "--")
    assert in_bash("slices", "--by", "") == ["namespace", "label=KEY"]
    assert in_bash("review", "") == []  # files, which bash adds itself


def in_zsh(*words):
    """With its own functions replaced by ones that print: there is no line to edit."""
    listed = " ".join(f"'{word}'" for word in ("kubectl-tpu", *words))
    return completed("zsh", "compdef() { :; }; _files() { print FILES; }; _describe() { print -l -- ${(@P)2%%:*}; }; "
                     f"source <(kubectl-tpu completion zsh); words=({listed}); CURRENT={len(words) + 1}; _kubectl_tpu")


def in_fish(*words):
    lines = completed("fish", f"kubectl-tpu completion fish | source; complete -C 'kubectl-tpu {' '.join(words)}' | cut -f1")
    return sorted(lines)


@check
def zsh_and_fish_complete():
    for shell, inside, files in ("zsh", in_zsh, ["FILES"]), ("fish", in_fish, []):
        code, script, _ = run("completion", shell)
        assert code == 0 and "__complete" in script and script.count("kubectl-tpu") > 1, script
        if shutil.which(shell):
            assert inside("re") == ["review"], inside("re")
            assert sorted(inside("slices", "-o", "")) == ["json", "text"], inside("slices", "-o", "")
            assert sorted(inside("slices", "--output=")) == ["--output=json", "--output=text"], inside("slices", "--output=")
            assert inside("audit", "--watc") == [], inside("audit", "--watc")
            assert inside("review", "x") == files, inside("review", "x")


@check
def every_command_is_completed():
    for path in ((), *commands()):
        _, out, _ = run("__complete", *path, "")
        offered = {(*path, line.split("\t")[0]) for line in out.splitlines() if "\t" in line and path != ("help",)}
        assert offered == {each for each in commands() if each[:-1] == path}, (path, out)


@check
def kubectl_completes_its_plugin():
    with tempfile.TemporaryDirectory() as path:
        link = pathlib.Path(path, "kubectl_complete-tpu")
        link.symlink_to(program.tools())
        code, out, err = program.run(str(link), "slices", "-o", "t")
    assert (code, out, err) == (0, "text\n:4\n", ""), out + err


@check
def each_program_has_its_commands_alone():
    here = {path[0] for path in commands_of(program.PROGRAM)}
    there = {path[0] for path in commands()}
    assert here == {"serve", "config", "rules", "version"}, here
    assert commands_of(program.PROGRAM, "config") == [("config", "check")]
    assert there == {*program.TOOLS, "config", "rules", "version", "help", "completion"}, there


@check
def what_both_have_names_the_one_that_is_asked():
    for words in ([], *commands()):
        code, out, _ = program.run(program.tools(), *words, "--help")
        assert code == 0, out
        wrong = re.findall(r"(?:^|[ (|])tpu-webhook (?:" + "|".join(c[0] for c in commands()) + r")\b.*", out, re.M)
        assert not wrong, wrong
    _, _, err = run("reviw")
    assert err.startswith("kubectl-tpu: ") and "See kubectl tpu --help" in err, err
    for each in (*program.TOOLS, "completion"):
        code, out, err = program.run(program.PROGRAM, each, "bash")
        assert (code, out) == (2, "") and err.endswith("other commands are in kubectl tpu; see tpu-webhook --help\n") and f'"{each}"' in err, err
    code, out, _ = program.run(program.PROGRAM, "__complete", "")
    assert (code, out) == (2, ""), out
    code, _, err = program.run(program.tools(), "serve")
    assert (code, err) == (2, "kubectl-tpu: serve is a command of the program tpu-webhook, not of kubectl tpu; run tpu-webhook serve\n"), err


@check
def every_manual_page_renders():
    assert shutil.which("groff"), "groff is not installed"
    with tempfile.TemporaryDirectory() as folder:
        writer = pathlib.Path(program.PROGRAM).parent / "../kubectl/pages/man_pages"
        code, out, err = program.run(writer, folder)
        assert (code, out, err) == (0, "", ""), err
        of_tools = program.tools()
        renders(functools.partial(program.run, of_tools), "kubectl-tpu", commands_of(of_tools),
                pathlib.Path(folder) / "kubectl-tpu")
        assert program.run(writer) == (2, "", "usage: man_pages FOLDER\n")
        assert program.run(writer, "/proc/1")[0] == 1


def renders(run, file, commands, folder):
    pages = {page.stem: page for page in folder.iterdir()}
    assert set(pages) == {"-".join((file, *words)) for words in ((), *commands)}, pages.keys()
    for words in ((), *commands):
        name = "-".join((file, *words))
        done = subprocess.run(["groff", "-man", "-Tutf8", "-P-c", "-ww", "-rLL=100n", str(pages[name])], text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0 and not done.stderr, (name, done.stderr)
        set_page = re.sub(r".\x08", "", done.stdout)
        plain = re.sub(r"\s+", "", set_page.replace("‐", "").replace("−", "-"))
        _, help_text, _ = run(*words, "--help")
        for option in ",".join(options_of(help_text)).split(","):
            assert option in plain, (name, option)
        for line in examples_of(help_text):
            assert re.sub(r"\s+", "", line) in plain, (name, line)


# --- output that cannot be written

def run_into(each, arguments, breaks, stdin="", stderr=subprocess.PIPE):
    """(exit code, standard error) with a standard output that `breaks`, called in the process, has spoiled; it starts as a file."""
    with tempfile.TemporaryFile() as file:
        done = subprocess.run([each, *arguments], input=stdin, stdout=file, stderr=stderr, preexec_fn=breaks, text=True,
                              env=program.ENVIRONMENT, check=False, timeout=30)
    return done.returncode, done.stderr or ""


def leads_to(path, flags):
    os.dup2(os.open(path, flags), 1)


def is_a_pipe_without_reader():
    reading, writing = os.pipe()
    os.dup2(writing, 1)
    os.close(reading)


BROKEN = {  # what is done to standard output, and the error's text
    "a full disk": (lambda: leads_to("/dev/full", os.O_WRONLY), "No space left on device"),
    "a file at its limit": (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)), "File too large"),
    "closed": (lambda: os.close(1), "Bad file descriptor"),
    "closed with standard error": (lambda: os.closerange(1, 3), ""),
    "all closed": (lambda: os.closerange(0, 3), ""),
    "read-only": (lambda: leads_to("/dev/null", os.O_RDONLY), "Bad file descriptor"),
}

# Of each command that is run as words of `commands_of`, arguments with which it prints a result; no command is left out.
# `serve` prints no result, `certificate keep` works until it is ended, `ledger release` asks an API server (tests/server/live).
PRINTS = [
    ("explain", POD), ("explain", "-o", "html", POD), ("explain", "-o", "json", POD), ("explain", "-o", "pods", POD), ("explain", "--fields"),
    ("review", POD), ("review", DENIED), ("review", RECORDED), ("slices", "--cluster", POD), ("audit", "--cluster", POD),
    ("slices", "--watch", "--cluster", POD), ("slices", "--by", "namespace", "--cluster", POD), ("doctor", "--cluster", "{installed}"),
    ("ledger", "list", "--cluster", "{installed}"), ("catalog",), ("catalog", "v6e", "4x4", "-o", "svg"), ("findings",), ("policy",),
    ("policy", "test", POD, "--team-rules", "{rules}"), ("rules", "-o", "json"), ("rules", "--rbac"), ("rules", "--entries"),
    ("config", "check", "{config}"), ("config", "print"), ("config", "schema"), ("certificate", "rights"), ("completion", "bash"), ("help",), ("version",), ("__complete", "")]
PRINTED_BY_BOTH = (("rules", "-o", "json"), ("config", "check", "{config}"), ("version",))
RUN_ELSEWHERE = {("serve",), ("ledger", "release"), ("certificate", "keep")}


@contextlib.contextmanager
def results():
    """(program, arguments, exit code) of everything that either program prints as the result of a command or as help."""
    configuration = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "metadata": {"name": "tpu-webhook"}}
    record = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}}
    with folder(installed_json=objects(configuration, record, tpu_pod("ml")), config_json='{"mode": "shadow"}',
                rules_yaml="rules:\n- {name: a, namespaces: ['*'], maxChips: 4}\n") as path:
        files = {"installed": f"{path}/installed.json", "config": f"{path}/config.json", "rules": f"{path}/rules.yaml"}
        found = []
        for each, _, _ in BOTH:
            here = commands_of(each)
            for words in [(), *here]:
                found.append((each, (*words, "--help"), 0))
            for words in PRINTS if each == program.tools() else PRINTED_BY_BOTH:
                if words[0].replace("__complete", "completion") in (path[0] for path in here):
                    words = tuple(word.format(**files) for word in words)
                    code, out, err = program.run(each, *words) if "--watch" not in words else (0, "printed again and again", "")
                    assert out, (each, words, err)
                    found.append((each, words, code))
        yield found


@check
def every_command_is_among_those_that_print():
    groups = {path[:-1] for each, _, _ in BOTH for path in commands_of(each)} - {("policy",)}
    here = {words[:length] for words in PRINTS for length in (1, 2)}
    assert {path for each, _, _ in BOTH for path in commands_of(each)} - groups - here == RUN_ELSEWHERE


def is_reported(breaks, said):
    with results() as found:
        assert len(found) > 60, len(found)
        for each, words, _ in found:
            code, err = run_into(each, words, breaks)
            assert code == 2, (each, words, code, err)
            name = pathlib.Path(each).name
            assert not said or err.endswith(f"{name}: cannot write all of the result to standard output: {said}\n"), (words, err)


for name, (breaks, said) in BROKEN.items():
    row(f"output_is_lost.{name}", lambda breaks=breaks, said=said: is_reported(breaks, said))


@check
def a_reader_that_has_enough_is_no_fault():
    with results() as found:
        for each, words, code in found:
            assert run_into(each, words, is_a_pipe_without_reader)[0] == code, (each, words)


@check
def a_result_that_is_cut_is_reported():
    for words in ("policy",), ("rules", "-o", "json"), ("explain", "-o", "html", POD):
        code, err = run_into(program.tools(), words, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
        assert code == 2 and "File too large" in err, (words, code, err)


@check
def nothing_printed_is_nothing_lost():
    """The command's own fault is said, and the exit code is its own."""
    for breaks, _ in BROKEN.values():
        assert run_into(program.tools(), ("review", "/no/such"), breaks)[0] == 2
    code, err = run_into(program.tools(), ("review", "/no/such"), BROKEN["closed"][0])
    assert err.startswith("kubectl-tpu: cannot read /no/such") and err.count("\n") == 1, err


@check
def a_standard_descriptor_that_is_closed_is_no_connection():
    """What is printed goes to no socket or file that has got the number of a closed descriptor."""
    for descriptors in ((1,), (2,), (0, 1, 2)):
        api = Objects({"/api/v1/pods": [tpu_pod("ml")], "/api/v1/nodes": [], "/api/v1/services": []})
        with Server(api, tls=False) as server, tempfile.TemporaryDirectory() as path:
            config = kubeconfig(path, server.port)
            code, _ = run_into(program.tools(), ("slices", "--kubeconfig", config), lambda all=descriptors: [os.close(each) for each in all])
        assert code == (0 if descriptors == (2,) else 2), (descriptors, code)
        assert set(api.methods()) == {"GET"} and len(api.requests) == 5 and not server.errors, (api.targets(), server.errors)


def examples_of(help_text):
    _, _, examples = help_text.partition("\nExamples:\n")
    return examples.splitlines()


if __name__ == "__main__":
    checks.main(__doc__)
