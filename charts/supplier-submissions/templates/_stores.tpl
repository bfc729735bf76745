{{/*
What the release reaches outside, as the rest of the chart sees it: yours, or the throw-away ones. Each is a map in YAML.
*/}}

{{/* Names of what the chart makes up for throw-away stores. */}}
{{- define "sss.throwAwayName" -}}
{{ include "sss.fullname" .root }}-throw-away-{{ .name }}
{{- end -}}

{{/* Host, port, name, and for `runtime` and `migrating` user, secret and key: (dict "root" $ "name" "account") */}}
{{- define "sss.database" -}}
{{- $all := .root.Values.databases -}}
{{- $own := index $all .name -}}
{{- $throwAway := .root.Values.throwAway.enabled -}}
{{- $secret := ternary (include "sss.throwAwayName" (dict "root" .root "name" "postgresql")) $all.existingSecret $throwAway -}}
{{- $host := ternary (printf "%s.%s.svc" (include "sss.throwAwayName" (dict "root" .root "name" "postgresql")) .root.Release.Namespace) ($own.host | default $all.host) $throwAway -}}
host: {{ $host | quote }}
port: {{ ternary 5432 ($own.port | default $all.port) $throwAway | int }}
name: {{ $own.name | default .name }}
{{- range $role, $suffix := dict "runtime" "runtime" "migrating" "" }}
{{- with index $own $role }}
{{ $role }}:
  user: {{ .user | default (compact (list $.name $suffix) | join "_") }}
  secret: {{ ternary $secret (.existingSecret | default $secret) $throwAway | quote }}
  key: {{ .key | default (compact (list $.name $suffix) | join "-") }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "sss.databaseCa" -}}
{{- if .Values.throwAway.enabled -}}
secret: {{ include "sss.throwAwayName" (dict "root" . "name" "ca") }}
key: ca.crt
{{- else -}}
secret: {{ .Values.databases.ca.existingSecret | quote }}
key: {{ .Values.databases.ca.key }}
{{- end -}}
{{- end -}}

{{/* url, secret and key of the credentials of a process, ca: (dict "root" $ "name" "account" "image" "account") */}}
{{- define "sss.nats" -}}
{{- $nats := .root.Values.nats -}}
{{- if .root.Values.throwAway.enabled -}}
url: tls://{{ include "sss.throwAwayName" (dict "root" .root "name" "nats") }}.{{ .root.Release.Namespace }}.svc:4222
secret: {{ include "sss.throwAwayName" (dict "root" .root "name" "nats") }}
key: {{ .image }}
ca: { secret: {{ include "sss.throwAwayName" (dict "root" .root "name" "ca") }}, key: ca.crt }
{{- else -}}
url: {{ $nats.url | quote }}
secret: {{ index $nats.credentials.secrets .image | default $nats.credentials.existingSecret | quote }}
key: {{ index $nats.credentials.keys .image | default .image }}
ca: { secret: {{ $nats.ca.existingSecret | quote }}, key: {{ $nats.ca.key }} }
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "name" "account") */}}
{{- define "sss.keyRing" -}}
{{- $rings := .root.Values.keyRings -}}
{{- $throwAway := .root.Values.throwAway.enabled -}}
secret: {{ ternary (include "sss.throwAwayName" (dict "root" .root "name" "key-rings")) (index $rings.secrets .name | default $rings.existingSecret) $throwAway | quote }}
key: {{ ternary (printf "%s.json" .name) (index $rings.keys .name | default (printf "%s.json" .name)) $throwAway }}
{{- end -}}

{{/* The secret with the certificate of a process, and its keys. */}}
{{- define "sss.certificate" -}}
{{- $tls := .root.Values.tls -}}
{{- $own := ternary (index $tls.secrets .name | default "") "" (eq $tls.mode "secrets") -}}
{{- $prefix := ternary $tls.secretPrefix "" (eq $tls.mode "secrets") | default (include "sss.fullname" .root) -}}
{{- if .root.Values.throwAway.enabled -}}
secret: {{ include "sss.fullname" .root }}-{{ .name }}-tls
keys: { certificate: tls.crt, key: tls.key, ca: ca.crt }
{{- else if eq $tls.mode "cert-manager" -}}
secret: {{ include "sss.fullname" .root }}-{{ .name }}-tls
keys: { certificate: tls.crt, key: tls.key, ca: ca.crt }
{{- else -}}
secret: {{ $own | default (printf "%s-%s" $prefix .name) }}
keys: {{ toJson $tls.keys }}
{{- end -}}
{{- end -}}

{{/* host and port of clamd. */}}
{{- define "sss.clamd" -}}
{{- if and .Values.throwAway.enabled .Values.throwAway.clamd -}}
tcp://{{ include "sss.throwAwayName" (dict "root" . "name" "clamd") }}.{{ .Release.Namespace }}.svc:3310
{{- else -}}
{{ .Values.clamd.address }}
{{- end -}}
{{- end -}}
