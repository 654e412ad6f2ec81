// Names the CNI plugins that nodes use. Releases: pins.toml.
module tpu-webhook.dev/e2e/nodes/cni

go 1.26.0

tool (
	github.com/containernetworking/plugins/plugins/ipam/host-local
	github.com/containernetworking/plugins/plugins/main/bridge
	github.com/containernetworking/plugins/plugins/main/loopback
)

require github.com/containernetworking/plugins v1.9.1
