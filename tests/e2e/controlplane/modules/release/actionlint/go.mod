// Names and pins actionlint, which reads .github/workflows (tests/release/workflows.py). Releases: pins.toml.
module tpu-webhook.dev/e2e/release/actionlint

go 1.26

tool github.com/rhysd/actionlint/cmd/actionlint

require github.com/rhysd/actionlint v1.7.12
