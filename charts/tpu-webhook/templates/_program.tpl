{{/* Made from the program; do not edit, and do not translate by hand:
       python3 tests/charts/generate.py --program build/ci/server/kubectl-tpu

     asksForTpu, hasClaims and annotated are what makes a Pod concern the webhook, selectsGpus what does not;
     the argument of all but annotated is where its specification is. is.NAME: the workload table names
     this one, and none before it. */}}

{{- define "tpu-webhook.asksForTpu" -}}
[{{ . }}.containers != null ? {{ . }}.containers : [],
 has({{ . }}.initContainers) ? {{ . }}.initContainers : []].exists(list,
  list.size() > 500 || list.exists(c, has(c.resources) &&
    (has(c.resources.limits) && ('google.com/tpu' in c.resources.limits || 'deviceclass.resource.kubernetes.io/tpu.google.com' in c.resources.limits) ||
     has(c.resources.requests) && ('google.com/tpu' in c.resources.requests || 'deviceclass.resource.kubernetes.io/tpu.google.com' in c.resources.requests))))
{{- end }}

{{- define "tpu-webhook.hasClaims" -}}
(has({{ . }}.resourceClaims) ||
 [{{ . }}.containers != null ? {{ . }}.containers : [],
  has({{ . }}.initContainers) ? {{ . }}.initContainers : []].exists(list,
  list.size() > 50 || list.exists(c, has(c.resources) && has(c.resources.limits) &&
    (c.resources.limits.size() > 20 || c.resources.limits.exists(name, name.startsWith('deviceclass.resource.kubernetes.io/') ||
      name.contains('/') && has({{ . }}.nodeSelector) && 'cloud.google.com/gke-tpu-accelerator' in {{ . }}.nodeSelector)))))
{{- end }}

{{- define "tpu-webhook.selectsGpus" -}}
(has({{ . }}.nodeSelector) &&
  ('cloud.google.com/gke-accelerator' in {{ . }}.nodeSelector ||
   'nvidia.com/gpu.present' in {{ . }}.nodeSelector ||
   'nvidia.com/gpu.product' in {{ . }}.nodeSelector))
{{- end }}

{{- define "tpu-webhook.annotated" -}}
has(object.metadata.annotations) && (object.metadata.annotations.size() > 500 ||
  object.metadata.annotations.exists(key, key.startsWith('{{ include "tpu-webhook.annotationPrefix" . }}/')))
{{- end }}

{{- define "tpu-webhook.is.ray" -}}
[object.metadata.?labels.orValue({})].exists(labels,
(labels[?'ray.io/node-type'].orValue('') == 'worker' &&
labels[?'ray.io/cluster'].orValue('') != '' &&
labels[?'ray.io/group'].orValue('') != ''))
{{- end }}

{{- define "tpu-webhook.is.lws" -}}
[object.metadata.?labels.orValue({})].exists(labels,
!(labels[?'ray.io/node-type'].orValue('') == 'worker' &&
labels[?'ray.io/cluster'].orValue('') != '' &&
labels[?'ray.io/group'].orValue('') != '') &&
(labels[?'leaderworkerset.sigs.k8s.io/name'].orValue('') != ''))
{{- end }}

{{- define "tpu-webhook.is.jobset" -}}
[object.metadata.?labels.orValue({})].exists(labels,
!(labels[?'ray.io/node-type'].orValue('') == 'worker' &&
labels[?'ray.io/cluster'].orValue('') != '' &&
labels[?'ray.io/group'].orValue('') != '') &&
!(labels[?'leaderworkerset.sigs.k8s.io/name'].orValue('') != '') &&
(labels[?'jobset.sigs.k8s.io/jobset-name'].orValue('') != ''))
{{- end }}

{{- define "tpu-webhook.is.job" -}}
[object.metadata.?labels.orValue({})].exists(labels,
[object.metadata.?ownerReferences.orValue([])].exists(owners,
[owners.size() == 0 || owners.size() > 500 ? '' :
 owners.exists(o, o.?controller.orValue(false)) ?
 owners.filter(o, o.?controller.orValue(false))[0].kind : owners[0].kind].exists(owner_kind,
!(labels[?'ray.io/node-type'].orValue('') == 'worker' &&
labels[?'ray.io/cluster'].orValue('') != '' &&
labels[?'ray.io/group'].orValue('') != '') &&
!(labels[?'leaderworkerset.sigs.k8s.io/name'].orValue('') != '') &&
!(labels[?'jobset.sigs.k8s.io/jobset-name'].orValue('') != '') &&
(owner_kind == 'Job' ||
labels[?'batch.kubernetes.io/job-name'].orValue('') != '' ||
labels[?'job-name'].orValue('') != ''))))
{{- end }}

{{- define "tpu-webhook.is.statefulset" -}}
[object.metadata.?labels.orValue({})].exists(labels,
[object.metadata.?ownerReferences.orValue([])].exists(owners,
[owners.size() == 0 || owners.size() > 500 ? '' :
 owners.exists(o, o.?controller.orValue(false)) ?
 owners.filter(o, o.?controller.orValue(false))[0].kind : owners[0].kind].exists(owner_kind,
!(labels[?'ray.io/node-type'].orValue('') == 'worker' &&
labels[?'ray.io/cluster'].orValue('') != '' &&
labels[?'ray.io/group'].orValue('') != '') &&
!(labels[?'leaderworkerset.sigs.k8s.io/name'].orValue('') != '') &&
!(labels[?'jobset.sigs.k8s.io/jobset-name'].orValue('') != '') &&
!(owner_kind == 'Job' ||
labels[?'batch.kubernetes.io/job-name'].orValue('') != '' ||
labels[?'job-name'].orValue('') != '') &&
(owner_kind == 'StatefulSet'))))
{{- end }}

{{- define "tpu-webhook.is.pod" -}}
[object.metadata.?labels.orValue({})].exists(labels,
[object.metadata.?ownerReferences.orValue([])].exists(owners,
[owners.size() == 0 || owners.size() > 500 ? '' :
 owners.exists(o, o.?controller.orValue(false)) ?
 owners.filter(o, o.?controller.orValue(false))[0].kind : owners[0].kind].exists(owner_kind,
!(labels[?'ray.io/node-type'].orValue('') == 'worker' &&
labels[?'ray.io/cluster'].orValue('') != '' &&
labels[?'ray.io/group'].orValue('') != '') &&
!(labels[?'leaderworkerset.sigs.k8s.io/name'].orValue('') != '') &&
!(labels[?'jobset.sigs.k8s.io/jobset-name'].orValue('') != '') &&
!(owner_kind == 'Job' ||
labels[?'batch.kubernetes.io/job-name'].orValue('') != '' ||
labels[?'job-name'].orValue('') != '') &&
!(owner_kind == 'StatefulSet'))))
{{- end }}

{{- define "tpu-webhook.program" -}}
annotationPrefix: tpu-webhook.dev
drain:
  delay: 5s
  timeout: 20s
workloads:
  - name: ray
    entry: ray.pods.tpu-webhook.dev
    key: ray.io/node-type
  - name: lws
    entry: lws.pods.tpu-webhook.dev
    key: leaderworkerset.sigs.k8s.io/name
  - name: jobset
    entry: jobset.pods.tpu-webhook.dev
    key: jobset.sigs.k8s.io/jobset-name
  - name: job
    entry: job.pods.tpu-webhook.dev
  - name: statefulset
    entry: statefulset.pods.tpu-webhook.dev
  - name: pod
    entry: pods.tpu-webhook.dev
objects:
  - workload: ray
    group: ray.io
    versions: [v1, v1alpha1]
    resources: [rayclusters, rayjobs, rayservices]
  - workload: lws
    group: leaderworkerset.x-k8s.io
    versions: [v1]
    resources: [leaderworkersets]
  - workload: jobset
    group: jobset.x-k8s.io
    versions: [v1alpha2]
    resources: [jobsets]
  - workload: job
    group: batch
    versions: [v1]
    resources: [jobs, cronjobs]
  - workload: statefulset
    group: apps
    versions: [v1]
    resources: [statefulsets]
  - workload: pod
    group: apps
    versions: [v1]
    resources: [deployments]
{{- end }}
