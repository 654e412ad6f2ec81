{{/* The program's configuration file: what flags cannot say. Empty where there is nothing. */}}
{{- define "tpu-webhook.config" -}}
{{- $config := dict -}}
{{- with .Values.perWorkload }}{{ $_ := set $config "perWorkload" . }}{{ end -}}
{{- with .Values.perNamespace }}{{ $_ := set $config "perNamespace" . }}{{ end -}}
{{- if $config }}{{ toYaml $config }}{{ end -}}
{{- end }}

{{/* "true" where no Pod is ever changed or refused: nobody must wait for such a webhook. */}}
{{- define "tpu-webhook.onlyShadow" -}}
{{- $only := eq .Values.mode "shadow" -}}
{{- range .Values.perWorkload }}{{ if eq (default "" .mode) "enforce" }}{{ $only = false }}{{ end }}{{ end -}}
{{- if $only }}true{{ end -}}
{{- end }}
