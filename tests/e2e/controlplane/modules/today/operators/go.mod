// Names the operators: one module, at the Kubernetes libraries of the newest of them, so that what they have in common is
// compiled once. Releases: pins.toml.
module tpu-webhook.dev/e2e/operators

go 1.26.0

tool (
	sigs.k8s.io/jobset
	sigs.k8s.io/kueue/cmd/kueue
	sigs.k8s.io/lws/cmd
)

require (
	sigs.k8s.io/jobset v0.12.0
	sigs.k8s.io/kueue v0.19.2
	sigs.k8s.io/lws v0.9.0
)
