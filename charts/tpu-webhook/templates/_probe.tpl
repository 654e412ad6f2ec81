{{/* What `helm test` needs; "" where there is none. */}}
{{- define "tpu-webhook.probeNamespace" -}}
{{- $name := (.Values.probe | default dict).namespace | default "" -}}
{{- $excluded := include "tpu-webhook.excluded" . | fromYamlArray | first -}}
{{- if has $name $excluded.values -}}
{{- fail (printf "probe.namespace is %q, whose Pods are never handled: set a namespace whose Pods are" $name) -}}
{{- end -}}
{{- $name -}}
{{- end }}

{{/* The labels by which a namespace that the chart makes is one whose Pods are handled. */}}
{{- define "tpu-webhook.probeNamespaceLabels" -}}
{{- $labels := dict "pod-security.kubernetes.io/enforce" "restricted" -}}
{{- with .Values.namespaces.optIn }}{{ if .enabled }}{{ $_ := set $labels .label .value }}{{ end }}{{ end -}}
{{- merge $labels (.Values.namespaces.selector.matchLabels | default dict) | toYaml -}}
{{- end }}

{{/* metadata of what exists for the test: {root, namespace, weight, delete}. None of the labels by which the
     Deployment, its Service and its NetworkPolicy find the webhook's own Pods. */}}
{{- define "tpu-webhook.probeMetadata" -}}
{{- $labels := merge (dict "app.kubernetes.io/name" "tpu-webhook-probe") (omit (include "tpu-webhook.labels" .root | fromYaml) "app.kubernetes.io/name") -}}
name: tpu-webhook-probe
namespace: {{ .namespace | default .root.Release.Namespace }}
labels:
  {{- merge $labels (omit (.root.Values.commonLabels | default dict) "app.kubernetes.io/name") | toYaml | nindent 2 }}
annotations:
  {{- $hook := dict "helm.sh/hook" "test" "helm.sh/hook-weight" (.weight | toString) "helm.sh/hook-delete-policy" .delete -}}
  {{- merge $hook (.root.Values.commonAnnotations | default dict) | toYaml | nindent 2 }}
{{- end }}
