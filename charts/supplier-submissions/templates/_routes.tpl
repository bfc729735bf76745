{{/* What the public reaches by which host: a list of {name, at, host, service, port, tlsSecret, annotations}, and what differs of {className, parentRefs}; `at` is where its values are. (dict "root" $ "routes" .Values.ingress) */}}
{{- define "sss.routes" -}}
{{- $ports := include "sss.ports" . | fromYaml -}}
{{- range $name, $process := include "sss.processes" .root | fromYaml }}
{{- with $process.environment }}
{{- $hosts := index $.routes . }}
{{- $service := include "sss.processName" (dict "root" $.root "name" $name) }}
- { name: {{ $service }}-api, component: {{ $name }}, at: {{ . }}.apiHost, host: {{ $hosts.apiHost | quote }}, service: {{ $service }}, port: 80, tlsSecret: {{ $hosts.tlsSecret | default "" | quote }}, annotations: {{ merge dict ($hosts.apiAnnotations | default dict) ($hosts.annotations | default dict) $.routes.annotations | toJson }} }
- { name: {{ $service }}-pages, component: {{ $name }}, at: {{ . }}.pagesHost, host: {{ $hosts.pagesHost | quote }}, service: {{ $service }}, port: {{ int $ports.pages }}, tlsSecret: {{ $hosts.tlsSecret | default "" | quote }}, annotations: {{ merge dict ($hosts.pagesAnnotations | default dict) ($hosts.annotations | default dict) $.routes.annotations | toJson }} }
{{- end }}
{{- end }}
{{- /* Of its own, or none: staff may come another way than the public. */}}
{{- if and .root.Values.console.enabled .routes.console.host }}
{{- $service := include "sss.processName" (dict "root" .root "name" "console") }}
- { name: {{ $service }}, component: console, at: console.host, host: {{ .routes.console.host | quote }}, service: {{ $service }}, port: 80, className: {{ .routes.console.className | default "" | quote }}, parentRefs: {{ .routes.console.parentRefs | default list | toJson }}, tlsSecret: {{ .routes.console.tlsSecret | default "" | quote }}, annotations: {{ merge dict (.routes.console.annotations | default dict) .routes.annotations | toJson }} }
{{- end }}
{{- end -}}

{{/* Hosts of RPC: a list of {name, component, host}. */}}
{{- define "sss.rpcRoutes" -}}
{{- range $service, $host := .Values.rpcRoutes.hosts }}
- { name: {{ include "sss.processName" (dict "root" $ "name" $service) }}, component: {{ $service }}, host: {{ $host | quote }} }
{{- end }}
{{- end -}}
