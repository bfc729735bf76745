{{/* User 65532 of the images, or whom the platform assigns, without any privilege: the restricted standard. */}}
{{- define "sss.podSecurity" -}}
runAsNonRoot: true
{{- if not .root.Values.security.assignedByPlatform }}
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "sss.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{/* What all our pods share, except throw-away stores: (dict "root" $ "name" "account" "account" "service account" "values" $values) */}}
{{- define "sss.podBasics" -}}
serviceAccountName: {{ .account }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "sss.podSecurity" . | nindent 2 }}
{{- with include "sss.podHost" . }}
{{ . }}
{{- end }}
{{- end -}}

{{/* Where a pod runs, what its node gives it, and where its images come from: (dict "root" $ "name" "account" "values" $values), the values of a process, of a Job or `defaults`. */}}
{{- define "sss.podHost" -}}
{{- $secrets := list -}}
{{- range concat ((.root.Values.global | default dict).imagePullSecrets | default list) .root.Values.image.pullSecrets -}}
  {{- /* Charts differ in how they write them. */ -}}
  {{- if kindIs "map" . -}}
    {{- $secrets = append $secrets (dict "name" .name) -}}
  {{- else -}}
    {{- $secrets = append $secrets (dict "name" .) -}}
  {{- end -}}
{{- end -}}
{{- $host := dict -}}
{{- range $key := list "dnsConfig" "hostAliases" "runtimeClassName" "priorityClassName" "nodeSelector" "tolerations" "affinity" -}}
  {{- with index $.values $key -}}{{- $_ := set $host $key . -}}{{- end -}}
{{- end -}}
{{- /* Pods of a Job have no template hash, so Kubernetes ignores that key for them. */ -}}
{{- $spread := dict "matchLabelKeys" (list "pod-template-hash") "labelSelector" (dict "matchLabels" (include "sss.selector" . | fromYaml)) -}}
{{- range .values.topologySpreadConstraints -}}
  {{- $_ := set $host "topologySpreadConstraints" (append ($host.topologySpreadConstraints | default list) (merge (deepCopy $spread) .)) -}}
{{- end -}}
{{- with $secrets -}}{{- $_ := set $host "imagePullSecrets" (uniq .) -}}{{- end -}}
{{- with $host -}}{{- toYaml . -}}{{- end -}}
{{- end -}}

{{/* The values of a Job's pods: `defaults`, on nodes of its own if it names any. (dict "root" $ "own" $.Values.migrations) */}}
{{- define "sss.jobValues" -}}
{{- $values := deepCopy .root.Values.defaults -}}
{{- range $key := list "nodeSelector" "tolerations" -}}
  {{- with index $.own $key -}}{{- $_ := set $values $key . -}}{{- end -}}
{{- end -}}
{{- toYaml $values -}}
{{- end -}}

{{/*
A container beside the process: an init container that goes on. It may say who it is, and nothing else of its privileges.
(dict "root" $ "sidecar" $sidecar)
*/}}
{{- define "sss.sidecar" -}}
{{- $security := include "sss.containerSecurity" .root | fromYaml -}}
{{- $whole := merge (dict "restartPolicy" "Always" "securityContext" (merge $security (.sidecar.securityContext | default dict))) .sidecar -}}
{{- toYaml $whole -}}
{{- end -}}

{{/* Where the scanner reaches the container that checks content. */}}
{{- define "sss.contentFolder" -}}
/run/supplier-submissions/content
{{- end -}}

{{/*
The container that parses documents, beside the scanner and without its user, files, variables and processes. As an init
container that goes on, it ends after the scanner.
*/}}
{{- define "sss.contentContainer" -}}
{{- $user := .Values.security.assignedByPlatform | ternary dict (dict "runAsUser" 65533 "runAsGroup" 65533) -}}
{{- $command := list "node" "--disable-warning=ExperimentalWarning" "--disable-sigusr1" "src/serve-content.mjs" "--socket" (printf "%s/socket" (include "sss.contentFolder" .)) -}}
{{- $seccomp := dict -}}
{{- with .Values.content.seccompProfile -}}
  {{- $seccomp = dict "seccompProfile" (dict "type" "Localhost" "localhostProfile" .) -}}
{{- end -}}
name: content
image: {{ include "sss.image" (dict "root" $ "image" "scanner") }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
restartPolicy: Always
command: {{ toJson $command }}
livenessProbe:
  exec: { command: {{ append $command "--check" | toJson }} }
  periodSeconds: 60
  timeoutSeconds: 20
  failureThreshold: 3
securityContext:
  {{- mergeOverwrite (include "sss.containerSecurity" . | fromYaml) $user $seccomp | toYaml | nindent 2 }}
resources:
  {{- toYaml .Values.content.resources | nindent 2 }}
volumeMounts:
  - { name: content, mountPath: {{ include "sss.contentFolder" . }} }
{{- end -}}

{{/* A secret's one key, as one file. (dict "name" "nats" "secret" … "key" … "path" …) */}}
{{- define "sss.secretVolume" -}}
- name: {{ .name }}
  secret: { secretName: {{ .secret | quote }}, defaultMode: 0440, items: [{ key: {{ .key | quote }}, path: {{ .path | quote }} }] }
{{- end -}}

{{/* Volumes of a process. Each file is one key of one secret: a pod sees no key of another. */}}
{{- define "sss.volumes" -}}
{{- $root := .root -}}
{{- $certificate := include "sss.certificate" . | fromYaml -}}
- name: tls
  secret:
    secretName: {{ $certificate.secret }}
    defaultMode: 0440
    items:
      - { key: {{ $certificate.keys.certificate }}, path: tls.crt }
      - { key: {{ $certificate.keys.key }}, path: tls.key }
      - { key: {{ $certificate.keys.ca }}, path: ca.crt }
{{- with .root.Values.console.oidc.clientSecret }}
{{- if and $.process.asStaff .existingSecret }}
{{ include "sss.secretVolume" (dict "name" "oidc-client" "secret" .existingSecret "key" .key "path" "secret") }}
{{- end }}
{{- end }}
{{- if .process.database }}
{{- $nats := include "sss.nats" (dict "root" $root "name" .name "image" .process.image) | fromYaml }}
- name: tokens
  {{- if .process.calls }}
  projected:
    defaultMode: 0440
    sources:
      {{- range .process.calls }}
      - serviceAccountToken: { audience: {{ . }}, path: {{ . }}, expirationSeconds: {{ int $root.Values.serviceTokens.expirationSeconds }} }
      {{- end }}
  {{- else }}
  emptyDir: { sizeLimit: 1Mi }
  {{- end }}
{{ include "sss.natsVolumes" (dict "nats" $nats) }}
{{- with include "sss.databaseVolume" $root }}
{{ . }}
{{- end }}
{{- end }}
{{- if .process.sessions }}
{{- with include "sss.databaseVolume" $root }}
{{ . }}
{{- end }}
{{- $ring := include "sss.keyRing" (dict "root" $root "name" .name) | fromYaml }}
{{ include "sss.secretVolume" (dict "name" "key-ring" "secret" $ring.secret "key" $ring.key "path" "ring.json") }}
{{- end }}
{{- if .process.rpc }}
- name: issuers
  configMap: { name: {{ include "sss.fullname" $root }}-issuers, defaultMode: 0444 }
{{- if not .process.scans }}
{{- $ring := include "sss.keyRing" (dict "root" $root "name" .process.database) | fromYaml }}
{{ include "sss.secretVolume" (dict "name" "key-ring" "secret" $ring.secret "key" $ring.key "path" "ring.json") }}
{{- end }}
{{- end }}
{{- with .process.eventKeys }}
- name: event-keys
  projected:
    defaultMode: 0440
    sources:
      {{- range . }}
      {{- $ring := include "sss.keyRing" (dict "root" $root "name" (printf "events-%s" .)) | fromYaml }}
      - secret: { name: {{ $ring.secret | quote }}, items: [{ key: {{ $ring.key | quote }}, path: {{ . }}.json }] }
      {{- end }}
{{- end }}
{{- if .process.stores }}
{{ include "sss.storeVolumes" (dict "root" $root "name" .name) }}
{{- end }}
{{- if .process.scans }}
- name: content
  emptyDir: { medium: Memory, sizeLimit: 1Mi }
{{- end }}
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "sss.mounts" -}}
- { name: tls, mountPath: /etc/supplier-submissions/tls, readOnly: true }
{{- if and .process.asStaff .root.Values.console.oidc.clientSecret.existingSecret }}
- { name: oidc-client, mountPath: /etc/supplier-submissions/oidc-client, readOnly: true }
{{- end }}
{{- if .process.database }}
- { name: tokens, mountPath: /var/run/secrets/supplier-submissions/tokens, readOnly: true }
{{ include "sss.natsMounts" (dict "nats" (include "sss.nats" (dict "root" .root "name" .name "image" .process.image) | fromYaml)) }}
{{- with include "sss.databaseMount" .root }}
{{ . }}
{{- end }}
{{- end }}
{{- if .process.sessions }}
{{- with include "sss.databaseMount" .root }}
{{ . }}
{{- end }}
- { name: key-ring, mountPath: /etc/supplier-submissions/key-ring, readOnly: true }
{{- end }}
{{- if .process.rpc }}
- { name: issuers, mountPath: /etc/supplier-submissions/issuers, readOnly: true }
{{- if not .process.scans }}
- { name: key-ring, mountPath: /etc/supplier-submissions/key-ring, readOnly: true }
{{- end }}
{{- end }}
{{- if .process.eventKeys }}
- { name: event-keys, mountPath: /etc/supplier-submissions/event-keys, readOnly: true }
{{- end }}
{{- if .process.stores }}
{{ include "sss.storeMounts" (dict "root" .root "name" .name) }}
{{- end }}
{{- if .process.scans }}
- { name: content, mountPath: {{ include "sss.contentFolder" . }}, readOnly: true }
{{- end }}
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* (dict "nats" $nats) */}}
{{- define "sss.natsVolumes" -}}
{{ include "sss.secretVolume" (dict "name" "nats" "secret" .nats.secret "key" .nats.key "path" "credentials") }}
{{- if .nats.ca.secret }}
{{ include "sss.secretVolume" (dict "name" "nats-ca" "secret" .nats.ca.secret "key" .nats.ca.key "path" "ca.crt") }}
{{- end }}
{{- end -}}

{{- define "sss.natsMounts" -}}
- { name: nats, mountPath: /etc/supplier-submissions/nats, readOnly: true }
{{- if .nats.ca.secret }}
- { name: nats-ca, mountPath: /etc/supplier-submissions/nats-ca, readOnly: true }
{{- end }}
{{- end -}}

{{- define "sss.databaseVolume" -}}
{{- $ca := include "sss.databaseCa" . | fromYaml -}}
{{- if $ca.secret -}}
{{ include "sss.secretVolume" (dict "name" "postgresql-ca" "secret" $ca.secret "key" $ca.key "path" "ca.crt") }}
{{- end -}}
{{- end -}}

{{- define "sss.databaseMount" -}}
{{- if (include "sss.databaseCa" . | fromYaml).secret -}}
- { name: postgresql-ca, mountPath: /etc/supplier-submissions/postgresql-ca, readOnly: true }
{{- end -}}
{{- end -}}

{{- define "sss.storeVolumes" -}}
{{- $documents := .root.Values.documents -}}
{{- if .root.Values.throwAway.enabled -}}
- name: documents
  persistentVolumeClaim: { claimName: {{ include "sss.throwAwayName" (dict "root" .root "name" "documents") }} }
{{- else if include "sss.s3Role" . -}}
- name: s3-role
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: { audience: {{ $documents.s3.role.audience }}, path: token, expirationSeconds: {{ int .root.Values.serviceTokens.expirationSeconds }} }
{{- else -}}
{{ include "sss.secretVolume" (dict "name" "s3-quarantine" "secret" $documents.s3.quarantineCredentials.existingSecret "key" $documents.s3.quarantineCredentials.key "path" "credentials.json") }}
{{ include "sss.secretVolume" (dict "name" "s3-clean" "secret" $documents.s3.cleanCredentials.existingSecret "key" $documents.s3.cleanCredentials.key "path" "credentials.json") }}
{{- end -}}
{{- end -}}

{{- define "sss.storeMounts" -}}
{{- if .root.Values.throwAway.enabled -}}
- { name: documents, mountPath: /var/lib/supplier-submissions }
{{- else if include "sss.s3Role" . -}}
- { name: s3-role, mountPath: /var/run/secrets/supplier-submissions/s3-role, readOnly: true }
{{- else -}}
- { name: s3-quarantine, mountPath: /etc/supplier-submissions/s3-quarantine, readOnly: true }
- { name: s3-clean, mountPath: /etc/supplier-submissions/s3-clean, readOnly: true }
{{- end -}}
{{- end -}}
