{{/* What all entries of the configuration for Pods say; {root, name, policy, timeout, path,
     caBundle, namespaces, ofNobody, keys of labels that are present and absent, condition, expression}. */}}
{{- define "tpu-webhook.webhook" -}}
- name: {{ .name }}
  failurePolicy: {{ .policy }}
  timeoutSeconds: {{ .timeout }}
  clientConfig:
    {{- include "tpu-webhook.client" . | nindent 4 }}
  namespaceSelector:
    {{- .namespaces | nindent 4 }}
  {{- if .ofNobody }}
  # Of no Pod with these values: another entry has its Pods, or config.workloads leaves them out. It is
  # here all the same, so that it has its caBundle when an upgrade or a rollback needs it.
  objectSelector:
    matchExpressions:
      - key: tpu-webhook.dev/left-out
        operator: Exists
      - key: tpu-webhook.dev/left-out
        operator: DoesNotExist
  {{- else if or .present .absent }}
  # Which of the entries a Pod reaches; spares the API server the conditions of the others.
  objectSelector:
    matchExpressions:
      {{- range .present }}
      - key: {{ . }}
        operator: Exists
      {{- end }}
      {{- range .absent }}
      - key: {{ . }}
        operator: DoesNotExist
      {{- end }}
  {{- end }}
  rules:
    - apiGroups: [""]
      apiVersions: [v1]
      operations: [CREATE]
      resources: [pods]
      scope: Namespaced
  matchPolicy: Equivalent
  admissionReviewVersions: [v1]
  sideEffects: NoneOnDryRun
  # Again, when a webhook after this one changed what was read here.
  reinvocationPolicy: IfNeeded
  matchConditions:
    - name: {{ .condition }}
      expression: |-
        {{- .expression | nindent 8 }}
{{- end }}

{{/* {root, path, caBundle} */}}
{{- define "tpu-webhook.client" -}}
service:
  name: tpu-webhook
  namespace: {{ .root.Release.Namespace }}
  path: {{ .path }}
  port: 443
{{- with .caBundle }}
{{ . }}
{{- end }}
{{- end }}

{{/* What both entries of the configuration for workload objects say. Ignore: a Pod of what was
     not checked is still looked at. 2 s: the answer takes less than a millisecond. */}}
{{- define "tpu-webhook.validation" -}}
failurePolicy: Ignore
timeoutSeconds: 2
rules:
  {{- include "tpu-webhook.validationRules" . | trim | nindent 2 }}
matchPolicy: Equivalent
admissionReviewVersions: [v1]
sideEffects: None
# One, since an API server evaluates each to its end: those that most objects fail come first. Status
# and finalizers are written often, and change nothing here; most Jobs and servers have nothing to do
# with TPUs, and of the other kinds there are few.
matchConditions:
  - name: new-or-changed-and-of-tpus
    expression: |-
      (!(request.kind.kind in ['Job', 'CronJob', 'Deployment', 'StatefulSet']) ||
      (request.kind.kind == 'CronJob' ?
      {{- include "tpu-webhook.templateConcernsUs" "object.spec.jobTemplate.spec.template.spec" | nindent 6 }} :
      {{- include "tpu-webhook.templateConcernsUs" "object.spec.template.spec" | nindent 6 }})) &&
      (request.operation == 'CREATE' || object.spec != oldObject.spec)
{{- end }}

{{/* The argument: where the Pod's specification is. */}}
{{- define "tpu-webhook.templateConcernsUs" -}}
({{ include "tpu-webhook.asksForTpu" . }} ||
{{ include "tpu-webhook.hasClaims" . }})
{{- end }}

{{- define "tpu-webhook.validationRules" -}}
{{- $handled := include "tpu-webhook.handled" . | fromYamlArray }}
{{- range (include "tpu-webhook.program" . | fromYaml).objects }}
{{- if has .workload $handled }}
- apiGroups: [{{ .group }}]
  apiVersions: [{{ join ", " .versions }}]
  operations: [CREATE, UPDATE]
  resources: [{{ join ", " .resources }}]
  scope: Namespaced
{{- end }}
{{- end }}
{{- end }}

{{/* Namespaces of an entry that does what it says, and of one that only watches. */}}
{{- define "tpu-webhook.namespaces" -}}
{{- $optIn := .Values.namespaces.optIn -}}
{{- $shadow := .Values.shadowNamespaces -}}
{{- if and $optIn.enabled (eq $optIn.label $shadow.label) (eq $optIn.value $shadow.value) -}}
{{- fail (printf "namespaces.optIn.value is shadowNamespaces.value, \"%s\": every namespace with that label would be in shadow mode, and no other would be handled; set another value" $optIn.value) -}}
{{- end -}}
matchExpressions:
  {{- include "tpu-webhook.excluded" . | nindent 2 }}
  {{- if .Values.shadowNamespaces.label }}
  - key: {{ .Values.shadowNamespaces.label }}
    operator: NotIn
    values: [{{ .Values.shadowNamespaces.value | quote }}]
  {{- end }}
  {{- with .Values.namespaces.optIn }}
  {{- if .enabled }}
  - key: {{ .label }}
    operator: In
    values: [{{ .value | quote }}]
  {{- end }}
  {{- end }}
  {{- with .Values.namespaces.selector.matchExpressions }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.namespaces.selector.matchLabels }}
matchLabels:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "tpu-webhook.watchedNamespaces" -}}
matchExpressions:
  {{- include "tpu-webhook.excluded" . | nindent 2 }}
  - key: {{ .Values.shadowNamespaces.label }}
    operator: In
    values: [{{ .Values.shadowNamespaces.value | quote }}]
{{- end }}

{{/* Namespaces that are never looked at: of kube-system the cluster itself depends, and in its
     own the webhook would have to be there for its Pods to be created. kube-node-lease has no Pods;
     GKE advises to leave out both.
     source: cloud.google.com/kubernetes-engine/docs/how-to/optimize-webhooks (read 2026-11) */}}
{{- define "tpu-webhook.excluded" -}}
- key: kubernetes.io/metadata.name
  operator: NotIn
  values:
    {{- concat (list "kube-system" "kube-node-lease" .Release.Namespace) (.Values.namespaces.exclude | default list) | uniq | toYaml | nindent 4 }}
{{- end }}

{{/* What cert-manager is told, where it writes caBundle. */}}
{{- define "tpu-webhook.injection" -}}
{{- if eq .Values.certificate.mode "cert-manager" -}}
cert-manager.io/inject-ca-from: {{ .Release.Namespace }}/tpu-webhook
{{- end -}}
{{- end }}
