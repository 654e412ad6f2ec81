// Names Kubeflow Trainer. Releases: pins.toml.
module tpu-webhook.dev/e2e/trainer

go 1.26.0

tool github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager

require github.com/kubeflow/trainer/v2 v2.2.1
