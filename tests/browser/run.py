#!/usr/bin/env python3
"""The page of `kubectl tpu explain -o html` in a headless Chromium: run.py PROGRAM PICTURES [PART].

That hostile manifests run no script and load nothing, that it is read in light and dark, narrow and
wide. Screenshots go into the folder PICTURES. PART: only checks whose name contains it.
"""

import json
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests/server")]

import checks  # noqa: E402
import chromium  # noqa: E402
import program  # noqa: E402
from checks import check, row  # noqa: E402

PAGE = (HERE / "page.js").read_text(encoding="utf-8")
JOBSET = "tests/e2e/manifests/jobset-multislice.yaml"
PICTURES = None
BROWSER = None
FOLDER = None  # for pages

HOSTILE = ["<img src=x onerror=\"window.ran=1;alert(1)\">", "\"><script>window.ran=1;document.title='ran'</script>",
           "' onmouseover='window.ran=1' autofocus onfocus='window.ran=1",
           "</title></style></svg></pre><script>window.ran=1</script>", "]]><svg onload=window.ran=1>",
           "javascript:window.ran=1", "<style>@import 'http://127.0.0.1:9/x'</style>",
           "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>"]


def explained(*arguments, stdin=None):
    """The page; whatever the verdict."""
    code, out, err = program.run(program.tools(), "explain", "-o", "html", *arguments, stdin=stdin)
    assert code in (0, 1) and not err and out.startswith("<!DOCTYPE html>"), (code, err, out[:200])
    return out


def opened(page):
    """Its file, as the browser shows it."""
    file = FOLDER / "page.html"
    file.write_text(page, encoding="utf-8")
    BROWSER.open(file.as_uri())
    return file.as_uri()


def ask(call):
    return BROWSER.evaluate(f"{PAGE}.{call}")


def happened(uri):
    """What a page must not do: scripts, questions to the reader, requests, faults of its policy."""
    out = []
    stopped = {params["requestId"] for method, params in BROWSER.events
               if method == "Network.loadingFailed" and params.get("blockedReason") == "csp"}
    for method, params in BROWSER.events:
        if method == "Network.requestWillBeSent" and params["request"]["url"] != uri \
                and params["requestId"] not in stopped:
            out.append("asked for " + params["request"]["url"])
        if method in ("Page.javascriptDialogOpening", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            out.append(method)
        if method == "Log.entryAdded":
            out.append(params["entry"]["text"])
    if BROWSER.evaluate("window.ran"):
        out.append("a script ran")
    return out


# --- hostile texts

def hostile_job(text):
    """A Job with the text wherever a manifest has room for one."""
    labels = {"team": text, text: "x"}
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": text, "namespace": text, "labels": labels, "annotations": {text: text}},
            "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "template": {
                "metadata": {"labels": labels, "annotations": {"note": text}},
                "spec": {"subdomain": text, "hostname": text, "restartPolicy": "Never",
                         "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                                          "cloud.google.com/gke-tpu-topology": "2x4", text: text},
                         "containers": [{"name": text, "image": text, "env": [{"name": text, "value": text}],
                                         "resources": {"limits": {"google.com/tpu": 4}}}]}}}}


def milder_job(text):
    """The same with names that an API server takes: only what is free text is hostile."""
    job = hostile_job("x")
    job["metadata"]["annotations"] = {"note": text}
    template = job["spec"]["template"]
    template["metadata"]["annotations"] = {"note": text}
    container = template["spec"]["containers"][0]
    container.update(image=text, command=[text], env=[{"name": "TPU_NAME", "value": text}, {"name": text, "value": text}])
    return job


def odd_shape(text):
    job = milder_job("x")
    selector = job["spec"]["template"]["spec"]["nodeSelector"]
    selector.update({"cloud.google.com/gke-tpu-accelerator": text, "cloud.google.com/gke-tpu-topology": text})
    return job


def kind_of_its_own(text):
    return {"apiVersion": "v1", "kind": "List",
            "items": [milder_job("x"), {"apiVersion": text, "kind": text, "metadata": {"name": text}},
                      {"apiVersion": "v1", "kind": "Service", "metadata": {"name": text, "namespace": text}}]}


def does_nothing(make, text):
    page = explained(stdin=json.dumps(make(text)))
    uri = opened(page)
    ask("openAll()")
    BROWSER.evaluate("document.querySelectorAll('*').forEach(e => e.dispatchEvent(new MouseEvent('mouseover')))")
    assert happened(uri) == [], happened(uri)
    assert ask("active()") == [], ask("active()")
    assert "ran" != BROWSER.evaluate("document.title") and BROWSER.evaluate("document.title").endswith("explain")
    if make is not odd_shape:  # of which a message quotes a part
        assert text in BROWSER.evaluate("document.body.textContent"), "the text is not shown"


for number, each in enumerate(HOSTILE):
    for make in (hostile_job, milder_job, odd_shape, kind_of_its_own):
        row(f"hostile.{make.__name__}.{number}", lambda make=make, each=each: does_nothing(make, each))


@check
def the_name_of_a_file_is_text():
    file = FOLDER / "<img src=x onerror=window.ran=1>.json"
    file.write_text(json.dumps(milder_job("x")), encoding="utf-8")
    uri = opened(explained(str(file)))
    assert happened(uri) == [] and ask("active()") == []
    assert file.name in BROWSER.evaluate("document.body.textContent")


@check
def what_is_not_seen_is_spelled():
    opened(explained(stdin=json.dumps(hostile_job("a\u202egnp.exe\u200b\u0000"))))
    text = BROWSER.evaluate("document.documentElement.textContent")
    assert "a\\u202egnp.exe\\u200b\\u0000" in text, text[:2000]
    assert not set(text) & set("\u202e\u200b\u0000"), "a character that is not seen"


@check
def what_would_break_it_is_noticed():
    """That these checks can fail: a page that does not escape."""
    uri = opened(f"<!DOCTYPE html><title>t</title>{HOSTILE[0]}<img src='http://127.0.0.1:9/x'>")
    deadline = time.monotonic() + 5
    while not BROWSER.evaluate("window.ran") and time.monotonic() < deadline:
        time.sleep(0.05)
    said = " ".join(happened(uri))
    assert "a script ran" in said and "asked for http://127.0.0.1:9/x" in said and "Dialog" in said, said
    assert ask("active()"), "elements that load something"


@check
def its_policy_holds_what_escaping_missed():
    page = explained(*STORIES["job"])
    uri = opened(page.replace("</main>", HOSTILE[0] + "<script>window.ran=1</script></main>"))
    deadline = time.monotonic() + 5
    while not any("Loading the image" in each for each in happened(uri)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [e for e in happened(uri) if e.startswith(("asked", "Page.java", "a script"))], happened(uri)


# --- how it looks

STORIES = {  # name of the picture -> arguments
    "job": ["tests/e2e/manifests/job-2x4.yaml"],
    "jobset": [JOBSET],
    "ray": ["tests/golden/explain/raycluster-16x16.yaml"],
    "tpu7x-two-containers": ["tests/e2e/manifests/job-tpu7x-two-containers.yaml"],
    "lws": ["tests/golden/explain/lws-four-groups.yaml"],
    "objects": ["docs/samples/pod-3x3.yaml", "tests/golden/explain/job-service-misnamed.yaml",
                "tests/golden/explain/job-super-slice.yaml"],
    "waits": [JOBSET, "--cluster", "-"],
}

# A cluster of one node pool that is free, for a job of two slices.
POOL = [{"apiVersion": "v1", "kind": "Node",
         "metadata": {"name": f"a-{i}", "labels": {"cloud.google.com/gke-nodepool": "v6e-4x4-a",
                                                   "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                                                   "cloud.google.com/gke-tpu-topology": "4x4",
                                                   "cloud.google.com/gke-accelerator-count": "4"}},
         "status": {"allocatable": {"google.com/tpu": "4", "pods": "110"}, "capacity": {"google.com/tpu": "4"},
                    "conditions": [{"type": "Ready", "status": "True"}]}} for i in range(4)]


def story(name):
    cluster = json.dumps({"apiVersion": "v1", "kind": "List", "items": POOL}) if "-" in STORIES[name] else None
    return explained(*STORIES[name], stdin=cluster)


def looks_right(name):
    uri = opened(story(name))
    assert happened(uri) == [], happened(uri)
    assert ask("faults()") == [], ask("faults()")
    backgrounds = set()
    for scheme in ("light", "dark"):
        BROWSER.scheme(scheme)
        BROWSER.size(1100)
        if PICTURES:
            BROWSER.screenshot(PICTURES / f"{name}-{scheme}.png")
        ask("openAll()")
        backgrounds.add(BROWSER.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert ask("lowContrast(4.5)") == [], (scheme, ask("lowContrast(4.5)"))
        for width in (400, 1400):
            BROWSER.size(width)
            assert ask("overflow()") <= 0, f"{ask('overflow()')} pixels too wide at {width}"
        BROWSER.open(uri)
    assert len(backgrounds) == 2, backgrounds


for each in STORIES:
    row(f"looks.{each}", lambda each=each: looks_right(each))


@check
def hostile_texts_do_not_widen_it():
    opened(explained(stdin=json.dumps(hostile_job("x" * 3000 + "\u202e"))))
    ask("openAll()")
    BROWSER.size(400)
    assert ask("overflow()") <= 0, ask("overflow()")


@check
def nothing_is_folded_on_paper():
    opened(story("jobset"))
    BROWSER.evaluate("document.querySelectorAll('details').forEach(e => e.open = false)")
    hidden = "[...document.querySelectorAll('td')].filter(e => !e.checkVisibility()).length"
    assert BROWSER.evaluate(hidden) > 0
    BROWSER.call("Emulation.setEmulatedMedia", media="print")
    assert BROWSER.evaluate(hidden) == 0, BROWSER.evaluate(hidden)
    BROWSER.call("Emulation.setEmulatedMedia", media="")


def main():
    global BROWSER, FOLDER, PICTURES
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    if not chromium.installed():
        print("chromium is not installed: scripts/install-packages")
        sys.exit(77)
    program.PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    PICTURES = pathlib.Path(sys.argv[2]).resolve()
    os.chdir(ROOT)  # pages name the files that they are of
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="explain-") as folder, chromium.Browser() as BROWSER:
        FOLDER = pathlib.Path(folder)
        failed = checks.run(*sys.argv[3:])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
