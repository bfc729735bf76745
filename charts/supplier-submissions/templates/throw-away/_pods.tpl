{{/* One pod without a volume: (dict "root" $ "name" "nats" "user" 1000 "group" 1000 "pod" "YAML of containers and volumes" "ports" (dict "nats" 4222)) */}}
{{- define "sss.throwAway" -}}
{{- $context := dict "root" .root "name" (printf "throw-away-%s" .name) }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "sss.processName" $context }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "sss.labels" $context | nindent 4 }}
  {{- with include "sss.annotations" (dict "root" .root "own" (dict "supplier-submissions/throw-away" "Everything in it is lost with its pod.")) }}
  {{- . | nindent 2 }}
  {{- end }}
spec:
  replicas: 1
  strategy: { type: Recreate }
  selector:
    matchLabels:
      {{- include "sss.selector" $context | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "sss.selector" $context | nindent 8 }}
        {{- with .root.Values.commonLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with include "sss.podHost" (dict "root" .root "name" $context.name "values" .root.Values.defaults) }}
      {{- . | nindent 6 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: {{ .user }}
        runAsGroup: {{ .group }}
        fsGroup: {{ .group }}
        seccompProfile: { type: RuntimeDefault }
      {{- .pod | nindent 6 }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "sss.processName" $context }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "sss.labels" $context | nindent 4 }}
  {{- with include "sss.annotations" (dict "root" .root) }}
  {{- . | nindent 2 }}
  {{- end }}
spec:
  {{- with include "sss.addressFamilies" .root }}
  {{- . | nindent 2 }}
  {{- end }}
  selector:
    {{- include "sss.selector" $context | nindent 4 }}
  ports:
    {{- range $port, $number := .ports }}
    - { name: {{ $port }}, port: {{ $number }}, targetPort: {{ $number }} }
    {{- end }}
{{- if .root.Values.networkPolicies.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "sss.processName" $context }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "sss.labels" $context | nindent 4 }}
  {{- with include "sss.annotations" (dict "root" .root) }}
  {{- . | nindent 2 }}
  {{- end }}
spec:
  podSelector:
    matchLabels:
      {{- include "sss.selector" $context | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - from: [{ podSelector: { matchLabels: {{ include "sss.releaseSelector" .root | fromYaml | toJson }} } }]
      ports:
        {{- range $port, $number := .ports }}
        - { protocol: TCP, port: {{ $number }} }
        {{- end }}
  {{- if .egress }}
  egress:
    {{- .egress | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}
