// Names and pins krew, which installs kubectl-tpu by the manifest of a release (docs/verify.md). Releases: pins.toml.
module tpu-webhook.dev/e2e/release/krew

go 1.26

tool sigs.k8s.io/krew/cmd/krew

require sigs.k8s.io/krew v0.4.3
