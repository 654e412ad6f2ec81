{{/* The entries of the configuration for Pods, by the modes of config, as rules::entries() of the program
     (kubectl/reference/rules/entries.cpp) has them; tests/charts compares all that modes can be.

     A YAML list of {name, condition, mode, present, absent, of, not, also}: mode is "" where no Pod
     reaches it; present and absent are keys of labels. Of Pods that ask for TPUs it takes those of the
     workload APIs `of`, or where that is empty all but those of `not`; `also` says which others. */}}
{{- define "tpu-webhook.entries" -}}
{{- $workloads := (include "tpu-webhook.program" . | fromYaml).workloads -}}
{{- $handled := include "tpu-webhook.handled" . | fromYamlArray -}}
{{- $modes := dict -}}
{{- $most := "" -}}{{/* of the last workload API that is handled */}}
{{- range $workloads -}}
{{- if has .name $handled -}}
{{- $most = include "tpu-webhook.mode" (dict "root" $ "workload" .name) -}}
{{- $_ := set $modes .name $most -}}
{{- end -}}
{{- end -}}
{{- $withoutKey := list -}}
{{- $others := list -}}
{{- $unkeyedOthers := list -}}
{{- range $workloads -}}
{{- $mode := get $modes .name -}}
{{- if and $mode (ne $mode $most) -}}
{{- if .key }}{{ $others = append $others .name }}{{ else }}{{ $unkeyedOthers = append $unkeyedOthers .name }}{{ end -}}
{{- else if and $mode (not .key) -}}
{{- $withoutKey = append $withoutKey .name -}}
{{- end -}}
{{- end -}}
{{- /* Where claims are read and modes differ, whoever asks by claim is where whoever asks for TPUs is. Where they are not
       read, nobody has to wait for Pods with claims alone, which are never changed. */}}
{{- $reads := .Values.config.claims | default false -}}
{{- $claimsAsk := and $reads (not (and (empty $others) (empty $unkeyedOthers))) -}}
{{- $claimsInMost := and (eq $most "shadow") (not $claimsAsk) -}}
{{- $claimsInOthers := and (ne $most "shadow") (not (empty $unkeyedOthers)) (not $claimsAsk) -}}
{{- $annotated := hasKey $modes (last $workloads).name -}}
{{- $also := list -}}
{{- if $claimsInMost }}{{ $also = append $also "claims" }}{{ end -}}
{{- if $annotated }}{{ $also = append $also ($claimsInMost | ternary "annotated" "annotatedAlone") }}{{ end -}}
{{- $ofMost := dict "mode" $most "claimsAsk" $claimsAsk "not" (concat $others $unkeyedOthers) "also" $also -}}
{{- $before := list -}}
{{- $entries := list -}}
{{- range $workloads -}}
{{- $mode := get $modes .name -}}
{{- $entry := dict "name" .entry "condition" .name -}}
{{- if eq .name (last $workloads).name -}}
{{- $_ := merge $entry (dict "absent" $before) $ofMost -}}
{{- if and (empty $withoutKey) (not (and $claimsInMost (not (empty $others)))) }}{{ $_ := set $entry "mode" "" }}{{ end -}}
{{- else if and .key $mode (eq $mode $most) -}}
{{- $_ := merge $entry (dict "present" (list .key) "absent" $before) $ofMost -}}
{{- $before = append $before .key -}}
{{- else if and .key $mode -}}
{{- $_ := merge $entry (dict "present" (list .key) "mode" $mode "claimsAsk" $claimsAsk "of" (list .name)) -}}
{{- else if and $mode (eq .name (first $unkeyedOthers | default "")) -}}
{{- $_ := merge $entry (dict "mode" $mode "claimsAsk" $claimsAsk "of" $unkeyedOthers "also" ($claimsInOthers | ternary (list "claims") list)) -}}
{{- else -}}
{{- $_ := merge $entry (dict "mode" "" "of" (list .name)) -}}
{{- end -}}
{{- $entries = append $entries $entry -}}
{{- end -}}
{{- $claims := or $claimsInMost $claimsInOthers $claimsAsk | ternary "" ($reads | ternary $most "shadow") -}}
{{- append $entries (dict "name" "claims.pods.tpu-webhook.dev" "condition" "resource-claims" "mode" $claims "claimsAlone" true "reads" $reads) | toYaml }}
{{- end }}

{{/* Condition of one of them, {root, entry}. The parts are in _program.tpl. */}}
{{- define "tpu-webhook.condition" -}}
{{- $asks := include "tpu-webhook.asksForTpu" "object.spec" -}}
{{- $hasClaims := include "tpu-webhook.hasClaims" "object.spec" -}}
{{- $selectsGpus := include "tpu-webhook.selectsGpus" "object.spec" -}}
{{- $annotated := include "tpu-webhook.annotated" .root -}}
{{- $parts := dict "claims" $hasClaims "annotated" $annotated "annotatedAlone" (printf "!%s &&\n%s" $hasClaims $annotated) -}}
{{- if .entry.claimsAsk }}{{ $asks = printf "(%s ||\n%s && !%s)" $asks $hasClaims $selectsGpus }}{{ end -}}
{{- $also := list -}}
{{- range .entry.also }}{{ $also = append $also (get $parts .) }}{{ end -}}
{{- $also = join " ||\n" $also -}}
{{- $which := list -}}
{{- range .entry.of }}{{ $which = append $which (include (printf "tpu-webhook.is.%s" .) $) }}{{ end -}}
{{- range .entry.not }}{{ $which = append $which (printf "!%s" (include (printf "tpu-webhook.is.%s" .) $)) }}{{ end -}}
{{- if .entry.claimsAlone -}}
{{- $which = .entry.reads | ternary (printf "%s &&\n!%s" $hasClaims $selectsGpus) $hasClaims -}}
{{- include "tpu-webhook.unlessLeftOut" (dict "root" .root "condition" (printf "%s &&\n!%s" $which $asks)) -}}
{{- else if and .entry.of (not .entry.also) -}}
{{- $any := join " ||\n" $which -}}
{{- printf "%s &&\n%s" $asks (gt (len $which) 1 | ternary (printf "(%s)" $any) $any) -}}
{{- else if and $which $also -}}
{{- include "tpu-webhook.unlessLeftOut" (dict "root" .root "condition" (printf "%s ?\n%s :\n%s" $asks (join (.entry.of | empty | ternary " &&\n" " ||\n") $which) $also)) -}}
{{- else if $which -}}
{{- include "tpu-webhook.unlessLeftOut" (dict "root" .root "condition" (printf "%s &&\n%s" $asks (join " &&\n" $which))) -}}
{{- else if $also -}}
{{- include "tpu-webhook.unlessLeftOut" (dict "root" .root "condition" (printf "%s ||\n%s" $asks $also)) -}}
{{- else -}}
{{- include "tpu-webhook.unlessLeftOut" (dict "root" .root "condition" $asks) -}}
{{- end -}}
{{- end }}

{{/* Of the entry of shadow namespaces: all of them together. */}}
{{- define "tpu-webhook.anyCondition" -}}
{{- include "tpu-webhook.condition" (dict "root" . "entry" (dict "also" (list "claims" "annotated"))) -}}
{{- end }}

{{/* {root, condition}, but for Pods of workload APIs that are not handled. */}}
{{- define "tpu-webhook.unlessLeftOut" -}}
{{- $names := include "tpu-webhook.leftOut" .root | fromYamlArray -}}
{{- if $names -}}
({{ .condition }})
{{- range $names }} &&
!{{ include (printf "tpu-webhook.is.%s" .) $ }}
{{- end }}
{{- else -}}
{{ .condition }}
{{- end -}}
{{- end }}
