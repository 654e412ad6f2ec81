{{/* Where the program keeps the certificate that it issues (mode internal). */}}
{{- define "tpu-webhook.ownSecret" -}}tpu-webhook-certificate{{- end }}

{{/* The Secret that is mounted (modes cert-manager and supplied). */}}
{{- define "tpu-webhook.mountedSecret" -}}
{{- if eq .Values.certificate.mode "cert-manager" -}}
tpu-webhook-tls
{{- else -}}
{{ .Values.certificate.secretName }}
{{- end -}}
{{- end }}

{{/* The line caBundle of each entry. None where somebody else writes it: cert-manager, or the
     program; of what the program has written the same is said again, so that an upgrade does not
     take it away. Where nothing is looked up (`helm template`) there is none. */}}
{{- define "tpu-webhook.caBundle" -}}
{{- if eq .Values.certificate.mode "supplied" -}}
caBundle: {{ include "tpu-webhook.suppliedBundle" . }}
{{- else if eq .Values.certificate.mode "internal" -}}
{{- $secret := lookup "v1" "Secret" .Release.Namespace (include "tpu-webhook.ownSecret" .) | default dict -}}
{{- with dig "data" "bundle.crt" "" $secret -}}
caBundle: {{ . }}
{{- end -}}
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
