{{/* Values that contradict each other, or weaken a default, as a list of sentences. What one value alone can be is in values.schema.json, unless a schema could say no more than that `'not' failed`. */}}
{{- define "sss.contradictions" -}}
{{- $lines := list -}}
{{- range $part := list "hosts" "databases" "resources" "besideThrowAway" "issuers" "proxies" "additions" "services" -}}
  {{- $lines = concat $lines (include (printf "sss.contradictions.%s" $part) $ | fromYamlArray) -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}

{{/* Each host serves one purpose, and each URL has the host of its purpose. A thing is named as in `ingress`: sandbox.apiHost. */}}
{{- define "sss.contradictions.hosts" -}}
{{- $values := .Values -}}
{{- $lines := list -}}
{{- $hostsOf := dict -}}
{{- $taken := dict -}}
{{- range $kind := list "ingress" "httpRoute" -}}
  {{- if (index $values $kind).enabled -}}
    {{- range include "sss.routes" (dict "root" $ "routes" (index $values $kind)) | fromYamlArray -}}
      {{- if .host -}}
        {{- $_ := set $hostsOf .at (append (get $hostsOf .at | default list) .host) -}}
        {{- $other := get $taken .host | default dict -}}
        {{- if not $other -}}
          {{- $_ := set $taken .host (dict "thing" .at "at" (printf "%s.%s" $kind .at)) -}}
        {{- else if ne $other.thing .at -}}
          {{- $lines = append $lines (printf "%s.%s: a different host; %s is already used by %s" $kind .at .host $other.at) -}}
        {{- end -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if or $values.rpcRoutes.tlsRoute.enabled $values.rpcRoutes.ingress.enabled -}}
  {{- range $service, $host := $values.rpcRoutes.hosts -}}
    {{- with get $taken $host -}}
      {{- $lines = append $lines (printf "rpcRoutes.hosts.%s: a different host; %s is already used by %s" $service $host .at) -}}
    {{- end -}}
    {{- $_ := set $taken $host (dict "thing" $service "at" (printf "rpcRoutes.hosts.%s" $service)) -}}
  {{- end -}}
{{- end -}}
{{- $takenUrls := dict -}}
{{- range include "sss.publicUrls" . | fromYamlArray -}}
  {{- $url := urlParse (lower .url) -}}
  {{- $address := $url.host | trimSuffix (ternary ":80" ":443" (eq $url.scheme "http")) -}}
  {{- $hosts := get $hostsOf .thing -}}
  {{- if and $hosts (not (has $url.hostname $hosts)) -}}
    {{- $lines = append $lines (printf "%s: its public host, %s, instead of %s" .at (join " or " $hosts) $url.hostname) -}}
  {{- end -}}
  {{- $other := get $takenUrls $address | default dict -}}
  {{- if not $other -}}
    {{- $_ := set $takenUrls $address . -}}
  {{- else if ne $other.thing .thing -}}
    {{- $lines = append $lines (printf "%s: a different host; %s is already used by %s" .at $address $other.at) -}}
  {{- end -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}

{{/* Addresses that people are given, a list of {thing, at, url}. That of the console is compared with its host when the console is rendered. */}}
{{- define "sss.publicUrls" -}}
{{- $values := .Values -}}
{{- $urls := list -}}
{{- range $environment, $gateway := $values.gateways -}}
  {{- if and $gateway.enabled $gateway.pagesUrl -}}
    {{- $urls = append $urls (dict "thing" (printf "%s.pagesHost" $environment) "at" (printf "gateways.%s.pagesUrl" $environment) "url" $gateway.pagesUrl) -}}
  {{- end -}}
{{- end -}}
{{- $settings := dict "processes.gateway.settings" $values.processes.gateway.settings -}}
{{- range $environment, $gateway := $values.gateways -}}
  {{- $_ := set $settings (printf "gateways.%s.settings" $environment) $gateway.settings -}}
{{- end -}}
{{- range $at, $own := $settings -}}
  {{- range $environment := list "sandbox" "production" -}}
    {{- with get $own (printf "%sUrl" $environment) -}}
      {{- $urls = append $urls (dict "thing" (printf "%s.apiHost" $environment) "at" (printf "%s.%sUrl" $at $environment) "url" .) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if $values.throwAway.enabled -}}
  {{- $urls = append $urls (dict "thing" "uploads" "at" "throwAway.uploadUrl" "url" $values.throwAway.uploadUrl) -}}
{{- end -}}
{{- if and $values.console.enabled $values.console.url -}}
  {{- $urls = append $urls (dict "thing" "console" "at" "console.url" "url" $values.console.url) -}}
{{- end -}}
{{- toYaml $urls -}}
{{- end -}}

{{/* Each service has its own database, and a runtime role that doesn't own the tables. */}}
{{- define "sss.contradictions.databases" -}}
{{- $lines := list -}}
{{- $taken := dict -}}
{{- $roles := dict -}}
{{- range $service, $_ := include "sss.databases" . | fromYaml -}}
  {{- $database := include "sss.database" (dict "root" $ "name" $service) | fromYaml -}}
  {{- $at := printf "%s:%d/%s" (lower $database.host) (int $database.port) $database.name -}}
  {{- with get $taken $at -}}
    {{- $lines = append $lines (printf "databases.%s.name: a different database; %s is already used by databases.%s" $service $at .) -}}
  {{- end -}}
  {{- $_ := set $taken $at $service -}}
  {{- if eq $database.runtime.user $database.migrating.user -}}
    {{- $lines = append $lines (printf "databases.%s.runtime.user: a different role than migrating.user, which owns the tables" $service) -}}
  {{- end -}}
  {{- if $.Values.throwAway.enabled -}}
    {{- range $role := list "runtime" "migrating" -}}
      {{- $user := (index $database $role).user -}}
      {{- $own := printf "databases.%s.%s" $service $role -}}
      {{- with get $roles $user -}}
        {{- if not (hasPrefix (printf "databases.%s." $service) .) -}}
          {{- $lines = append $lines (printf "%s.user: a different role; %s is already used by %s" $own $user .) -}}
        {{- end -}}
      {{- end -}}
      {{- $_ := set $roles $user $own -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}

{{/* Kubernetes takes no container that requests more than it may have. */}}
{{- define "sss.contradictions.resources" -}}
{{- $values := .Values -}}
{{- $lines := list -}}
{{- $all := list (dict "at" "migrations" "of" $values.migrations.resources) (dict "at" "auditVerification" "of" $values.auditVerification.resources) (dict "at" "content" "of" $values.content.resources) -}}
{{- range $name, $process := include "sss.processes" . | fromYaml -}}
  {{- $own := include "sss.processValues" (dict "root" $ "process" $process) | fromYaml -}}
  {{- $given := index $values.processes $process.image -}}
  {{- $at := printf "processes.%s" $process.image -}}
  {{- $all = append $all (dict "at" $at "of" $own.resources "given" ($given.resources | default dict)) -}}
  {{- range $index, $sidecar := $own.sidecars -}}
    {{- $all = append $all (dict "at" (printf "%s.sidecars.%d" (hasKey $given "sidecars" | ternary $at "defaults") $index) "of" $sidecar.resources) -}}
  {{- end -}}
{{- end -}}
{{- range $all -}}
  {{- $limits := .of.limits | default dict -}}
  {{- $from := dict "requests" .at "limits" .at -}}
  {{- $given := .given -}}
  {{- range $resource, $requested := .of.requests -}}
    {{- if hasKey $limits $resource -}}
      {{- $limit := get $limits $resource -}}
      {{- $at := dict -}}
      {{- range $kind, $own := $from -}}
        {{- /* Of a process, what is not its own is that of `defaults`. */ -}}
        {{- $isOwn := or (kindIs "invalid" $given) (hasKey (get ($given | default dict) $kind | default dict) $resource) -}}
        {{- $_ := set $at $kind (printf "%s.resources.%s.%s" (ternary $own "defaults" $isOwn) $kind $resource) -}}
      {{- end -}}
      {{- if gt (include "sss.quantity" $requested | float64) (include "sss.quantity" $limit | float64) -}}
        {{- $lines = append $lines (printf "%s: at least %s, which is %v; it is %v" $at.limits $at.requests $requested $limit) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}

{{/* A quantity of Kubernetes (250m, 384Mi, 1.5, 2e3) as a number. */}}
{{- define "sss.quantity" -}}
{{- $text := toString . -}}
{{- $digits := regexFind "^[0-9]+(\\.[0-9]+)?" $text -}}
{{- $unit := kindIs "string" . | ternary (trimPrefix $digits $text) "" -}}
{{- $thousands := dict "k" 1 "M" 2 "G" 3 "T" 4 "P" 5 "E" 6 -}}
{{- if eq $unit "m" -}}
{{- divf (float64 $digits) 1000 -}}
{{- else if hasKey $thousands ($unit | trimSuffix "i" | replace "K" "k") -}}
  {{- $number := float64 $digits -}}
  {{- range until (get $thousands ($unit | trimSuffix "i" | replace "K" "k") | int) -}}
    {{- $number = mulf $number (hasSuffix "i" $unit | ternary 1024 1000) -}}
  {{- end -}}
{{- $number -}}
{{- else -}}
{{- float64 $text -}}
{{- end -}}
{{- end -}}

{{/* Values that a release with throw-away stores would ignore. */}}
{{- define "sss.contradictions.besideThrowAway" -}}
{{- $values := .Values -}}
{{- $lines := list -}}
{{- if $values.throwAway.enabled -}}
  {{- $given := dict -}}
  {{- range $key := list "host" "existingSecret" -}}
    {{- $_ := set $given (printf "databases.%s" $key) (get $values.databases $key) -}}
  {{- end -}}
  {{- $_ := set $given "databases.ca.existingSecret" $values.databases.ca.existingSecret -}}
  {{- $_ := set $given "databases.pgbouncer.host" $values.databases.pgbouncer.host -}}
  {{- range $service, $_ := include "sss.databases" . | fromYaml -}}
    {{- $own := index $values.databases $service -}}
    {{- $_ := set $given (printf "databases.%s.host" $service) $own.host -}}
    {{- range $role := list "runtime" "migrating" -}}
      {{- $_ := set $given (printf "databases.%s.%s.existingSecret" $service $role) (index $own $role).existingSecret -}}
    {{- end -}}
  {{- end -}}
  {{- $_ := set $given "nats.url" $values.nats.url -}}
  {{- $_ := set $given "nats.ca.existingSecret" $values.nats.ca.existingSecret -}}
  {{- $_ := set $given "nats.credentials.existingSecret" $values.nats.credentials.existingSecret -}}
  {{- $_ := set $given "nats.credentials.secrets" $values.nats.credentials.secrets -}}
  {{- $_ := set $given "keyRings.existingSecret" $values.keyRings.existingSecret -}}
  {{- $_ := set $given "keyRings.secrets" $values.keyRings.secrets -}}
  {{- range $key := list "endpoint" "publicUrl" "region" "quarantineBucket" "cleanBucket" -}}
    {{- $_ := set $given (printf "documents.s3.%s" $key) (index $values.documents.s3 $key) -}}
  {{- end -}}
  {{- range $key := list "quarantineCredentials" "cleanCredentials" "setUp" -}}
    {{- $_ := set $given (printf "documents.s3.%s.existingSecret" $key) (index $values.documents.s3 $key).existingSecret -}}
  {{- end -}}
  {{- $_ := set $given "documents.s3.role" (or $values.documents.s3.role.document $values.documents.s3.role.scanner) -}}
  {{- $_ := set $given "tls.secretPrefix" $values.tls.secretPrefix -}}
  {{- $_ := set $given "tls.secrets" $values.tls.secrets -}}
  {{- range $at, $value := $given -}}
    {{- if $value -}}
      {{- $lines = append $lines (printf "%s: empty while throwAway.enabled is true, because the chart then creates its own stores and secrets" $at) -}}
    {{- end -}}
  {{- end -}}
  {{- if eq $values.tls.mode "cert-manager" -}}
    {{- $lines = append $lines "tls.mode: secrets while throwAway.enabled is true, because the chart then creates its own certificates" -}}
  {{- end -}}
  {{- if and $values.throwAway.clamd $values.clamd.address -}}
    {{- $lines = append $lines "clamd.address: empty while throwAway.clamd is true (or throwAway.clamd: false)" -}}
  {{- end -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}

{{/* Issuers must be reached over TLS. */}}
{{- define "sss.contradictions.issuers" -}}
{{- $lines := list -}}
{{- $issuers := dict "serviceTokens.issuer" .Values.serviceTokens.issuer -}}
{{- range $index, $issuer := .Values.staffIssuers -}}
  {{- $_ := set $issuers (printf "staffIssuers.%d.issuer" $index) $issuer.issuer -}}
  {{- range $issuer.roles -}}
    {{- if hasPrefix "service:" . -}}
      {{- $lines = append $lines (printf "staffIssuers.%d.roles: roles of staff; %s is a service's, which serviceTokens gives" $index .) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- range $at, $issuer := $issuers -}}
  {{- if regexMatch "^(?i)http:" $issuer -}}
    {{- $lines = append $lines (printf "%s: an https: address; anyone on the network could impersonate %s" $at $issuer) -}}
  {{- end -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}

{{/* Trusted proxies must not be a large part of the public address space. */}}
{{- define "sss.contradictions.proxies" -}}
{{- $values := .Values -}}
{{- $lines := list -}}
{{- $settings := dict "processes.gateway.settings" $values.processes.gateway.settings -}}
{{- range $environment, $gateway := $values.gateways -}}
  {{- $_ := set $settings (printf "gateways.%s.settings" $environment) $gateway.settings -}}
{{- end -}}
{{- range $at, $own := $settings -}}
  {{- range $range := get $own "trustedProxies" | default list -}}
    {{- $isWide := regexMatch "^[0-9.]+/0*[0-7]$" $range -}}
    {{- /* The same in IPv6's words for IPv4, and behind NAT64. */ -}}
    {{- $isWide = or $isWide (regexMatch "(?i)ffff:[^/]*/0*(9[6-9]|10[0-3])$" $range) -}}
    {{- $isWide = or $isWide (regexMatch "(?i)^(0*64:ff9b|0*):[^/]*/0*([0-9]{1,2}|10[0-3])$" $range) -}}
    {{- $isWide = or $isWide (and (regexMatch ":[^/]*/0*([0-9]|1[0-8])$" $range) (not (regexMatch "(?i)^f[c-e]" $range))) -}}
    {{- if $isWide -}}
      {{- $lines = append $lines (printf "%s.trustedProxies: the addresses of your proxies instead of %s; clients in that range could claim any address in X-Forwarded-For" $at $range) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}

{{/* Variables that open a process, and names and ports of the chart's own. */}}
{{- define "sss.contradictions.additions" -}}
{{- $lines := list -}}
{{- $ports := include "sss.ports" . | fromYaml -}}
{{- $numbers := list -}}
{{- range $ports -}}{{- $numbers = append $numbers (int .) -}}{{- end -}}
{{- $volumes := list "tls" "oidc-client" "tokens" "nats" "nats-ca" "postgresql-ca" "issuers" "key-ring" "documents" "s3-role" "s3-quarantine" "s3-clean" "content" "scratch" -}}
{{- $flag := "(^|[\\s\"])(-r|--\"?(inspect|debug|no[-_]disable[-_]sigusr1|require|import|loader|experimental[-_](loader|config|default[-_]config)|tls[-_](min|max)[-_]v1\\.[01]|tls[-_](cipher|keylog)|trace[-_]tls|openssl[-_](legacy|config|shared)|security[-_]revert|insecure[-_]http|heapsnapshot|heap[-_]prof|report[-_]))" -}}
{{- $all := dict "defaults" .Values.defaults -}}
{{- range $image, $own := .Values.processes -}}{{- $_ := set $all (printf "processes.%s" $image) $own -}}{{- end -}}
{{- range $at, $own := $all -}}
  {{- range $index, $variable := $own.extraEnv -}}
    {{- if has .name (list "NODE_TLS_REJECT_UNAUTHORIZED" "NODE_DEBUG" "NODE_V8_COVERAGE") -}}
      {{- $lines = append $lines (printf "%s.extraEnv.%d.name: another variable than %s, which only a local stack may have" $at $index .name) -}}
    {{- else if and (eq .name "NODE_OPTIONS") (regexMatch $flag (.value | default "")) -}}
      {{- $lines = append $lines (printf "%s.extraEnv.%d.value: without %s, which opens or bares the process" $at $index (regexFind $flag .value | trim | trimAll "\"")) -}}
    {{- end -}}
  {{- end -}}
  {{- range $index, $volume := $own.extraVolumes -}}
    {{- if has .name $volumes -}}
      {{- $lines = append $lines (printf "%s.extraVolumes.%d.name: another name than %s, which is a volume of the chart's" $at $index .name) -}}
    {{- end -}}
  {{- end -}}
  {{- range $index, $sidecar := $own.sidecars -}}
    {{- if or (hasKey $.Values.processes .name) (has .name (list "content" "wait-for-migrations")) -}}
      {{- $lines = append $lines (printf "%s.sidecars.%d.name: another name than %s, which is a container of the chart's" $at $index .name) -}}
    {{- end -}}
    {{- range .ports -}}
      {{- if or (hasKey $ports (.name | default "")) (has (int .containerPort) $numbers) -}}
        {{- $lines = append $lines (printf "%s.sidecars.%d.ports: another name and number than %s %v; a process of the chart may have that port" $at $index (.name | default "") (int .containerPort)) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}

{{/* What the type of a Service does not have is not left out in silence. */}}
{{- define "sss.contradictions.services" -}}
{{- $service := .Values.service -}}
{{- $lines := list -}}
{{- if not .Values.enabled -}}
  {{- $lines = append $lines "enabled: true; only the `condition` of a parent chart reads it" -}}
{{- end -}}
{{- if and $service.externalTrafficPolicy (eq $service.type "ClusterIP") -}}
  {{- $lines = append $lines "service.externalTrafficPolicy: empty while service.type is ClusterIP, which is not reachable from outside" -}}
{{- end -}}
{{- if and $service.loadBalancerClass (ne $service.type "LoadBalancer") -}}
  {{- $lines = append $lines (printf "service.loadBalancerClass: empty while service.type is %s" $service.type) -}}
{{- end -}}
{{- if and (gt (len $service.ipFamilies) 1) (not (has $service.ipFamilyPolicy (list "PreferDualStack" "RequireDualStack"))) -}}
  {{- $lines = append $lines "service.ipFamilyPolicy: PreferDualStack or RequireDualStack where service.ipFamilies names two" -}}
{{- end -}}
{{- if and (eq (len $service.ipFamilies) 1) (eq $service.ipFamilyPolicy "RequireDualStack") -}}
  {{- $lines = append $lines "service.ipFamilies: both or none where service.ipFamilyPolicy is RequireDualStack" -}}
{{- end -}}
{{- toYaml $lines -}}
{{- end -}}
