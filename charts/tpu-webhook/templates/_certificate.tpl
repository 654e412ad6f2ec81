{{/* {caBundle, crt, key} as JSON, base64; crt and key only where the chart issues them.
     Include it once: each time without a Secret in the cluster makes another certificate. */}}
{{- define "tpu-webhook.certificate" -}}
{{- $ours := lookup "v1" "Secret" .Release.Namespace (include "tpu-webhook.secretName" .) -}}
{{- $data := dig "data" dict ($ours | default dict) -}}
{{- if .Values.certificate.secretName -}}
{{- dict "caBundle" (include "tpu-webhook.caBundle" .) | toJson -}}
{{- else if .Values.certificate.caBundle -}}
{{- fail "certificate.caBundle is given without certificate.secretName: the chart's own certificate has its own CA" -}}
{{- else if and (index $data "ca.crt") (index $data "tls.crt") (index $data "tls.key") -}}
{{- dict "caBundle" (index $data "ca.crt") "crt" (index $data "tls.crt") "key" (index $data "tls.key") | toJson -}}
{{- else -}}
{{- $days := 3650 -}}
{{- $host := printf "tpu-webhook.%s.svc" .Release.Namespace -}}
{{- $ca := genCAWithKey "tpu-webhook CA" $days (genPrivateKey "ecdsa") -}}
{{- $leaf := genSignedCertWithKey "tpu-webhook" (list) (list $host (printf "%s.cluster.local" $host)) $days $ca (genPrivateKey "ecdsa") -}}
{{- dict "caBundle" ($ca.Cert | b64enc) "crt" ($leaf.Cert | b64enc) "key" ($leaf.Key | b64enc) | toJson -}}
{{- end -}}
{{- end }}

{{/* certificate.caBundle as base64 of PEM, whichever of the two it was given as. */}}
{{- define "tpu-webhook.caBundle" -}}
{{- $given := .Values.certificate.caBundle -}}
{{- $base64 := contains "-----BEGIN " $given | ternary ($given | b64enc) (regexReplaceAll "\\s" $given "") -}}
{{- if not $given -}}
{{- fail "certificate.caBundle is empty: with certificate.secretName the API server needs the CA to trust" -}}
{{- else if not (contains "-----BEGIN CERTIFICATE-----" ($base64 | b64dec)) -}}
{{- fail "certificate.caBundle contains no certificate: give PEM, or base64 of PEM" -}}
{{- end -}}
{{- $base64 -}}
{{- end }}
