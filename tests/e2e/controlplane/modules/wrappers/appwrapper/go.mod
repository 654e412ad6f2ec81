// Names AppWrapper. Releases: pins.toml.
module tpu-webhook.dev/e2e/appwrapper

go 1.26.0

tool github.com/project-codeflare/appwrapper/cmd

require github.com/project-codeflare/appwrapper v1.2.2
