{{/* What the public reaches by which host: a list of {name, host, service, port, tlsSecret}. (dict "root" $ "routes" .Values.ingress) */}}
{{- define "sss.routes" -}}
{{- $ports := include "sss.ports" . | fromYaml -}}
{{- range $name, $process := include "sss.processes" .root | fromYaml }}
{{- with $process.environment }}
{{- $hosts := index $.routes . }}
{{- $service := include "sss.processName" (dict "root" $.root "name" $name) }}
- { name: {{ $service }}-api, component: {{ $name }}, host: {{ $hosts.apiHost | quote }}, service: {{ $service }}, port: 80, tlsSecret: {{ $hosts.tlsSecret | default "" | quote }} }
- { name: {{ $service }}-pages, component: {{ $name }}, host: {{ $hosts.pagesHost | quote }}, service: {{ $service }}, port: {{ int $ports.pages }}, tlsSecret: {{ $hosts.tlsSecret | default "" | quote }} }
{{- end }}
{{- end }}
{{- if eq .root.Values.documents.store "disk" }}
{{- $service := include "sss.processName" (dict "root" .root "name" "document") }}
- { name: {{ $service }}-uploads, component: document, host: {{ .routes.uploads.host | quote }}, service: {{ $service }}, port: {{ int $ports.uploads }}, tlsSecret: {{ .routes.uploads.tlsSecret | default "" | quote }} }
{{- end }}
{{- end -}}
