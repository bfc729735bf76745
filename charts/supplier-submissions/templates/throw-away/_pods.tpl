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
  annotations:
    supplier-submissions/throw-away: Everything in it is lost with its pod.
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
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
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
spec:
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
