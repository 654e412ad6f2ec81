// Names JobSet, of a release whose definition Kubernetes 1.30 takes. Releases: pins.toml.
module tpu-webhook.dev/e2e/oldest/jobset

go 1.26.0

tool sigs.k8s.io/jobset

require sigs.k8s.io/jobset v0.10.1
