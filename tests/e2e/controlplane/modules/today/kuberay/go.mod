// Names KubeRay: it does not compile with the controller-runtime of the other operators. Releases: pins.toml.
module tpu-webhook.dev/e2e/kuberay

go 1.26.0

tool github.com/ray-project/kuberay/ray-operator

require github.com/ray-project/kuberay/ray-operator v1.6.2
