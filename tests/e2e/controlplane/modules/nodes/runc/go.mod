// Names runc. Releases: pins.toml.
module tpu-webhook.dev/e2e/nodes/runc

go 1.26.0

tool github.com/opencontainers/runc

require github.com/opencontainers/runc v1.4.0
