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
[object.spec.containers != null ? object.spec.containers : [],
 has(object.spec.initContainers) ? object.spec.initContainers : []].exists(list,
  list.size() > 500 || list.exists(c, has(c.resources) &&
    (has(c.resources.limits) && 'google.com/tpu' in c.resources.limits ||
     has(c.resources.requests) && 'google.com/tpu' in c.resources.requests))) ||
has(object.spec.resourceClaims) ||
has(object.metadata.annotations) && (object.metadata.annotations.size() > 500 ||
  object.metadata.annotations.exists(key, key.startsWith('{{ .Values.annotationPrefix }}/')))
{{- end }}

{{/* Namespaces that are never looked at: of kube-system the cluster itself depends, and in its
     own the webhook would have to be there for its Pods to be created. */}}
{{- define "tpu-webhook.excluded" -}}
- key: kubernetes.io/metadata.name
  operator: NotIn
  values:
    {{- concat (list "kube-system" .Release.Namespace) .Values.namespaces.exclude | uniq | toYaml | nindent 4 }}
{{- end }}
