{{/* Objects are named for the chart, not the release: the certificate holds the Service's name,
     the configuration's name decides its place among other webhooks, and a cluster has one. */}}

{{- define "tpu-webhook.selector" -}}
app.kubernetes.io/name: tpu-webhook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tpu-webhook.labels" -}}
{{ include "tpu-webhook.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "tpu-webhook.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* The Secret the Pods mount. The chart's own has a name that no one else would choose: Helm
     deletes it when certificate.secretName is set later. */}}
{{- define "tpu-webhook.secretName" -}}
{{ .Values.certificate.secretName | default "tpu-webhook-self-issued" }}
{{- end }}
