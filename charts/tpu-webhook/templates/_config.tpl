{{/* The program's configuration file: `config`, and what other objects of the chart rely on, which
     values.schema.json keeps out of `config`. */}}
{{- define "tpu-webhook.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- if .Values.teamRules -}}
{{- fail "teamRules is set, but the server judges no rules: remove the value, write the rules to a file, and apply the policies that the API server evaluates: kubectl tpu policy --team-rules rules.yaml | kubectl apply -f -" -}}
{{- end -}}
{{- $_ := set $config "mode" (include "tpu-webhook.ownMode" .) -}}
{{- $_ := set $config "listen" (printf ":%d" (int .Values.port)) -}}
{{- $_ := set $config "healthListen" ":8081" -}}
{{- $_ := set $config "metricsListen" (printf ":%s" (include "tpu-webhook.metricsPort" .)) -}}
{{- if .Values.metrics.from -}}
{{- $_ := set $config "healthMetrics" false -}}
{{- end -}}
{{- $_ := set $config "tls" (dict "cert" "/certificate/tls.crt" "key" "/certificate/tls.key") -}}
{{- toPrettyJson $config }}
{{- end }}

{{/* Where metrics are served. Beside the probes, at a port that everybody reaches, they are served too
     unless metrics.from says who may read them. */}}
{{- define "tpu-webhook.metricsPort" -}}
{{- if eq (int .Values.metrics.port) (int .Values.port) -}}
{{- fail (printf "metrics.port is port, %d: set another for one of them" (int .Values.port)) -}}
{{- end -}}
{{ int .Values.metrics.port }}
{{- end }}

{{/* The features that read the cluster, as the names of their settings in a YAML list: as
     features_of() in server/kube/cluster/features.cpp has them. */}}
{{- define "tpu-webhook.features" -}}
{{- $config := .Values.config -}}
{{- $handled := include "tpu-webhook.handled" . | fromYamlArray -}}
{{- $hint := and (include "tpu-webhook.isOn" (dict "root" . "key" "placement")) (include "tpu-webhook.isOn" (dict "root" . "key" "placementHint")) -}}
{{- $names := list -}}
{{- if and (has "ray" $handled) (not (has $config.ledger (list "memory" "none"))) }}{{ $names = append $names "ledger" }}{{ end -}}
{{- if $hint }}{{ $names = append $names "placementHint" }}{{ end -}}
{{- if and (has "jobset" $handled) (ne "false" ($config.followers | toString)) }}{{ $names = append $names "followers" }}{{ end -}}
{{- if $config.claims }}{{ $names = append $names "claims" }}{{ end -}}
{{- toYaml $names }}
{{- end }}

{{/* "true" if a setting that is on by default is on, {root, key}: for all, or for a workload API or a
     namespace. */}}
{{- define "tpu-webhook.isOn" -}}
{{- $config := .root.Values.config -}}
{{- $on := ne "false" (get $config .key | toString) -}}
{{- range list "perWorkload" "perNamespace" }}
{{- range get $config . | default dict }}{{ $on = or $on (eq "true" (get (. | default dict) $.key | toString)) }}{{ end }}
{{- end -}}
{{- if $on }}true{{ end -}}
{{- end }}

{{/* "true" if the program calls the API server. */}}
{{- define "tpu-webhook.asksApiServer" -}}
{{- if include "tpu-webhook.features" . | fromYamlArray }}true{{ end -}}
{{- end }}

{{/* Names of the workload APIs that are handled, and of those that are not, as a YAML list. */}}
{{- define "tpu-webhook.handled" -}}
{{- $names := list -}}
{{- range (include "tpu-webhook.program" . | fromYaml).workloads }}{{ $names = append $names .name }}{{ end -}}
{{- .Values.config.workloads | default $names | toYaml }}
{{- end }}

{{- define "tpu-webhook.leftOut" -}}
{{- $handled := include "tpu-webhook.handled" . | fromYamlArray -}}
{{- $names := list -}}
{{- range (include "tpu-webhook.program" . | fromYaml).workloads }}
{{- if not (has .name $handled) }}{{ $names = append $names .name }}{{ end -}}
{{- end -}}
{{- toYaml $names }}
{{- end }}

{{/* "shadow" or "enforce": that of all workload APIs that have none of their own. */}}
{{- define "tpu-webhook.ownMode" -}}
{{ .Values.config.mode | default "shadow" }}
{{- end }}

{{/* "shadow" or "enforce": the mode of a workload API, {root, workload}. */}}
{{- define "tpu-webhook.mode" -}}
{{- $config := .root.Values.config -}}
{{- $own := (get ($config.perWorkload | default dict) .workload | default dict).mode | default "" -}}
{{ $own | default (include "tpu-webhook.ownMode" .root) }}
{{- end }}

{{/* The workload APIs whose Pods are changed, as a YAML list of names. */}}
{{- define "tpu-webhook.enforced" -}}
{{- $names := list -}}
{{- range include "tpu-webhook.handled" . | fromYamlArray }}
{{- if eq (include "tpu-webhook.mode" (dict "root" $ "workload" .)) "enforce" }}{{ $names = append $names . }}{{ end -}}
{{- end -}}
{{- toYaml $names }}
{{- end }}

{{- define "tpu-webhook.annotationPrefix" -}}
{{ .Values.config.annotationPrefix | default (include "tpu-webhook.program" . | fromYaml).annotationPrefix }}
{{- end }}

{{/* config.drain.delay, config.drain.timeout and 5 s for the kubelet, in whole seconds. */}}
{{- define "tpu-webhook.gracePeriod" -}}
{{- $units := dict "ns" 0.000000001 "us" 0.000001 "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 -}}
{{- $sum := 5.0 -}}
{{- $drain := merge (deepCopy (.Values.config.drain | default dict)) (include "tpu-webhook.program" . | fromYaml).drain -}}
{{- range list $drain.delay $drain.timeout }}
{{- range regexFindAll "[0-9.]+[a-z]+" . -1 }}
{{- $sum = addf $sum (mulf (regexFind "[0-9.]+" . | float64) (get $units (regexFind "[a-z]+" .))) -}}
{{- end -}}
{{- end -}}
{{- ceil $sum -}}
{{- end }}
