{{/* Ends the install with everything that is missing or contradicts itself, a line each. What one value alone can be is in values.schema.json. */}}
{{- define "sss.requirements" -}}
{{- $values := .Values -}}
{{- $lines := list -}}
{{- $processes := include "sss.processes" . | fromYaml -}}
{{- $fullname := include "sss.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $fullname) -}}
  {{- $lines = append $lines (printf "fullnameOverride: a name that starts with a letter and has only lowercase letters, digits and hyphens; Services can't be called %s" $fullname) -}}
{{- end -}}
{{- if not (or $values.gateways.sandbox.enabled $values.gateways.production.enabled) -}}
  {{- $lines = append $lines "gateways: enable the sandbox's, production's, or both" -}}
{{- end -}}
{{- range $environment, $gateway := $values.gateways -}}
  {{- if and $gateway.enabled (not $gateway.pagesUrl) -}}
    {{- $lines = append $lines (printf "gateways.%s.pagesUrl: the https address at which applicants reach the pages" $environment) -}}
  {{- end -}}
{{- end -}}
{{- if $values.console.enabled -}}
  {{- $lines = concat $lines (include "sss.wrongOfConsole" . | fromYamlArray) -}}
{{- end -}}
{{- if and $values.throwAway.enabled $values.gateways.production.enabled -}}
  {{- $lines = append $lines "throwAway.enabled: false where gateways.production.enabled is true; production needs stores that last" -}}
{{- end -}}
{{- if and $values.throwAway.enabled (eq $values.migrations.mode "hook") -}}
  {{- $lines = append $lines "migrations.mode: job; a hook runs before there is a throw-away database" -}}
{{- end -}}
{{- if not (include "sss.clamd" .) -}}
  {{- $lines = append $lines "clamd.address: tcp://host:port of your clamd" -}}
{{- end -}}
{{- if not $values.throwAway.enabled -}}
  {{- $lines = concat $lines (include "sss.missingStores" . | fromYamlArray) -}}
  {{- range $key := list "endpoint" "region" "quarantineBucket" "cleanBucket" -}}
    {{- if not (index $values.documents.s3 $key) -}}
      {{- $lines = append $lines (printf "documents.s3.%s: of your S3 store" $key) -}}
    {{- end -}}
  {{- end -}}
  {{- $role := $values.documents.s3.role -}}
  {{- $takesRoles := or $role.document $role.scanner -}}
  {{- if and $takesRoles (not (and $role.document $role.scanner)) -}}
    {{- $lines = append $lines "documents.s3.role: a role for document and one for scanner, or none" -}}
  {{- end -}}
  {{- range $key := list "quarantineCredentials" "cleanCredentials" -}}
    {{- $secret := (index $values.documents.s3 $key).existingSecret -}}
    {{- if and $takesRoles $secret -}}
      {{- $lines = append $lines (printf "documents.s3.%s.existingSecret: \"\", since documents.s3.role is set" $key) -}}
    {{- else if not (or $takesRoles $secret) -}}
      {{- $lines = append $lines (printf "documents.s3.%s.existingSecret: a Secret with {\"accessKeyId\", \"secretAccessKey\"}" $key) -}}
    {{- end -}}
  {{- end -}}
  {{- if and $values.documents.s3.setUp.enabled (not $values.documents.s3.setUp.existingSecret) -}}
    {{- $lines = append $lines "documents.s3.setUp.existingSecret: a Secret with credentials that may create buckets" -}}
  {{- end -}}
  {{- if and $values.documents.s3.cleanBucket (eq $values.documents.s3.cleanBucket $values.documents.s3.quarantineBucket) -}}
    {{- $lines = append $lines "documents.s3.cleanBucket: another bucket than the quarantine" -}}
  {{- end -}}
{{- end -}}
{{- if and (not $values.serviceTokens.jwks) (not $values.serviceTokens.jwksUri) -}}
  {{- $lines = append $lines "serviceTokens.jwks: the keys of the cluster's token issuer, as `kubectl get --raw /openid/v1/jwks` prints them (or serviceTokens.jwksUri)" -}}
{{- end -}}
{{- if and $values.serviceTokens.jwks $values.serviceTokens.jwksUri -}}
  {{- $lines = append $lines "serviceTokens: jwks or jwksUri, not both" -}}
{{- end -}}
{{- if and $values.keda.enabled (not $values.keda.prometheusUrl) -}}
  {{- $lines = append $lines "keda.prometheusUrl: the address of the Prometheus that scrapes the pods" -}}
{{- end -}}
{{- if and (eq $values.tls.mode "cert-manager") (not $values.tls.certManager.issuerRef.name) -}}
  {{- $lines = append $lines "tls.certManager.issuerRef.name: an issuer for names inside the cluster" -}}
{{- end -}}
{{- range $kind := list "ingress" "httpRoute" -}}
  {{- if (index $values $kind).enabled -}}
    {{- range include "sss.routes" (dict "root" $ "routes" (index $values $kind)) | fromYamlArray -}}
      {{- if not .host -}}
        {{- $lines = append $lines (printf "%s.%s: the host name of %s" $kind .at .name) -}}
      {{- end -}}
      {{- if eq $kind "ingress" -}}
        {{- $secret := printf "ingress.%s.tlsSecret" (.at | splitList "." | first) -}}
        {{- $atIngress := eq $values.ingress.tlsEndsAt "ingress" -}}
        {{- if and $atIngress (not .tlsSecret) -}}
          {{- $lines = append $lines (printf "%s: a Secret of the type kubernetes.io/tls; the API is served only over TLS (or ingress.tlsEndsAt: loadBalancer)" $secret) -}}
        {{- else if and (not $atIngress) .tlsSecret -}}
          {{- $lines = append $lines (printf "%s: empty while ingress.tlsEndsAt is loadBalancer, which has its own certificates" $secret) -}}
        {{- end -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) -}}
  {{- $lines = append $lines "httpRoute.parentRefs: the Gateway that the routes belong to" -}}
{{- end -}}
{{- $rpc := $values.rpcRoutes -}}
{{- if or $rpc.tlsRoute.enabled $rpc.ingress.enabled -}}
  {{- if not $rpc.hosts -}}
    {{- $lines = append $lines "rpcRoutes.hosts: a host name for each service that staff reach" -}}
  {{- end -}}
  {{- if and $values.networkPolicies.enabled (not $values.networkPolicies.from.staff) -}}
    {{- $lines = append $lines "networkPolicies.from.staff: the pods that pass RPC on, of the Gateway or the Ingress controller" -}}
  {{- end -}}
  {{- if $values.throwAway.enabled -}}
    {{- $lines = append $lines "rpcRoutes: off where throwAway.enabled is true; generated certificates contain only cluster names" -}}
  {{- end -}}
{{- end -}}
{{- if and $rpc.tlsRoute.enabled (not $rpc.tlsRoute.parentRefs) -}}
  {{- $lines = append $lines "rpcRoutes.tlsRoute.parentRefs: the Gateway that the routes belong to" -}}
{{- end -}}
{{- if and $rpc.ingress.enabled (not $rpc.ingress.annotations) -}}
  {{- $lines = append $lines "rpcRoutes.ingress.annotations: the annotation by which your controller passes TLS through" -}}
{{- end -}}
{{- if and $values.throwAway.enabled $values.security.assignedByPlatform -}}
  {{- $lines = append $lines "security.assignedByPlatform: false where throwAway.enabled is true; images of throw-away stores need their own users" -}}
{{- end -}}
{{- if and $values.monitoring.serviceMonitor.enabled $values.monitoring.podMonitor.enabled -}}
  {{- $lines = append $lines "monitoring.podMonitor.enabled: false where monitoring.serviceMonitor.enabled is true; each pod would be scraped twice" -}}
{{- end -}}
{{- with $values.tracing -}}
  {{- if and .headers.existingSecret (hasPrefix "http:" .endpoint) -}}
    {{- $lines = append $lines "tracing.endpoint: an https: address; headers would go to a plain one in the clear" -}}
  {{- end -}}
{{- end -}}
{{- range $store := list "postgresql" "nats" "issuers" "collector" -}}
  {{- range index $values.networkPolicies.to $store -}}
    {{- if and .ipBlock (hasSuffix "/0" .ipBlock.cidr) -}}
      {{- $lines = append $lines (printf "networkPolicies.to.%s: narrower ranges than %s; they are open to the webhook service, too, which must not reach private addresses" $store .ipBlock.cidr) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- range $name, $process := $processes -}}
  {{- $own := include "sss.processValues" (dict "root" $ "process" $process) | fromYaml -}}
  {{- if $process.posts -}}
    {{- /* 30: what the webhook service keeps when nothing is said; two days: for clocks that differ, and partitions of whole days. */ -}}
    {{- $kept := get ($own.settings | default dict) "retentionDays" | default 30 | int -}}
    {{- $needed := add $values.streams.eventRetentionDays $values.streams.maxAgeDays 2 | int -}}
    {{- if lt $kept $needed -}}
      {{- $lines = append $lines (printf "processes.webhook.settings.retentionDays: at least %d, which are streams.eventRetentionDays, streams.maxAgeDays and two days; it is %d" $needed $kept) -}}
    {{- end -}}
  {{- end -}}
  {{- $at := dict -}}
  {{- range $key := list "autoscaling" "extraVolumes" "extraVolumeMounts" "sidecars" -}}
    {{- $_ := set $at $key (printf "%s.%s" (hasKey (index $values.processes $process.image) $key | ternary (printf "processes.%s" $process.image) "defaults") $key) -}}
  {{- end -}}
  {{- if gt (int $own.autoscaling.minReplicas) (int $own.autoscaling.maxReplicas) -}}
    {{- $lines = append $lines (printf "%s: maxReplicas not below minReplicas" $at.autoscaling) -}}
  {{- end -}}
  {{- $volumes := list -}}
  {{- range $own.extraVolumes -}}{{- $volumes = append $volumes .name -}}{{- end -}}
  {{- if ne (len $volumes) (uniq $volumes | len) -}}
    {{- $lines = append $lines (printf "%s: a unique name for each volume" $at.extraVolumes) -}}
  {{- end -}}
  {{- range $own.extraVolumeMounts -}}
    {{- if not (has .name $volumes) -}}
      {{- $lines = append $lines (printf "%s: a volume of extraVolumes in place of %s" $at.extraVolumeMounts .name) -}}
    {{- end -}}
  {{- end -}}
  {{- $sidecars := list -}}
  {{- range $own.sidecars -}}
    {{- $sidecars = append $sidecars .name -}}
    {{- range .volumeMounts -}}
      {{- if not (has .name $volumes) -}}
        {{- $lines = append $lines (printf "%s: a volume of extraVolumes in place of %s; the others belong to the process" $at.sidecars .name) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
  {{- if ne (len $sidecars) (uniq $sidecars | len) -}}
    {{- $lines = append $lines (printf "%s: a unique name for each container" $at.sidecars) -}}
  {{- end -}}
{{- end -}}
{{- $lines = concat $lines (include "sss.contradictions" . | fromYamlArray) -}}
{{- with uniq $lines -}}
  {{- fail (printf "\n\nThese values are incomplete. You provide the stores and secrets. Set:\n  - %s\n\nSee docs/install.md.\n" (join "\n  - " .)) -}}
{{- end -}}
{{- end -}}

{{/* What the console lacks, or has in contradiction to something else, as a list. */}}
{{- define "sss.wrongOfConsole" -}}
{{- $values := .Values -}}
{{- $console := $values.console -}}
{{- $lines := list -}}
{{- if not $console.url -}}
  {{- $lines = append $lines "console.url: the https address at which staff reach the console" -}}
{{- else if and (hasPrefix "http:" $console.url) (not (and $values.throwAway.enabled (eq (urlParse $console.url).hostname "localhost"))) -}}
  {{- $lines = append $lines "console.url: an https address; over http anyone on the network could steal the login (http://localhost works only with throwAway.enabled)" -}}
{{- end -}}
{{- if not $console.oidc.issuer -}}
  {{- $lines = append $lines "console.oidc.issuer: the https address of the identity provider that staff log in at" -}}
{{- end -}}
{{- if not $console.oidc.clientId -}}
  {{- $lines = append $lines "console.oidc.clientId: the console's client at the identity provider" -}}
{{- end -}}
{{- if not $values.staffIssuers -}}
  {{- $lines = append $lines "staffIssuers: the issuer of the tokens that people get where console.enabled is true; the services believe no other" -}}
{{- end -}}
{{- range $values.staffIssuers -}}
  {{- if and (eq .issuer $console.oidc.issuer) (ne .roleClaim $console.oidc.roleClaim) -}}
    {{- $lines = append $lines (printf "console.oidc.roleClaim: %s, which staffIssuers has for the same issuer" .roleClaim) -}}
  {{- end -}}
{{- end -}}
{{- range $kind := list "ingress" "httpRoute" -}}
  {{- $host := (index $values $kind).console.host -}}
  {{- if and (index $values $kind).enabled $host $console.url (ne $host (urlParse $console.url).hostname) -}}
    {{- $lines = append $lines (printf "%s.console.host: the host of console.url, %s" $kind (urlParse $console.url).hostname) -}}
  {{- end -}}
{{- end -}}
{{- range $key := $console.sharedSessions | ternary (list "databasePool") (list "replicas" "autoscaling" "databasePool") -}}
  {{- if hasKey $values.processes.console $key -}}
    {{- $lines = append $lines (printf "processes.console.%s: not set; the console is one pod unless console.sharedSessions is true, and has no databasePool" $key) -}}
  {{- end -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}

{{/* Stores, secrets and their addresses that are not set, as a list. */}}
{{- define "sss.missingStores" -}}
{{- $values := .Values -}}
{{- $policies := $values.networkPolicies -}}
{{- $hosts := list -}}
{{- $passwords := list -}}
{{- $credentials := list -}}
{{- $rings := list -}}
{{- $peers := list -}}
{{- range $service, $_ := include "sss.databases" . | fromYaml -}}
  {{- $database := include "sss.database" (dict "root" $ "name" $service) | fromYaml -}}
  {{- if not $database.host -}}{{- $hosts = append $hosts $service -}}{{- end -}}
  {{- range $role := list "runtime" "migrating" -}}
    {{- with index $database $role -}}
      {{- if and (not .secret) (or (eq $role "runtime") (ne $values.migrations.mode "none")) -}}
        {{- $passwords = append $passwords (printf "%s.%s" $service $role) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- range $name, $process := include "sss.processes" . | fromYaml -}}
  {{- if and $process.database (not (include "sss.nats" (dict "root" $ "name" $name "image" $process.image) | fromYaml).secret) -}}
    {{- $credentials = append $credentials $process.image -}}
  {{- end -}}
{{- end -}}
{{- if not (include "sss.nats" (dict "root" . "name" "streams" "image" "streams") | fromYaml).secret -}}
  {{- $credentials = append $credentials "streams" -}}
{{- end -}}
{{- range include "sss.sealing" . | fromYamlArray -}}
  {{- if not (include "sss.keyRing" (dict "root" $ "name" .) | fromYaml).secret -}}{{- $rings = append $rings . -}}{{- end -}}
{{- end -}}
{{- if $policies.enabled -}}
  {{- $needed := list "postgresql" "nats" "clamd" "s3" -}}
  {{- if $values.tracing.endpoint -}}{{- $needed = append $needed "collector" -}}{{- end -}}
  {{- range $needed -}}
    {{- if not (index $policies.to .) -}}{{- $peers = append $peers . -}}{{- end -}}
  {{- end -}}
{{- end -}}
{{- $lines := list -}}
{{- with $hosts -}}{{- $lines = append $lines (printf "databases.host: the host of PostgreSQL, or the own host of %s" (join ", " .)) -}}{{- end -}}
{{- with $passwords -}}{{- $lines = append $lines (printf "databases.existingSecret: a Secret with passwords, or the own existingSecret of %s" (join ", " .)) -}}{{- end -}}
{{- if not $values.nats.url -}}{{- $lines = append $lines "nats.url: tls://host:port of your NATS with JetStream" -}}{{- end -}}
{{- with uniq $credentials -}}{{- $lines = append $lines (printf "nats.credentials.existingSecret: a Secret with a credentials file for each process, or nats.credentials.secrets of %s" (join ", " .)) -}}{{- end -}}
{{- with $rings -}}{{- $lines = append $lines (printf "keyRings.existingSecret: a Secret with a key ring for each service, or keyRings.secrets of %s" (join ", " .)) -}}{{- end -}}
{{- with $peers -}}{{- $lines = append $lines (printf "networkPolicies.to: NetworkPolicyPeers of %s (or networkPolicies.enabled: false)" (join ", " .)) -}}{{- end -}}
{{- toYaml $lines -}}
{{- end -}}
