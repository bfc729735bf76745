{{/* The variables of a process: (dict "root" $ "name" $name "process" $process "values" $values) */}}
{{- define "sss.environment" -}}
{{- $root := .root -}}
{{- $ports := include "sss.ports" . | fromYaml -}}
- { name: SSS_HOST, value: {{ $root.Values.listenAddress | quote }} }
- { name: SSS_LOG_LEVEL, value: {{ $root.Values.logLevel | quote }} }
{{- with $root.Values.tracing }}
{{- if .endpoint }}
- { name: OTEL_TRACES_EXPORTER, value: otlp }
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .endpoint | quote }} }
- { name: OTEL_TRACES_SAMPLER, value: parentbased_traceidratio }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ .samplerRatio | quote }} }
{{- if .headers.existingSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom: { secretKeyRef: { name: {{ .headers.existingSecret | quote }}, key: {{ .headers.key | quote }} } }
{{- end }}
{{- end }}
{{- end }}
- { name: SSS_PRIVATE_PORT, value: {{ $ports.private | quote }} }
- { name: SSS_TLS_CERTIFICATE_FILE, value: /etc/supplier-submissions/tls/tls.crt }
- { name: SSS_TLS_KEY_FILE, value: /etc/supplier-submissions/tls/tls.key }
- { name: SSS_TLS_CA_FILE, value: /etc/supplier-submissions/tls/ca.crt }
{{- if .process.database }}
{{- $nats := include "sss.nats" (dict "root" $root "name" .name "image" .process.image) | fromYaml }}
- { name: SSS_SERVICE_TOKEN_DIR, value: /var/run/secrets/supplier-submissions/tokens }
{{ include "sss.natsEnvironment" (dict "root" $root "nats" $nats) }}
{{- end }}
{{- range .process.calls }}
- { name: SSS_{{ upper . }}_URL, value: {{ printf "https://%s:%d" (include "sss.serviceHost" (dict "root" $root "name" .)) (int $ports.rpc) | quote }} }
{{- end }}
{{- if .process.rpc }}
{{ include "sss.serviceEnvironment" . }}
{{- else if .process.asStaff }}
{{ include "sss.consoleEnvironment" . }}
{{- else }}
{{ include "sss.gatewayEnvironment" . }}
{{- end }}
{{- if .process.stores }}
{{ include "sss.storeEnvironment" (dict "root" $root "name" .name) }}
{{- end }}
{{- range $setting, $value := .values.settings }}
- { name: SSS_{{ $setting | snakecase | upper }}, value: {{ include "sss.text" $value | quote }} }
{{- end }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "nats" $nats) */}}
{{- define "sss.natsEnvironment" -}}
- { name: SSS_NATS_URL, value: {{ .nats.url | quote }} }
{{- if and .root.Values.nats.tlsFirst (not .root.Values.throwAway.enabled) }}
- { name: SSS_NATS_TLS_FIRST, value: "true" }
{{- end }}
- { name: SSS_NATS_CREDENTIALS_FILE, value: /etc/supplier-submissions/nats/credentials }
{{- if .nats.ca.secret }}
- { name: SSS_NATS_CA_FILE, value: /etc/supplier-submissions/nats-ca/ca.crt }
{{- end }}
{{- end -}}

{{- define "sss.gatewayEnvironment" -}}
{{- $ports := include "sss.ports" . | fromYaml -}}
- { name: SSS_HTTP_PORT, value: {{ $ports.api | quote }} }
- { name: SSS_PAGES_PORT, value: {{ $ports.pages | quote }} }
- { name: SSS_ENVIRONMENT, value: {{ .process.environment }} }
{{- if eq .process.environment "production" }}
- { name: SSS_PRODUCTION_ENABLED, value: "true" }
{{- end }}
{{- with (index .root.Values.gateways .process.environment).pagesUrl }}
- { name: SSS_PAGES_URL, value: {{ . | quote }} }
{{- end }}
- { name: SSS_CREDENTIAL_PREFIX, value: {{ .root.Values.credentialPrefix | quote }} }
{{ include "sss.databaseVariables" (dict "root" .root "name" .process.database "role" "runtime" "pooled" true "variable" "SSS_LIMITS_DATABASE_URL") }}
{{- end -}}

{{- define "sss.consoleEnvironment" -}}
{{- $console := .root.Values.console -}}
- { name: SSS_HTTP_PORT, value: {{ (include "sss.ports" . | fromYaml).console | quote }} }
- { name: SSS_CONSOLE_URL, value: {{ $console.url | quote }} }
- { name: SSS_OIDC_ISSUER_URL, value: {{ $console.oidc.issuer | quote }} }
- { name: SSS_OIDC_CLIENT_ID, value: {{ $console.oidc.clientId | quote }} }
{{- if $console.oidc.clientSecret.existingSecret }}
- { name: SSS_OIDC_CLIENT_SECRET_FILE, value: /etc/supplier-submissions/oidc-client/secret }
{{- end }}
- { name: SSS_OIDC_SCOPES, value: {{ $console.oidc.scopes | quote }} }
- { name: SSS_ROLE_CLAIM, value: {{ $console.oidc.roleClaim | quote }} }
{{- with .process.sessions }}
{{ include "sss.databaseVariables" (dict "root" $.root "name" . "role" "runtime" "pooled" true "variable" "SSS_SESSIONS_DATABASE_URL") }}
- { name: SSS_KEY_RING_FILE, value: /etc/supplier-submissions/key-ring/ring.json }
{{- end }}
- { name: SSS_SESSION_MINUTES, value: {{ int $console.sessionMinutes | quote }} }
- { name: SSS_IDLE_MINUTES, value: {{ int $console.idleMinutes | quote }} }
- { name: SSS_CONNECTIONS_PER_ADDRESS, value: {{ int $console.connectionsPerAddress | quote }} }
{{- end -}}

{{- define "sss.serviceEnvironment" -}}
{{- $values := .root.Values -}}
{{- $ports := include "sss.ports" . | fromYaml -}}
- { name: SSS_RPC_PORT, value: {{ $ports.rpc | quote }} }
{{- if $values.tls.clientCertificates }}
- { name: SSS_TLS_CLIENT_CA_FILE, value: /etc/supplier-submissions/tls/ca.crt }
{{- end }}
{{ include "sss.databaseVariables" (dict "root" .root "name" .process.database "role" "runtime" "pooled" true "variable" "SSS_DATABASE_URL") }}
- { name: SSS_DATABASE_POOL, value: {{ include "sss.text" .values.databasePool | quote }} }
- { name: SSS_ISSUERS_FILE, value: /etc/supplier-submissions/issuers/issuers.json }
- { name: SSS_TOKEN_CLOCK_TOLERANCE_SECONDS, value: {{ int $values.tokenClockToleranceSeconds | quote }} }
{{- with int $values.staffCalls.inFlight }}
- { name: SSS_STAFF_CALLS_IN_FLIGHT, value: {{ . | quote }} }
{{- end }}
{{- with int $values.staffCalls.inFlightPerPerson }}
- { name: SSS_STAFF_CALLS_IN_FLIGHT_PER_PERSON, value: {{ . | quote }} }
{{- end }}
- { name: SSS_STAFF_CALL_WAIT_SECONDS, value: {{ int $values.staffCalls.waitSeconds | quote }} }
{{- if not .process.scans }}
- { name: SSS_KEY_RING_FILE, value: /etc/supplier-submissions/key-ring/ring.json }
{{- end }}
- { name: SSS_EVENT_RETENTION_DAYS, value: {{ include "sss.text" $values.streams.eventRetentionDays | quote }} }
{{- if .process.eventKeys }}
- { name: SSS_EVENT_KEYS_DIR, value: /etc/supplier-submissions/event-keys }
{{- end }}
{{- if eq .name "webhook" }}
- { name: SSS_STREAM_MAX_AGE_DAYS, value: {{ include "sss.text" $values.streams.maxAgeDays | quote }} }
{{- end }}
{{- if or (eq .name "account") (eq .name "submission") }}
- { name: SSS_FOUR_EYES, value: {{ $values.fourEyes | quote }} }
{{- end }}
{{- if eq .name "account" }}
- { name: SSS_CREDENTIAL_PREFIX, value: {{ $values.credentialPrefix | quote }} }
{{- else if eq .name "submission" }}
{{- $gateways := $values.gateways }}
- { name: SSS_PAGES_URL, value: {{ $gateways.sandbox.pagesUrl | default $gateways.production.pagesUrl | quote }} }
{{- with $gateways.production.pagesUrl }}
- { name: SSS_PRODUCTION_PAGES_URL, value: {{ . | quote }} }
{{- end }}
{{- else if and (eq .name "document") $values.throwAway.enabled }}
- { name: SSS_UPLOAD_HOST, value: {{ $values.listenAddress | quote }} }
- { name: SSS_UPLOAD_PORT, value: {{ $ports.uploads | quote }} }
- { name: SSS_UPLOAD_URL, value: {{ $values.throwAway.uploadUrl | quote }} }
{{- else if .process.scans }}
- { name: SSS_CONTENT_SOCKET, value: {{ include "sss.contentFolder" .root }}/socket }
- { name: SSS_CLAMD, value: {{ include "sss.clamd" .root | quote }} }
{{- with $values.processes.document.settings.maxDocumentBytes }}
- { name: SSS_MAX_DOCUMENT_BYTES, value: {{ include "sss.text" . | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* The role that a process takes for S3; nothing where it has keys. What sets buckets up has keys always. */}}
{{- define "sss.s3Role" -}}
{{- get (dict "document" .root.Values.documents.s3.role.document "scanner" .root.Values.documents.s3.role.scanner) .name -}}
{{- end -}}

{{/* Where objects are kept: (dict "root" $ "name" "document"), which is a process, or set-up. */}}
{{- define "sss.storeEnvironment" -}}
{{- $documents := .root.Values.documents -}}
{{- if .root.Values.throwAway.enabled -}}
# Processes refuse the local store without it.
- { name: SSS_DEPLOYMENT, value: trial }
- { name: SSS_STORE, value: local }
- { name: SSS_STORE_DIR, value: /var/lib/supplier-submissions/documents }
{{- else -}}
- { name: SSS_STORE, value: s3 }
- { name: SSS_S3_ENDPOINT, value: {{ $documents.s3.endpoint | quote }} }
{{- with $documents.s3.publicUrl }}
- { name: SSS_S3_PUBLIC_URL, value: {{ . | quote }} }
{{- end }}
- { name: SSS_S3_REGION, value: {{ $documents.s3.region | quote }} }
- { name: SSS_S3_QUARANTINE_BUCKET, value: {{ $documents.s3.quarantineBucket | quote }} }
- { name: SSS_S3_CLEAN_BUCKET, value: {{ $documents.s3.cleanBucket | quote }} }
{{- with include "sss.s3Role" . }}
- { name: SSS_S3_ROLE, value: {{ . | quote }} }
- { name: SSS_S3_ROLE_TOKEN_FILE, value: /var/run/secrets/supplier-submissions/s3-role/token }
{{- with $documents.s3.role.stsUrl }}
- { name: SSS_S3_STS_URL, value: {{ . | quote }} }
{{- end }}
{{- else }}
- { name: SSS_S3_QUARANTINE_CREDENTIALS_FILE, value: /etc/supplier-submissions/s3-quarantine/credentials.json }
- { name: SSS_S3_CLEAN_CREDENTIALS_FILE, value: /etc/supplier-submissions/s3-clean/credentials.json }
{{- end }}
{{- end }}
{{- end -}}

{{/*
The address of a database, without its password: PostgreSQL's clients take that from PGPASSWORD, in which nothing needs
to be escaped. (dict "root" $ "name" "account" "role" "runtime" "variable" "SSS_DATABASE_URL")
*/}}
{{- define "sss.databaseVariables" -}}
{{- $database := include "sss.database" . | fromYaml -}}
{{- $role := index $database .role -}}
{{- $ca := include "sss.databaseCa" .root | fromYaml -}}
{{- $pooler := ternary .root.Values.databases.pgbouncer dict (.pooled | default false) -}}
{{- $address := printf "%s:%d" $database.host (int $database.port) -}}
{{- with $pooler.host -}}
  {{- $address = printf "%s:%d" . (int $pooler.port) -}}
{{- end -}}
- name: PGPASSWORD
  valueFrom: { secretKeyRef: { name: {{ $role.secret | quote }}, key: {{ $role.key | quote }} } }
- name: {{ .variable }}
  value: {{ printf "postgres://%s@%s/%s?sslmode=verify-full%s%s" $role.user $address $database.name ($ca.secret | empty | ternary "" "&sslrootcert=/etc/supplier-submissions/postgresql-ca/ca.crt") ($pooler.host | empty | ternary "" "&pgbouncer=true") | quote }}
{{- end -}}
