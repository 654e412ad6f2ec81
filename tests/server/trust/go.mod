// The version says what crypto/x509 refuses (GODEBUG), as in the go.mod of Kubernetes.
module tpu-webhook.dev/trust

go 1.25
