{{/* The program's flags. What other objects of this chart rely on is always passed, so that it
     holds whatever the program's own default is; the rest where it differs from that. */}}
{{- define "tpu-webhook.args" -}}
{{- with .Values -}}
- serve
- --listen=:{{ int .port }}
- --health-listen=:8081
- --tls-cert=/certificate/tls.crt
- --tls-key=/certificate/tls.key
- --drain-delay={{ int .drain.delaySeconds }}s
- --drain-timeout={{ int .drain.timeoutSeconds }}s
- --annotation-prefix={{ .annotationPrefix }}
- --ledger={{ .ledger }}
- --log-format={{ .log.format }}
{{- if ne .log.level "info" }}
- --log-level={{ .log.level }}
{{- end }}
{{- if ne (int .threads) 2 }}
- --threads={{ int .threads }}
{{- end }}
{{- if ne .mode "enforce" }}
- --mode={{ .mode }}
{{- end }}
{{- if .workloads }}
- --workloads={{ join "," .workloads }}
{{- end }}
{{- if ne (int .basePort) 8471 }}
- --base-port={{ int .basePort }}
{{- end }}
{{- if .kuberayTruncatedService }}
- --kuberay-truncated-service
{{- end }}
{{- if .tpuNameEverywhere }}
- --tpu-name-everywhere
{{- end }}
{{- if .torchTpu }}
- --torch-tpu
{{- end }}
{{- if not .placement }}
- --no-placement
{{- end }}
{{- if include "tpu-webhook.config" $ }}
- --config=/config/config.yaml
{{- end }}
{{- range .extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
