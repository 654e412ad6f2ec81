{{/* The Secret that the keeper fills (mode internal). */}}
{{- define "tpu-webhook.ownSecret" -}}tpu-webhook-certificate{{- end }}

{{/* The Secret that the server's Pods mount. */}}
{{- define "tpu-webhook.mountedSecret" -}}
{{- if eq .Values.certificate.mode "internal" -}}
{{ include "tpu-webhook.ownSecret" . }}
{{- else if eq .Values.certificate.mode "cert-manager" -}}
tpu-webhook-tls
{{- else -}}
{{ .Values.certificate.secretName }}
{{- end -}}
{{- end }}

{{/* The line caBundle of each entry. None where somebody else writes it, cert-manager or the keeper,
     in any revision: what a manifest never said no upgrade changes and no rollback takes away, and what
     it once said would be an old CA when Helm goes back to it. */}}
{{- define "tpu-webhook.caBundle" -}}
{{- if eq .Values.certificate.mode "supplied" -}}
caBundle: {{ include "tpu-webhook.suppliedBundle" . }}
{{- end -}}
{{- end }}

{{/* certificate.caBundle as base64 of PEM, whichever of the two it was given as. */}}
{{- define "tpu-webhook.suppliedBundle" -}}
{{- $given := .Values.certificate.caBundle -}}
{{- $base64 := contains "-----BEGIN " $given | ternary ($given | b64enc) (regexReplaceAll "\\s" $given "") -}}
{{- if not (contains "-----BEGIN CERTIFICATE-----" ($base64 | b64dec)) -}}
{{- fail "certificate.caBundle contains no certificate: give PEM, or base64 of PEM" -}}
{{- end -}}
{{- $base64 -}}
{{- end }}
