// Names Kueue and KubeRay: a module of their own, as their Kubernetes libraries are older than those of ../operators. Kueue
// names this KubeRay itself. Releases: pins.toml.
module tpu-webhook.dev/e2e/kueue

go 1.26.0

tool (
	github.com/ray-project/kuberay/ray-operator
	sigs.k8s.io/kueue/cmd/kueue
)

require (
	github.com/ray-project/kuberay/ray-operator v1.5.1
	sigs.k8s.io/kueue v0.15.2
)

require github.com/stretchr/testify v1.11.1 // indirect
