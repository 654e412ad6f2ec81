{{/* Groups of rules, for PrometheusRule and for Rules of Google's: an alert for each promise of docs/operations.md and
     docs/threat-model.md. A counter that begins with its first count has no increase() then: one that was not there
     before is taken as it is. tests/e2e/by_label/test_monitors.py makes each true. */}}
{{- define "tpu-webhook.alerts" -}}
{{- $days := int .Values.prometheusRule.certificateDays -}}
- name: tpu-webhook.availability
  rules:
    - alert: TpuWebhookNoReplicaReady
      expr: |-
        absent(tpu_webhook_ready == 1)
      for: 1m
      labels:
        severity: critical
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "No replica is ready, or none can be scraped"
        description: "TPU Pods of enforced workload APIs are refused. kubectl tpu doctor says why."
    {{- if include "tpu-webhook.several" . }}
    - alert: TpuWebhookFewReplicas
      expr: |-
        sum(tpu_webhook_ready) < 2
      for: 15m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "One replica is ready"
        description: "Without it TPU Pods of enforced workload APIs are refused. kubectl -n {{ .Release.Namespace }} get pods,events"
    {{- end }}
    - alert: TpuWebhookReplicaNotReady
      expr: |-
        tpu_webhook_ready == 0
      for: 15m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "Replica {{`{{ $labels.pod }}`}} is not ready"
        description: "GET /readyz of the replica, or its log, says why."
    - alert: TpuWebhookRestarts
      expr: |-
        changes(process_start_time_seconds[1h]) > 2 and on (instance, job) tpu_webhook_ready
      for: 1m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "Replica {{`{{ $labels.pod }}`}} has started more than twice in an hour"
        description: "kubectl logs --previous: a loop that hangs, memory, a setting, or a fault: report it."
    - alert: TpuWebhookCallsFail
      expr: |-
        sum by (name) (increase(apiserver_admission_webhook_rejection_count{name=~".+[.]tpu-webhook[.]dev",name!="ray.pods.tpu-webhook.dev",error_type=~"calling_webhook_error|apiserver_internal_error"}[5m]) > 0 or (apiserver_admission_webhook_rejection_count{name=~".+[.]tpu-webhook[.]dev",name!="ray.pods.tpu-webhook.dev",error_type=~"calling_webhook_error|apiserver_internal_error"} unless apiserver_admission_webhook_rejection_count{name=~".+[.]tpu-webhook[.]dev",name!="ray.pods.tpu-webhook.dev",error_type=~"calling_webhook_error|apiserver_internal_error"} offset 5m) > 0)
      for: 1m
      labels:
        severity: critical
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "The API server refuses what it would send to {{`{{ $labels.name }}`}}"
        description: "It reaches no replica, or none that it trusts: the event of the refused Pod says which. kubectl tpu doctor"
    - alert: TpuWebhookPodsPassUnseen
      expr: |-
        sum by (name) (increase(apiserver_admission_webhook_fail_open_count{name=~".+[.]tpu-webhook[.]dev"}[15m]) > 0 or (apiserver_admission_webhook_fail_open_count{name=~".+[.]tpu-webhook[.]dev"} unless apiserver_admission_webhook_fail_open_count{name=~".+[.]tpu-webhook[.]dev"} offset 15m) > 0)
      for: 5m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "The API server reached nobody for {{`{{ $labels.name }}`}} and went on"
        description: "failurePolicy Ignore: what it would have sent was created unchanged or unchecked. kubectl tpu doctor"
    - alert: TpuWebhookCallsAreSlow
      expr: |-
        histogram_quantile(0.99, sum by (le, name) (rate(apiserver_admission_webhook_admission_duration_seconds_bucket{name=~".+[.]tpu-webhook[.]dev",name!="ray.pods.tpu-webhook.dev"}[5m]))) > 1
      for: 10m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "The API server waits for {{`{{ $labels.name }}`}} for more than a second"
        description: "Of a review the program needs less than a millisecond: look at the network, at the ledger, and at CPU that the replicas do not get."
    - alert: TpuWebhookVersionsDiffer
      expr: |-
        count(count by (version) (tpu_webhook_build_info)) > 1
      for: 1h
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "Replicas of several versions have run for an hour"
        description: "An update has not ended: kubectl -n {{ .Release.Namespace }} rollout status deployment/tpu-webhook"
- name: tpu-webhook.certificate
  rules:
    - alert: TpuWebhookCertificateExpires
      expr: |-
        tpu_webhook_certificate_not_after_timestamp_seconds - time() < {{ $days }} * 86400
      for: 1h
      labels:
        severity: critical
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "The certificate of {{`{{ $labels.pod }}`}} ends in less than {{ $days }} days"
        description: "Its issuer should have renewed it: the keeper (its log says why not), cert-manager, or whoever supplies it."
    - alert: TpuWebhookCertificatesDiffer
      expr: |-
        max(tpu_webhook_certificate_not_after_timestamp_seconds) - min(tpu_webhook_certificate_not_after_timestamp_seconds) > 0
      for: 1h
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "Replicas have served different certificates for an hour"
        description: "One has not read the new one: its log says why (certificate not replaced), or its kubelet has not written it."
    {{- if eq .Values.certificate.mode "internal" }}
    {{- /* The keeper renews when a third of the 90 days has passed (kubectl/certificate/times.hpp); a day later it has not. */}}
    - alert: TpuWebhookCertificateNotRenewed
      expr: |-
        tpu_webhook_certificate_not_after_timestamp_seconds - time() < 59 * 86400
      for: 1h
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "The keeper has not renewed the certificate of {{`{{ $labels.pod }}`}}"
        description: "It has not acted for a third of the certificate's life; two thirds are left. kubectl -n {{ .Release.Namespace }} logs deployment/tpu-webhook-keeper"
    {{- end }}
    - alert: TpuWebhookHandshakesFail
      expr: |-
        rate(tpu_webhook_handshakes_failed_total[5m]) > 0
      for: 5m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "TLS handshakes with {{`{{ $labels.pod }}`}} fail"
        description: "A caller that does not trust the certificate, shows none that is asked for, or is none. kubectl tpu doctor compares caBundle and certificate."
- name: tpu-webhook.reviews
  rules:
    - alert: TpuWebhookReviewFailed
      expr: |-
        sum by (reason) (increase(tpu_webhook_reviews_total{outcome="failed"}[15m]) > 0 or (tpu_webhook_reviews_total{outcome="failed"} unless tpu_webhook_reviews_total{outcome="failed"} offset 15m) > 0)
      for: 0m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "A review ended by a fault of the program ({{`{{ $labels.reason }}`}})"
        description: "The Pod was created unchanged, with a warning. Report it, with the line of the log."
    - alert: TpuWebhookTaskFailed
      expr: |-
        sum by (task) (increase(tpu_webhook_task_failures_total[15m]) > 0 or (tpu_webhook_task_failures_total unless tpu_webhook_task_failures_total offset 15m) > 0)
      for: 0m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "Task {{`{{ $labels.task }}`}} ended by an exception"
        description: "It was started again. Report it, with the line of the log (msg=\"a task failed and is started again\")."
    - alert: TpuWebhookRequestsRefused
      expr: |-
        sum by (status) (increase(tpu_webhook_requests_refused_total{status=~"408|413|503"}[5m]) > 0 or (tpu_webhook_requests_refused_total{status=~"408|413|503"} unless tpu_webhook_requests_refused_total{status=~"408|413|503"} offset 5m) > 0)
      for: 5m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "Requests are refused with {{`{{ $labels.status }}`}} before a review is read"
        description: "503: too many large reviews at once; 413: larger than any object; 408: a body that does not arrive. From the API server each is a failed call."
    - alert: TpuWebhookReviewsAreSlow
      expr: |-
        histogram_quantile(0.99, sum by (le) (rate(tpu_webhook_review_duration_seconds_bucket[5m]))) > 0.005
      for: 10m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "Reviews take more than 5 ms"
        description: "Usually they take less than one: the replicas do not get their CPU, or Pods are very large."
    - alert: TpuWebhookConnectionsFull
      expr: |-
        tpu_webhook_connections / tpu_webhook_connections_limit > 0.9
      for: 5m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "{{`{{ $labels.pod }}`}} has nearly as many connections as it takes"
        description: "Callers that keep it waiting are closed first; whoever has so many is not the API server."
    - alert: TpuWebhookCallersTurnedAway
      expr: |-
        rate(tpu_webhook_connections_closed_for_others_total[5m]) > 1
      for: 5m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "{{`{{ $labels.pod }}`}} closes connections of its {{`{{ $labels.port }}`}} port because callers wait for a place"
        description: "API servers, kubelets and Prometheus need far fewer: find the others with the NetworkPolicy's or the node's connection log."
    - alert: TpuWebhookMemoryAboveBound
      expr: |-
        process_resident_memory_bytes > on (instance, job) group_left sum by (instance, job) (tpu_webhook_memory_bound_bytes)
      for: 5m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "{{`{{ $labels.pod }}`}} has more memory than its limits add up to"
        description: "Beyond 100,000 TPU Pods that is so by the cluster's size: raise resources.limits.memory. Else report it."
- name: tpu-webhook.ledger
  rules:
    - alert: TpuWebhookWatchIsStale
      expr: |-
        tpu_webhook_watch_age_seconds{resource="pods"} > 150
      for: 1m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "{{`{{ $labels.pod }}`}} has received nothing of Pods for 150 s"
        description: "It gives Ray workers without index labels no ids any more. The API server, or the network to it, does not answer."
    - alert: TpuWebhookWatchForbidden
      expr: |-
        tpu_webhook_watch_forbidden == 1
      for: 5m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "{{`{{ $labels.pod }}`}} may not read {{`{{ $labels.resource }}`}}"
        description: "What needs it is off: kubectl tpu rules --rbac prints the rule that is missing."
    - alert: TpuWebhookRayWorkersGetNoIds
      expr: |-
        tpu_webhook_ledger_stalled_seconds > 60
      for: 1m
      labels:
        severity: critical
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "A worker group of Ray has waited for ids for a minute"
        description: "docs/operations.md, \"Ray workers get no ids\", has the causes by the line in the log."
    - alert: TpuWebhookLedgerUnavailable
      expr: |-
        sum (increase(tpu_webhook_ledger_answer_duration_seconds_count{answer="unavailable"}[5m]) > 0 or (tpu_webhook_ledger_answer_duration_seconds_count{answer="unavailable"} unless tpu_webhook_ledger_answer_duration_seconds_count{answer="unavailable"} offset 5m) > 0)
      for: 10m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "Ray workers are told to ask again: the ledger does not answer in time"
        description: "docs/operations.md, \"Ray workers get no ids\", has the causes by the line in the log."
    - alert: TpuWebhookLedgerIsSlow
      expr: |-
        histogram_quantile(0.99, sum by (le) (rate(tpu_webhook_ledger_answer_duration_seconds_bucket{answer!="full"}[5m]))) > 5
      for: 10m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "Ray workers wait for an id for more than 5 s"
        description: "The API server answers late, or more groups ask than 40 requests a second serve."
    - alert: TpuWebhookLedgerWritesFail
      expr: |-
        increase(tpu_webhook_ledger_writes_total{result="failed"}[15m]) > 0
      for: 15m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "{{`{{ $labels.pod }}`}} cannot write the ledger"
        description: "The Role tpu-webhook, or the API server: the log says which (msg=ledger)."
    - alert: TpuWebhookObjectsPassedOver
      expr: |-
        tpu_webhook_watch_passed_over_total > 0
      for: 5m
      labels:
        severity: warning
        {{- with $.Values.prometheusRule.alertLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        summary: "{{`{{ $labels.pod }}`}} has not read {{`{{ $labels.resource }}`}} that are larger than 2 MiB"
        description: "Slices are shown without them, and no place of their worker group is freed."
{{- end }}
