#!/usr/bin/env python3
"""Fails if tpu-webhook imports what an answer to a review does not need: symbols.py TPU_WEBHOOK KUBECTL_TPU.

The symbols of the program count; those that its libraries import for themselves do not. kubectl-tpu, which starts kubectl,
is read in the same way: a test that does not find fork there reads wrongly.
"""

import subprocess
import sys

ISSUES_CERTIFICATES = "X509_new", "X509_sign", "X509_set_pubkey", "X509_CRL_", "X509_REQ_", "EVP_PKEY_Q_keygen", "EVP_PKEY_keygen", "EVP_PKEY_generate", "PEM_write_bio_"
READS_YAML = ("YAML::",)
STARTS_PROGRAMS = "posix_spawn", "fork", "vfork", "_Fork", "exec", "fexecve", "popen", "system", "clone"
# No imported name may begin with one of these.
FORBIDDEN = (*STARTS_PROGRAMS, *ISSUES_CERTIFICATES, *READS_YAML)


def imported(program):
    """The names that the dynamic linker resolves, demangled, without their versions."""
    done = subprocess.run(["nm", "--dynamic", "--undefined-only", "--demangle", program], check=True, capture_output=True, text=True)
    return sorted({line.split(maxsplit=1)[1].partition("@")[0] for line in done.stdout.splitlines()})


def main():
    server, tools = map(imported, sys.argv[1:3])
    if "fork" not in tools or not server:
        sys.exit("kubectl-tpu does not import fork: this test reads symbols wrongly")
    if wrong := [name for name in server if name.startswith(FORBIDDEN)]:
        sys.exit(f"tpu-webhook imports {', '.join(wrong)}; move what needs it to kubectl-tpu")
    print(f"tpu-webhook imports {len(server)} names, and none that begins with {', '.join(FORBIDDEN)}")


if __name__ == "__main__":
    main()
