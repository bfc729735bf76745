{{/*
Every process of the release: which image it runs, where its values are, whom it calls, and which database is its own.
Deployments, Services, accounts and policies are made from this table.
*/}}
{{- define "sss.processes" -}}
{{- range $environment, $gateway := .Values.gateways }}
{{- if $gateway.enabled }}
gateway-{{ $environment }}: { image: gateway, environment: {{ $environment }}, calls: [account, submission, document], database: limits }
{{- end }}
{{- end }}
account: { image: account, rpc: true, calls: [], database: account }
submission: { image: submission, rpc: true, calls: [document, webhook], database: submission, eventKeys: [billing, webhook], workAge: sss_work_oldest_due_age_seconds }
document: { image: document, rpc: true, calls: [submission], database: document, stores: true }
scanner: { image: scanner, rpc: true, calls: [], database: document, stores: true, scans: true, workAge: sss_oldest_document_awaiting_scan_age_seconds }
billing: { image: billing, rpc: true, calls: [account, submission], database: billing, eventKeys: [billing] }
webhook: { image: webhook, rpc: true, calls: [account, submission], database: webhook, eventKeys: [webhook], posts: true, workAge: sss_webhook_oldest_due_age_seconds }
{{- /* It calls with the token of the logged-in person. Sessions are in its memory, or in a database for several pods. */}}
{{- if .Values.console.enabled }}
console: { image: console, asStaff: true, calls: [account, submission, document, billing, webhook]{{ if .Values.console.sharedSessions }}, sessions: sessions{{ end }} }
{{- end }}
{{- end -}}

{{/* Every database: whose image migrates it, and in which variable that image expects its address. */}}
{{- define "sss.databases" -}}
{{- range list "account" "submission" "document" "billing" "webhook" }}
{{ . }}: { image: {{ . }}, variable: SSS_DATABASE_URL }
{{- end }}
limits: { image: gateway, variable: SSS_LIMITS_DATABASE_URL }
{{- if and .Values.console.enabled .Values.console.sharedSessions }}
sessions: { image: console, variable: SSS_SESSIONS_DATABASE_URL }
{{- end }}
{{- end -}}

{{/* Services that keep an audit log, each in its database. */}}
{{- define "sss.audited" -}}
[account, submission, document, billing, webhook]
{{- end -}}

{{/* Every key ring: of what seals personal data or tokens, and one for each consumer of authenticated events. */}}
{{- define "sss.sealing" -}}
[account, submission, document, billing, webhook, events-billing, events-webhook{{ if and .Values.console.enabled .Values.console.sharedSessions }}, console{{ end }}]
{{- end -}}

{{/* Ports in a pod; each process has its own address. */}}
{{- define "sss.ports" -}}
{ api: 8080, pages: 8081, uploads: 8082, console: 8083, rpc: 8443, private: 9090 }
{{- end -}}

{{/* The values of a process: `defaults`, and what differs. (dict "root" $ "process" $process) */}}
{{- define "sss.processValues" -}}
{{- $values := deepCopy .root.Values.defaults -}}
{{- include "sss.overlay" (list $values (deepCopy (index .root.Values.processes .process.image))) -}}
{{- with .process.environment -}}
  {{- include "sss.overlay" (list $values (dict "settings" (deepCopy (index $.root.Values.gateways . "settings")))) -}}
{{- end -}}
{{- toYaml $values -}}
{{- end -}}

{{/* (dict "root" $ "name" "account") */}}
{{- define "sss.processName" -}}
{{ include "sss.fullname" .root }}-{{ .name }}
{{- end -}}

{{/* The host of a process's Service, as its certificate names it. */}}
{{- define "sss.serviceHost" -}}
{{ include "sss.processName" . }}.{{ .root.Release.Namespace }}.svc
{{- end -}}
