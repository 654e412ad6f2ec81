#!/usr/bin/env python3
"""Takes out the defences of docs/assurance.md one at a time, and asks whether the test that is named there fails.

  tests/mutants/defences.py              all but those of a control plane
  tests/mutants/defences.py --e2e        these too: half a minute each
  tests/mutants/defences.py 5 18         of these threats

In the copy of mutants/run.py (build/mutants), so after that, and not beside it. Each test runs first as it is, and must
pass. Exit code: 0 where each fails without its defence, 1 where one does not.
"""

import dataclasses
import os
import subprocess
import sys
import time

import run as mutants
from suites import Suites

GTEST, PROGRAM = mutants.BUILD / "tests", mutants.BUILD / "server" / "tpu-webhook"
PROBE = GTEST / "server" / "kube" / "kube_probe"


@dataclasses.dataclass
class Defence:
    threat: int
    what: str
    file: str
    before: str
    after: str
    test: list
    e2e: bool = False


def server(name):
    return [sys.executable, "-B", "tests/server/run.py", PROGRAM, f"={name}"]


def kube(name):
    return [sys.executable, "-B", "tests/server/kube/run.py", PROBE, PROGRAM, f"={name}"]


def unit(program, name):
    return [GTEST / program, f"--gtest_filter={name}"]


def chart(name):
    return [sys.executable, "tests/charts/chart.py", "--program", PROGRAM, f"Chart.{name}"]


def story(name):
    return ["tests/e2e/run", "--program", PROGRAM, *name.split("::")[:1], "-k", name.split("::")[1]]


DEFENCES = [
    Defence(1, "who keeps us waiting makes room", "server/serve/https/connections.cpp",
            "  const std::size_t count = (waiting.size() + shed_part - 1) / shed_part;\n", "  const std::size_t count = 0;\n",
            server("limits.honest_calls_pass_a_thousand_silent_connections")),
    Defence(2, "64 levels at most", "base/json/reader.hpp", "max_depth = 64;", "max_depth = 1u << 30;",
            unit("unit/webhook_test", "*Json*")),
    Defence(3, "what no value may be", "charts/tpu-webhook/values.schema.json", '"additionalProperties": false,', "",
            chart("test_refused")),
    Defence(4, "two configurations by name", "charts/tpu-webhook/templates/rbac.yaml", "    resourceNames: [tpu-webhook]\n", "",
            chart("test_rbac_is_what_the_program_asks_for")),
    Defence(5, "the caller's name", "server/tls/clients.cpp", "if (has_name(X509_STORE_CTX_get0_cert(context), names_)) return true;",
            "return true;", server("client_certificates.only_who_shows_a_certificate_of_the_ca_with_the_name_is_answered")),
    Defence(5, "the caller's CA", "server/tls/clients.cpp", "if (X509_verify_cert(context) != 1) return false;", "",
            server("client_certificates.only_who_shows_a_certificate_of_the_ca_with_the_name_is_answered")),
    Defence(7, "TLS 1.2 or later", "server/tls/context.cpp", "SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);",
            'SSL_CTX_set_min_proto_version(context, TLS1_VERSION); SSL_CTX_set_cipher_list(context, "DEFAULT:@SECLEVEL=0");',
            server("limits.tls_1_1_is_refused")),
    Defence(8, "our Service's name alone", "server/tls/issuing.cpp", "NID_subject_alt_name, alternative_names(names));",
            'NID_subject_alt_name, "DNS:*.svc");', unit("unit/server_test", "*Issu*")),
    Defence(10, "a field that nobody may have", "webhook/write/surface.cpp", '"/spec/subdomain"', '"/spec/serviceAccountName"',
            unit("unit/webhook_test", "SurfaceTable.what_is_never_in_it")),
    Defence(10, "text stays text", "webhook/write/json.cpp", """    if (c == '"' || c == '\\\\') {
      out_.add('\\\\', text[clean]);""", """    if (c == '"' || c == '\\\\') {
      out_.add(text[clean]);""", unit("golden/hostile_test", "*")),
    Defence(11, "our own namespace is exempt", "charts/tpu-webhook/templates/_webhook.tpl",
            'concat (list "kube-system" .Release.Namespace)', 'concat (list "kube-system")',
            story("test_api_server.py::test_excluded_namespaces"), e2e=True),
    Defence(12, "init containers are looked at", "charts/tpu-webhook/templates/_program.tpl",
            "[{{ . }}.containers != null ? {{ . }}.containers : [],\n has({{ . }}.initContainers) ? {{ . }}.initContainers : []]",
            "[{{ . }}.containers != null ? {{ . }}.containers : []]",
            story("test_api_server.py::test_the_match_conditions"), e2e=True),
    Defence(13, "a whole quantity", "webhook/read/chips.cpp", "if (known.text == suffix) return known.scale;",
            "if (suffix.starts_with(known.text)) return known.scale;", unit("fuzz/corpus_test", "*")),
    Defence(14, "fields that nobody knows", "webhook/write/surface.cpp", '"/metadata/labels/replicaIndex"',
            '"/metadata/labels/unknown"', unit("golden/golden_test", "*")),
    Defence(15, "restricted", "charts/tpu-webhook/templates/deployment.yaml", "        runAsNonRoot: true\n", "", chart("test_golden")),
    Defence(18, "the API server alone", "server/cli/run.cpp", "  try {\n",
            '  if (argc > 3) {\n    addrinfo* found = nullptr;\n    ::getaddrinfo("example.com", "443", nullptr, &found);\n  }\n  try {\n',
            kube("alone.speaks_to_nobody_but_its_api_server")),
]


def build():
    done = subprocess.run(["ninja", "-k", "0", "-C", mutants.BUILD, *Suites(mutants.BUILD, core=False).targets(),
                           "tests/server/kube/kube_probe"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout[-3000:]}\ndefences: cannot be built")


def passes(command):
    done = subprocess.run(list(map(str, command)), cwd=mutants.TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, check=False, env={**os.environ, "TPUWH_HOSTILE_SHARE": "20"})
    return done.returncode == 0, done.stdout.decode(errors="replace")


def without(defence):
    text = (mutants.ROOT / defence.file).read_text()
    if defence.before not in text:
        sys.exit(f"defences: {defence.file} has no {defence.before!r}")
    changed = text.replace(defence.before, defence.after)
    if "getaddrinfo" in defence.after:
        changed = "#include <netdb.h>\n" + changed
    return {defence.file: changed.encode()}


def main():
    words = [word for word in sys.argv[1:] if word.isdigit()]
    if set(sys.argv[1:]) - set(words) - {"--e2e"}:
        sys.exit(__doc__)
    chosen = [each for each in DEFENCES if (not words or str(each.threat) in words) and (not each.e2e or "--e2e" in sys.argv)]
    mutants.configure()
    build()
    held = True
    for command in {tuple(each.test): None for each in chosen}:
        good, said = passes(command)
        if not good:
            sys.exit(f"{said[-3000:]}\ndefences: fails as it is: {' '.join(map(str, command))}")
    for defence in chosen:
        start = time.monotonic()
        mutants.copy_sources(without(defence))
        build()
        good, _ = passes(defence.test)
        held &= not good
        print(f"{defence.threat:2}  {'PASSES' if good else 'fails'} without: {defence.what} ({time.monotonic() - start:.0f} s)",
              flush=True)
    mutants.copy_sources({})
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
