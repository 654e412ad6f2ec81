// CoreDNS with the plugins of a cluster's DNS alone (main.go). Releases: pins.toml.
module tpu-webhook.dev/e2e/nodes/coredns

go 1.26.0

require github.com/coredns/coredns v1.14.6
