// Names Prometheus and promtool, which ask what the chart's rules and dashboard ask, for tests/e2e/by_label/test_monitors.py.
// Releases: pins.toml.
module tpu-webhook.dev/e2e/monitors

go 1.26.7

tool (
	github.com/prometheus/prometheus/cmd/prometheus
	github.com/prometheus/prometheus/cmd/promtool
)

require github.com/prometheus/prometheus v0.316.0
