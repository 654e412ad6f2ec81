// The device plugin of nodes (main.go). Releases: pins.toml.
module tpu-webhook.dev/e2e/nodes/plugin

go 1.26.0

require (
	google.golang.org/grpc v1.82.1
	k8s.io/kubelet v0.37.2
)
