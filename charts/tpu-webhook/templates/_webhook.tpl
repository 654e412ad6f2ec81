{{/* What both entries of the configuration say. */}}
{{- define "tpu-webhook.webhook" -}}
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
  - name: tpu-resource-claim-or-annotation
    expression: |-
      {{- include "tpu-webhook.condition" . | nindent 6 }}
{{- end }}

{{/* True for Pods that concern the webhook. An error in it would refuse a Pod, so every field
     that may be absent is guarded. The API server leaves out what is empty, but containers,
     which it sends as null; such a Pod is refused later with a better sentence.

     No loop is longer than 500: the API server's cost accounting makes one of n turns take n²
     time (cel-go 0.26, 20,000 annotations: 1.4 s). Such a Pod is sent, and read in less. */}}
{{- define "tpu-webhook.condition" -}}
{{ include "tpu-webhook.asksForTpu" "object.spec" }} ||
has(object.metadata.annotations) && (object.metadata.annotations.size() > 500 ||
  object.metadata.annotations.exists(key, key.startsWith('{{ .Values.annotationPrefix }}/')))
{{- end }}

{{/* The part of it that is about a Pod's specification; the argument says where that is. */}}
{{- define "tpu-webhook.asksForTpu" -}}
[{{ . }}.containers != null ? {{ . }}.containers : [],
 has({{ . }}.initContainers) ? {{ . }}.initContainers : []].exists(list,
  list.size() > 500 || list.exists(c, has(c.resources) &&
    (has(c.resources.limits) && 'google.com/tpu' in c.resources.limits ||
     has(c.resources.requests) && 'google.com/tpu' in c.resources.requests))) ||
has({{ . }}.resourceClaims)
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
matchConditions:
  # Status and finalizers are written often, and change nothing here.
  - name: new-or-changed
    expression: |-
      request.operation == 'CREATE' || object.spec != oldObject.spec
  - name: not-being-deleted
    expression: |-
      !has(object.metadata.deletionTimestamp)
  # Most Jobs have nothing to do with TPUs; of the other kinds there are few.
  - name: no-job-without-tpu
    expression: |-
      request.kind.kind != 'Job' ||
      {{- include "tpu-webhook.asksForTpu" "object.spec.template.spec" | nindent 6 }}
{{- end }}

{{- define "tpu-webhook.validationRules" -}}
{{- $all := list
  (list "ray" "ray.io" (list "v1" "v1alpha1") (list "rayclusters" "rayjobs" "rayservices"))
  (list "jobset" "jobset.x-k8s.io" (list "v1alpha2") (list "jobsets"))
  (list "job" "batch" (list "v1") (list "jobs"))
  (list "lws" "leaderworkerset.x-k8s.io" (list "v1") (list "leaderworkersets")) }}
{{- range $rule := $all }}
{{- if or (not $.Values.workloads) (has (index $rule 0) $.Values.workloads) }}
- apiGroups: [{{ index $rule 1 }}]
  apiVersions: [{{ join ", " (index $rule 2) }}]
  operations: [CREATE, UPDATE]
  resources: [{{ join ", " (index $rule 3) }}]
  scope: Namespaced
{{- end }}
{{- end }}
{{- end }}

{{/* Namespaces of an entry that does what it says, and of one that only watches. */}}
{{- define "tpu-webhook.namespaces" -}}
matchExpressions:
  {{- include "tpu-webhook.excluded" . | nindent 2 }}
  {{- if .Values.shadowNamespaces.label }}
  - key: {{ .Values.shadowNamespaces.label }}
    operator: NotIn
    values: [{{ .Values.shadowNamespaces.value | quote }}]
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
     own the webhook would have to be there for its Pods to be created. */}}
{{- define "tpu-webhook.excluded" -}}
- key: kubernetes.io/metadata.name
  operator: NotIn
  values:
    {{- concat (list "kube-system" .Release.Namespace) .Values.namespaces.exclude | uniq | toYaml | nindent 4 }}
{{- end }}
