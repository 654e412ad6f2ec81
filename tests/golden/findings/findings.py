"""findings.py PROGRAM [--update]: each manifest beside this file is wrong in one way, and `review`
says that way and no other; one of TPU-8nn is for `explain`, and one that begins with "# policy test FLAGS"
for that command. docs/messages.md is made of the program's table and of these answers. That `audit` and `doctor` can print each of theirs is tested by the unit
tests of their rooms; that they print no other, by the compiler.

A manifest is called ID-WHAT.yaml, and written as support/golden_manifests.py says; a first line
"# review FLAGS" gives it flags. With --update the page is written again; without, the script fails
where the page differs, where a manifest has another finding than its name says, where a finding has no manifest, and where anything is said of a
manifest in right/ or of tests/e2e/manifests.
"""

import difflib
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "support"))
import golden_manifests  # noqa: E402

ROOT = HERE.parents[2]
PAGE = ROOT / "docs/messages.md"
HEAD = """# Messages

Every denial and every warning begins with an id: `TPU-405: completions is 1, but ...`. This page has
its meaning and its fix, and `kubectl tpu findings TPU-405` prints them.

A **denied** object is refused with this text. With a **warning** it is allowed, and whoever created it
reads the sentence: `kubectl` prints it, controllers write it to their log. An object is denied only if
no member of its slice could start, whatever its containers run.

The configuration file sets the level of a finding, for all namespaces or for one:

```yaml
findings:
  TPU-405: deny       # deny, warn or off
perNamespace:
  research:
    findings:
      TPU-405: off
```

`review --strict` exits with 1 if there is a warning.

`explain`, [`audit`](#of-audit) and [`doctor`](#of-doctor) report further findings, under names of their own. Each also has
an id of the same kind (`id` in the JSON of audit and doctor, `finding` in that of explain). Its level here is the highest
that it can have, and no configuration changes it. Admission policies refuse (fail) or warn of TPU-651 to TPU-680
(docs/governance.md); those that need no slice are [below](#of-policy).

| Id | Level | What is found |
|---|---|---|
"""


def table(program):
    return json.loads(subprocess.run([program, "findings", "--output", "json"], check=True,
                                     capture_output=True, text=True).stdout)


def first_line(manifest):
    return manifest.read_text(encoding="utf-8").split("\n", 1)[0]


def flags(manifest):
    first = first_line(manifest)
    return shlex.split(first.removeprefix("# review ")) if first.startswith("# review ") else []


def printed(program, words, manifest):
    """What a command prints of a manifest, written whole."""
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder, manifest.name)
        whole.write_text(golden_manifests.text_of(manifest), encoding="utf-8")
        ran = subprocess.run([program, *words, str(whole)], capture_output=True, text=True, cwd=ROOT)
    if ran.returncode > 1:
        raise SystemExit(f"{manifest.name}: {ran.stderr}{ran.stdout}")
    return ran.stdout


def messages(program, manifest):
    """(denied, sentences) of the answer to a manifest."""
    denied, sentences = False, []
    answers = printed(program, ["review", "--output", "review", *flags(manifest)], manifest)
    for line in answers.splitlines():  # one for each document
        response = json.loads(line)["response"]
        if not response["allowed"]:
            denied = True
            sentences.append(response["status"]["message"])
        sentences += response.get("warnings", [])
    return denied, sentences


def tried(program, manifest, words):
    """The same of `policy test`."""
    objects = json.loads(printed(program, [*words, "--output", "json"], manifest))["objects"]
    found = [each for one in objects for each in one["findings"]]
    return any(each["refuses"] for each in found), [f"{each['id']}: {each['sentence']}" for each in found]


def ids_in(sentence, ids):
    return {each for each in ids if f"{each}: " in sentence}


def explained(program, manifest):
    """The same of `explain`, which warns and never denies under a name of its own."""
    workloads = json.loads(printed(program, ["explain", "--output", "json"], manifest))["workloads"]
    found = [each for workload in workloads for each in workload["findings"]]
    denied = any(each["level"] == "deny" for each in found)
    return denied, [f"{each['finding']}: {each['sentence']}" for each in found]


def fault(name, level, denied, found):
    own = name[:7]
    if found != {own}:
        return f"{name}: found {', '.join(sorted(found)) or 'nothing'}; expected {own} alone"
    if denied != (level in ("deny", "fail")):
        return f"{name}: was {'denied' if denied else 'allowed'}; its level is {level}"
    return None


def section(row, examples):
    level = "A warning of `explain`" if row["by"] == "explain" else \
        {"fail": "Refused by policies", "warn": "A warning of policies"}[row["default"]] if row["by"] == "policy" else \
        "Denied by default" if row["default"] == "deny" else "A warning by default"
    out = [f"## {row['id']} {row['name']}", "", f"*{level}.* {row['what']} {row['cause']}".rstrip(), "",
           f"**Fix.** {row['fix']}", ""]
    for name, denied, sentences in examples:
        out += [f"[{name}](../tests/golden/findings/{name}):", "", "```"]
        verdict = ("refused" if row["by"] == "policy" else "denied") if denied else "Warning"
        out += [f"{verdict}: {sentence}" for sentence in sentences]
        out += ["```", ""]
    return "\n".join(out)


def tool_section(by, found, rows):
    """The rows by `policy`, `audit` or `doctor` that have no manifests."""
    out = [f"## Of {by}", "", f"| Id | Name | At most | {found} | What to do |", "|---|---|---|---|---|"]
    return "\n".join(out + [f"| {row['id']} | `{row['name']}` | {row['default']} | {row['what']} | {row['fix']} |"
                            for row in rows if row["by"] == by and not has_manifest(row)]) + "\n"


def has_manifest(row):
    """Whether a manifest here shows the finding. tests/e2e/test_rules.py shows TPU-671 to TPU-680."""
    return row["by"] in ("webhook", "explain") or row["id"] < "TPU-671" and row["by"] == "policy"


def main(program, update):
    program = str(pathlib.Path(program).resolve())
    whole = table(program)
    rows = [row for row in whole if has_manifest(row)]
    ids = [row["id"] for row in rows]
    examples = {each: [] for each in ids}
    faults = []
    for manifest in sorted(HERE.glob("TPU-*.yaml")):
        level = next((row["default"] for row in rows if row["id"] == manifest.name[:7]), None)
        if first_line(manifest).startswith("# policy test "):
            denied, sentences = tried(program, manifest, shlex.split(first_line(manifest))[1:])
        else:
            by = explained if manifest.name.startswith("TPU-8") else messages
            denied, sentences = by(program, manifest)
        found = set().union(*(ids_in(each, ids) for each in sentences), set())
        wrong = fault(manifest.name, level, denied, found)
        if wrong:
            faults.append("\n  ".join([wrong, *sentences]))
        elif len(sentences) != 1:
            faults.append("\n  ".join([f"{manifest.name}: {len(sentences)} sentences; expected 1", *sentences]))
        examples.setdefault(manifest.name[:7], []).append((manifest.name, denied, sentences))
    faults += [f"{each}: no manifest here shows it" for each in ids if not examples[each]]
    right = [*sorted((HERE / "right").glob("*.yaml")), *sorted((ROOT / "tests/e2e/manifests").glob("*.yaml"))]
    for manifest in right:
        _, sentences = messages(program, manifest)
        if sentences:
            faults.append("\n  ".join([f"{manifest.name}: nothing is wrong with it", *sentences]))
    links = [f"| [{row['id']}](#{row['id'].lower()}-{row['name']}) | {row['default']} | {row['what']} |" for row in rows]
    page = HEAD + "\n".join(links) + "\n\n" + "\n".join([
        *(section(row, examples[row["id"]]) for row in rows),
        tool_section("policy", "What is refused", whole), tool_section("audit", "What is found", whole), tool_section("doctor", "What is checked", whole)])
    page = page.rstrip("\n") + "\n"
    if update:
        PAGE.write_text(page, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), page.splitlines(True), str(PAGE), "generated"))
        faults.append("docs/messages.md is not current; write it again with --update")
    print("\n".join(faults) or f"{sum(map(len, examples.values()))} wrong manifests, {len(rows)} findings: each has its own; "
          f"{len(right)} right ones: nothing is said")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--update" in sys.argv[2:]))
