{{/* Longest part of every name. At most 30 characters, so that a Job's name with it stays within 63; what is longer is cut and told apart by a digest. */}}
{{- define "sss.fullname" -}}
{{- $name := .Values.fullnameOverride -}}
{{- if not $name -}}
  {{- $chart := .Values.nameOverride | default .Chart.Name -}}
  {{- $name = ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) -}}
{{- end -}}
{{- if gt (len $name) 30 -}}
{{- printf "%s-%s" ($name | trunc 24 | trimSuffix "-") ($name | sha256sum | trunc 5) -}}
{{- else -}}
{{- $name -}}
{{- end -}}
{{- end -}}

{{/* The Service that metrics are scraped by, and with it the `job` of every metric. */}}
{{- define "sss.metricsName" -}}
{{ include "sss.fullname" . }}-metrics
{{- end -}}

{{/* What selects all pods of the release. */}}
{{- define "sss.releaseSelector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* What selects the pods of one process: (dict "root" $ "name" "account") */}}
{{- define "sss.selector" -}}
{{ include "sss.releaseSelector" .root }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/* Labels of an object: (dict "root" $ "name" "account" "own" $labels), where its own win over those that all have in common. */}}
{{- define "sss.labels" -}}
{{ include "sss.selector" . }}
app.kubernetes.io/part-of: {{ .root.Chart.Name }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with merge dict (.own | default dict) .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Annotations of an object with their key, or nothing: (dict "root" $ "own" $annotations), where its own win. */}}
{{- define "sss.annotations" -}}
{{- with merge dict (.own | default dict) .root.Values.commonAnnotations -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "image" "account") */}}
{{- define "sss.image" -}}
{{- $image := .root.Values.image -}}
{{- $path := printf "%s/%s-%s" (include "sss.globalRegistry" .root | default $image.registry) $image.repository .image -}}
{{- with get ($image.digests | default dict) .image -}}
{{ $path }}@{{ . }}
{{- else -}}
{{ $path }}:{{ $image.tag | default $.root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The registry that a parent chart names for all images; nothing where it names none. */}}
{{- define "sss.globalRegistry" -}}
{{- (.Values.global | default dict).imageRegistry | default "" -}}
{{- end -}}

{{/* The image of a throw-away store, HOST/PATH: from the registry for all images, where there is one. (dict "root" $ "image" "docker.io/library/nats:2") */}}
{{- define "sss.storeImage" -}}
{{- $registry := include "sss.globalRegistry" .root -}}
{{- if $registry -}}
{{ $registry }}/{{ .image | splitList "/" | rest | join "/" }}
{{- else -}}
{{ .image }}
{{- end -}}
{{- end -}}

{{/* A value as the text of a variable. Numbers of YAML are floating here, and large ones would be written as 2.6e+07. */}}
{{- define "sss.text" -}}
{{- if kindIs "float64" . -}}
{{- printf "%.0f" . -}}
{{- else if kindIs "slice" . -}}
{{- join "," . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{/* Lays the second map over the first, in place; what is false or empty counts, too. */}}
{{- define "sss.overlay" -}}
{{- $under := index . 0 -}}
{{- range $key, $value := index . 1 -}}
  {{- if and (kindIs "map" $value) (kindIs "map" (index $under $key)) -}}
    {{- include "sss.overlay" (list (index $under $key) $value) -}}
  {{- else -}}
    {{- $_ := set $under $key $value -}}
  {{- end -}}
{{- end -}}
{{- end -}}
