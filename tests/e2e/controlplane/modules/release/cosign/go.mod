// Names and pins cosign, which signs releases (scripts/release); a module of its own, as its libraries are newer than Kubernetes'. Releases: pins.toml.
module tpu-webhook.dev/e2e/release/cosign

go 1.26.0

tool github.com/sigstore/cosign/v3/cmd/cosign

require github.com/sigstore/cosign/v3 v3.1.3
