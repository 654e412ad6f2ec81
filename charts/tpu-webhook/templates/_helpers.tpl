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

{{/* metadata of an object: {root, kind, name}; cluster: true for one without a namespace; labels and
     annotations are added; `selector` replaces the labels of the server's Pods. Of two with one name the chart's own stays, then that of its kind. */}}
{{- define "tpu-webhook.metadata" -}}
{{- $ours := merge (.selector | default "" | fromYaml) (include "tpu-webhook.labels" .root | fromYaml) -}}
name: {{ .name | default "tpu-webhook" }}
{{- if not .cluster }}
namespace: {{ .root.Release.Namespace }}
{{- end }}
labels:
  {{- merge $ours (.labels | default dict) (.root.Values.commonLabels | default dict) | toYaml | nindent 2 }}
{{- $ofKind := get (.root.Values.annotations | default dict) (.kind | default "") | default dict -}}
{{- with merge dict (.annotations | default dict) $ofKind (.root.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "tpu-webhook.image" -}}
{{- if not .Values.image.repository -}}
{{- fail "image.repository is not set: no image is published yet, so build one (scripts/image), push it, and set its name: --set image.repository=REGISTRY/tpu-webhook" -}}
{{- end -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* "true" with two replicas or more, and where somebody else says how many. */}}
{{- define "tpu-webhook.several" -}}
{{- if or (kindIs "invalid" .Values.replicas) (gt (int .Values.replicas) 1) }}true{{ end -}}
{{- end }}

{{- define "tpu-webhook.subjects" -}}
- kind: ServiceAccount
  name: tpu-webhook
  namespace: {{ .Release.Namespace }}
{{- end }}

{{/* Rules of a NetworkPolicy for the API server, wherever it is, and DNS. */}}
{{- define "tpu-webhook.egressToApiServer" -}}
# The API server, wherever it is.
- ports:
    {{- range .Values.networkPolicy.apiServerPorts }}
    - port: {{ int . }}
    {{- end }}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
{{- end }}

{{/* Where a client in a Pod looks for the account's token, CA and namespace, and the volume with them. */}}
{{- define "tpu-webhook.accountMount" -}}
- name: account
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- end }}

{{- define "tpu-webhook.accountVolume" -}}
- name: account
  projected:
    defaultMode: 420
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3600
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - path: namespace
              fieldRef:
                apiVersion: v1
                fieldPath: metadata.namespace
{{- end }}

{{/* The image of kubectl-tpu, {root, image}: beside image.repository unless `image` names another. */}}
{{- define "tpu-webhook.kubectlImage" -}}
{{- $image := .image | default dict -}}
{{- $_ := include "tpu-webhook.image" .root -}}
{{- $beside := regexReplaceAll "[^/]*$" .root.Values.image.repository "kubectl-tpu" -}}
{{- $image.repository | default $beside }}{{ if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .root.Values.image.tag | default .root.Chart.AppVersion }}{{ end -}}
{{- end }}

{{/* The keeper's Pods. None of the labels by which the Service and others find the server's Pods. */}}
{{- define "tpu-webhook.keeperSelector" -}}
app.kubernetes.io/name: tpu-webhook-keeper
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* metadata of the keeper's objects, as tpu-webhook.metadata: {root, kind, cluster}. */}}
{{- define "tpu-webhook.keeperMetadata" -}}
{{- include "tpu-webhook.metadata" (merge (dict "name" "tpu-webhook-keeper" "selector" (include "tpu-webhook.keeperSelector" .root)) .) -}}
{{- end }}
