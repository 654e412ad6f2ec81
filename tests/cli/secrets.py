#!/usr/bin/env python3
"""What the program never repeats: secrets.py PROGRAM [PART].

A value that no rule of ours reads may be a password: of a variable that is not ours, of an annotation
or an argument of somebody else's. It is put into every container of each golden review and of a
cluster made of them, as it should be and as it should not (another type, twice, cut off), and then
stands in nothing that is printed, answered, logged or counted. What is asked for with the whole Pod
in it (`-o object`, `-o pods`, the differences of `-o diff`) is left out.
"""

import base64
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "server"), str(TESTS / "support")]

import certificates  # noqa: E402
import checks  # noqa: E402
import golden_reviews  # noqa: E402
import program  # noqa: E402
from checks import check  # noqa: E402
from program import Program  # noqa: E402
from wire import Connection, get, post, tls  # noqa: E402

SECRET = "pa55w0rd"
# Of names that look like ours, too.
NAMES = ("PASSWORD", "TPU_LIBRARY_PATH", "TPU_WORKER_IDS", "tpu_worker_id", "XTPU_WORKER_ID", "XLA_FLAGS", "A=B", "")


def containers(value):
    """Of every Pod and Pod template in a JSON value."""
    if isinstance(value, list):
        for each in value:
            yield from containers(each)
    elif isinstance(value, dict):
        for key, below in value.items():
            if key in ("containers", "initContainers") and isinstance(below, list):
                yield from (each for each in below if isinstance(each, dict))
            else:
                yield from containers(below)


def metadata(value):
    """Of every object and template in a JSON value."""
    if isinstance(value, list):
        for each in value:
            yield from metadata(each)
    elif isinstance(value, dict):
        if isinstance(value.get("metadata"), dict):
            yield value["metadata"]
        for below in value.values():
            yield from metadata(below)


def planted(value):
    value = copy.deepcopy(value)
    for container in containers(value):
        env = container.get("env") or []
        if isinstance(env, list):
            more = [{"name": name, "value": f"{SECRET}-{i}"} for i, name in enumerate(NAMES)]
            container["env"] = [*more[:4], *env, *more[4:]]
        container["args"] = [f"--password={SECRET}"]
        container["command"] = ["sh", "-c", f"login {SECRET}"]
    for each in metadata(value):
        if isinstance(each.get("annotations") or {}, dict):
            each["annotations"] = {**(each.get("annotations") or {}), "example.com/token": SECRET}
    return value


def spoiled(value):
    """Texts in which what holds the secret is no good; each with what was done."""
    for name, bad in (("an object", {SECRET: SECRET}), ("a list", [SECRET])):
        changed = planted(value)
        for container in containers(changed):
            for entry in container.get("env", []):
                if isinstance(entry, dict) and SECRET in str(entry.get("value")):
                    entry["value"] = bad
        yield f"value is {name}", json.dumps(changed)
    changed = planted(value)
    for container in containers(changed):
        container["env"] = SECRET
    yield "env is a text", json.dumps(changed)
    changed = planted(value)
    for container in containers(changed):
        container["resources"] = SECRET
    yield "resources is a text", json.dumps(changed)
    text = json.dumps(planted(value))
    yield "twice", text.replace(f'"value": "{SECRET}-0"', f'"value": "{SECRET}-0", "value": "{SECRET}-1"')
    yield "no escape of JSON in front", text.replace(f"{SECRET}-0", f"\\q{SECRET}-0")
    yield "no escape of JSON behind", text.replace(f"{SECRET}-0", f"{SECRET}-0\\q")
    yield "a raw newline", text.replace(f"{SECRET}-0", f"{SECRET}-0\n")
    yield "a raw control character", text.replace(f"{SECRET}-0", f"{SECRET}-0\x01")
    yield "no quotes", text.replace(f'"{SECRET}-0"', f"{SECRET}-0")
    yield "a quote too many", text.replace(f"{SECRET}-0", f'"{SECRET}-0')
    at = text.find(SECRET)
    if at >= 0:
        yield "cut off in it", text[:at + len(SECRET)]
        yield "cut off behind it", text[:at + len(SECRET) + 3]


def reviews():
    for folder in golden_reviews.cases():
        review = golden_reviews.review_of(folder)
        if review["request"].get("object"):
            yield f"{folder.parent.name}/{folder.name}", review


def require_nothing(said, what):
    at = said.find(SECRET)
    assert at < 0, f"{what}: …{said[max(0, at - 200):at + 60]!r}"


def run(*words, text=None):
    done = subprocess.run([program.of(*words), *map(str, words)], input=text, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode in (0, 1, 2), (words, done.returncode, done.stderr)
    return done.stdout + done.stderr


OFFLINE = [("review", "-o", "text"), ("review", "-o", "json"), ("review", "-o", "review"), ("review", "-o", "patch"),
           ("explain", "--all"), ("explain", "-o", "json", "--all"), ("explain", "-o", "html", "--all"),
           ("explain", "-o", "svg")]


def unpacked(text):
    """With what patches hold."""
    out = [text]
    for line in text.splitlines():
        try:
            out.append(base64.b64decode(json.loads(line)["response"]["patch"]).decode())
        except (ValueError, KeyError, TypeError):
            continue
    return "\n".join(out)


def kept(folder, name, text):
    """Writes the text into a file of this name in the folder, and returns the file's path."""
    file = folder / name
    file.write_text(text)
    return file


@check
def in_no_page_table_patch_or_json():
    seen = 0
    with tempfile.TemporaryDirectory() as name:
        folder, made = pathlib.Path(name), [(title, planted(review)) for title, review in reviews()]
        whole = [kept(folder, f"{title.replace('/', '.')}.json", json.dumps(review)) for title, review in made]
        for words in OFFLINE[:4]:  # each file alone, one after the other
            said = unpacked(run(*words, *whole))
            require_nothing(said, " ".join(words))
            assert len(said.splitlines()) >= len(whole), (words, said)
        for title, review in made:
            alone = kept(folder, "object", json.dumps(review["request"]["object"]))
            for words in OFFLINE[4:]:
                said = run(*words, alone)
                require_nothing(said, f"{title}: {' '.join(words)}")
                seen += bool(said)
    assert seen > 150, seen


@check
def in_no_error_about_what_is_wrong():
    with tempfile.TemporaryDirectory() as name:
        folder, whole = pathlib.Path(name), []
        for title, review in list(reviews())[::4]:
            for what, text in spoiled(review):
                whole.append(kept(folder, f"{title}, {what}.json".replace("/", "."), text))
            for what, text in spoiled(review["request"]["object"]):
                require_nothing(run("explain", kept(folder, "object.yaml", text)), f"{title}, {what}")
                text = f"apiVersion: v1\nkind: List\nitems:\n- {text}\n"
                require_nothing(run("explain", kept(folder, "object.yaml", text)), f"{title}, {what}, in YAML")
        said = run("review", "-o", "json", *whole)
    require_nothing(unpacked(said), "review")
    refused = said.count('"verdict":"unusable"')
    assert refused > 100, refused


@check
def in_no_answer_log_line_or_metric():
    asked = 0
    with Program("--log-level", "debug", "--log-format", "json") as server:
        context = tls(server.ca)
        for title, review in reviews():
            texts = [("as it should be", json.dumps(planted(review))), *spoiled(review)]
            for path in ("/mutate", "/validate", "/shadow"):
                for what, text in texts:
                    with Connection(server.port, context) as connection:
                        answer = connection.send(post(text.encode(), target=path)).answer()
                        require_nothing(unpacked(answer.body.decode()), f"{title}, {what}, {path}")
                        asked += 1
        with Connection(server.health_port, None) as connection:
            require_nothing(connection.send(get("/metrics")).answer().body.decode(), "metrics")
        server.signal()
        server.wait()
        log = server.log()
    require_nothing(log, "log")
    assert asked > 1000 and log.count("\n") > asked / 2, (asked, log.count("\n"))


@check
def in_nothing_that_is_said_of_a_cluster():
    pods = []
    for _, review in reviews():
        made = review["request"]["object"]
        if made.get("kind") == "Pod":
            made = planted(made)
            made["metadata"].setdefault("namespace", review["request"].get("namespace", "default"))
            made["metadata"].setdefault("name", f"pod-{len(pods)}")
            made["metadata"]["uid"] = f"uid-{len(pods)}"
            made["status"] = {"phase": "Pending"}
            pods.append(made)
    assert len(pods) > 30, len(pods)
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "cluster.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
        for words in (("slices",), ("slices", "-o", "json"), ("audit",), ("audit", "-o", "json"), ("ledger", "list"),
                      ("doctor",), ("doctor", "-o", "json")):
            said = run(*words, "--cluster", file)
            assert said, words
            require_nothing(said, " ".join(words))


if __name__ == "__main__":
    checks.main(__doc__)
