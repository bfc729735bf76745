import { ofRelease as of, RELEASE } from './selectors.ts';
import { type AlertRule, type RuleGroup, runbookUrl } from './slo-rules.ts';

/** A fault that is alerted on directly, without an objective. Each has a section in docs/runbooks.md. */
interface Cause {
  readonly alert: string;
  readonly severity: 'critical' | 'warning';
  readonly for: string;
  readonly expr: string;
  readonly summary: string;
  readonly description: string;
  /** The component, if the expression does not contain one. */
  readonly component?: string;
}

/** Every process of a release, with at least one gateway. The chart omits the console's alert if the console is off. */
export const COMPONENTS = [
  'account',
  'submission',
  'document',
  'scanner',
  'billing',
  'webhook',
  'gateway',
  'console',
];

const PROCESSES: readonly Cause[] = [
  ...COMPONENTS.map((component) => ({
    alert: 'SssProcessMissing',
    // Without the console, staff still have `sss`, and submissions are still processed.
    severity: component === 'console' ? ('warning' as const) : ('critical' as const),
    for: '5m',
    component,
    expr: `absent(${of('sss_build_info', component === 'gateway' ? 'component=~"gateway-.+"' : `component="${component}"`)})`,
    summary: 'No {{ $labels.component }} pod responds.',
    description: "No metrics for five minutes: no pod runs, or its metrics can't be scraped.",
  })),
  {
    alert: 'SssPodUnreachable',
    severity: 'warning',
    for: '10m',
    expr: `${of('up')} == 0`,
    summary: "Metrics of pod {{ $labels.pod }} can't be scraped.",
    description: 'For ten minutes.',
  },
  {
    alert: 'SssProcessRestarting',
    severity: 'warning',
    for: '0m',
    expr: `changes(${of('process_start_time_seconds')}[30m]) > 2`,
    summary: 'Pod {{ $labels.pod }} restarts repeatedly.',
    description: '{{ $value }} starts in half an hour.',
  },
  {
    alert: 'SssEventLoopBlocked',
    severity: 'warning',
    for: '10m',
    expr: `${of('nodejs_eventloop_lag_p99_seconds')} > 0.25`,
    summary: 'The event loop of pod {{ $labels.pod }} is overloaded.',
    description: 'The p99 delay is {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'SssVersionsMixed',
    severity: 'warning',
    for: '1h',
    expr: `count(count by (revision) (${of('sss_build_info')})) > 1`,
    summary: 'Several versions have been running together for an hour.',
    description: "{{ $value }} versions. A rollout hasn't finished.",
  },
  {
    alert: 'SssCertificateExpiring',
    severity: 'warning',
    for: '1h',
    expr: `min by (component) (${of('sss_tls_certificate_expiry_timestamp_seconds')}) - time() < 10 * 86400`,
    summary: 'The certificate of {{ $labels.component }} expires soon.',
    description: 'It expires in {{ $value | humanizeDuration }}. After that, its callers fail.',
  },
];

const STORES: readonly Cause[] = [
  {
    alert: 'SssDatabasePoolExhausted',
    severity: 'warning',
    for: '5m',
    expr: `avg_over_time(${of('sss_database_pool_waiting_callers')}[5m]) > 1`,
    summary: 'Pod {{ $labels.pod }} waits for PostgreSQL connections (pool {{ $labels.pool }}).',
    description: '{{ $value | humanize }} callers waiting on average over five minutes.',
  },
  {
    alert: 'SssNatsDisconnected',
    severity: 'warning',
    for: '2m',
    expr: `${of('sss_nats_connected')} == 0`,
    summary: 'Pod {{ $labels.pod }} is disconnected from NATS.',
    description: 'For two minutes. Creates and decisions continue; billing and webhooks are delayed.',
  },
  {
    alert: 'SssLimitsNotShared',
    severity: 'warning',
    for: '5m',
    expr: `${of('sss_gateway_limits_shared')} == 0`,
    summary: 'Gateway pod {{ $labels.pod }} enforces rate limits on its own.',
    description: 'The limits store has not responded for five minutes, so suppliers can exceed their limits.',
  },
  {
    alert: 'SssGatewayFull',
    severity: 'critical',
    for: '0m',
    expr: `sum by (component) (increase(${of('sss_gateway_requests_refused_total')}[5m])) + sum by (component) (increase(${of('sss_gateway_connections_closed_total', 'reason="listener full"')}[5m])) > 0`,
    summary: '{{ $labels.component }} is full and refuses requests or connections.',
    description: 'About {{ $value | humanize }} refused in five minutes.',
  },
];

const WORK: readonly Cause[] = [
  {
    alert: 'SssWorkOverdue',
    severity: 'critical',
    for: '2m',
    expr: `max by (work) (${of('sss_work_oldest_due_age_seconds')}) > 10`,
    summary: 'The "{{ $labels.work }}" backlog is overdue.',
    description: 'The oldest has been due for {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'SssWorkParked',
    severity: 'warning',
    for: '0m',
    expr: `max by (work) (${of('sss_work_parked_rows')}) > 0`,
    summary: 'Submissions are parked ("{{ $labels.work }}").',
    description: '{{ $value }} parked.',
  },
  {
    alert: 'SssPolicyUnusable',
    severity: 'critical',
    for: '0m',
    expr: `max by (kind) (${of('sss_policy_unusable')}) > 0`,
    summary: "The active {{ $labels.kind }} policy can't be used.",
    description: "Running processes use the previous version; new ones don't start.",
  },
  {
    alert: 'SssErasuresOverdue',
    severity: 'warning',
    for: '5m',
    expr: `max by (component) (${of('sss_oldest_erasure_age_seconds', 'state="in_progress"')}) > 3600`,
    summary: 'Erasures are overdue.',
    description: 'The oldest request is {{ $value | humanizeDuration }} old and not under a legal hold.',
  },
  {
    alert: 'SssOutboxStuck',
    severity: 'critical',
    for: '1m',
    expr: `max by (component) (${of('sss_outbox_oldest_unpublished_age_seconds')}) > 60`,
    summary: "{{ $labels.component }} isn't publishing events.",
    description: 'The oldest has been waiting for {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'SssOutboxParked',
    severity: 'warning',
    for: '0m',
    expr: `max by (component) (${of('sss_outbox_parked_events')}) > 0`,
    summary: 'Events of {{ $labels.component }} are parked in the outbox.',
    description: 'The stream refuses {{ $value }} events. No consumer has seen them.',
  },
  {
    alert: 'SssStreamRefilling',
    severity: 'warning',
    for: '15m',
    expr: `max by (component) (${of('sss_outbox_refill_remaining_events')}) > 0`,
    summary: 'The stream of {{ $labels.component }} lost events and is being refilled.',
    description: '{{ $value }} events left to check.',
  },
  {
    alert: 'SssStreamUnexpected',
    severity: 'critical',
    for: '5m',
    expr: `max by (component, stream) (${of('sss_stream_deviations')}) > 0`,
    summary:
      '{{ $labels.component }} does not use stream {{ $labels.stream }}, which is missing or was changed.',
    description: '{{ $value }} parts deviate. No events pass until they are repaired.',
  },
  {
    alert: 'SssEventsUnauthenticated',
    severity: 'critical',
    for: '0m',
    expr: `sum by (consumer) (increase(${of('sss_consumed_events_total', 'outcome="unauthenticated"')}[1h])) > 0`,
    summary: 'Consumer {{ $labels.consumer }} received messages that are not authentic events.',
    description: 'About {{ $value | humanize }} in the last hour. They were not applied.',
  },
  {
    alert: 'SssConsumerStopped',
    severity: 'critical',
    for: '5m',
    expr: `max by (consumer) (${of('sss_consumer_pending_events')} + ${of('sss_consumer_unacknowledged_events')}) > 0 and on (consumer) sum by (consumer) (rate(${of('sss_consumed_events_total')}[5m])) == 0`,
    summary: 'Consumer {{ $labels.consumer }} has stopped.',
    description: '{{ $value }} events pending, none consumed for five minutes.',
  },
  {
    alert: 'SssConsumerBehind',
    severity: 'warning',
    for: '10m',
    expr: `max by (consumer) (${of('sss_consumer_pending_events')}) > 1000`,
    summary: 'Consumer {{ $labels.consumer }} lags behind its stream.',
    description: 'By {{ $value }} events for ten minutes.',
  },
  {
    alert: 'SssEventsParked',
    severity: 'warning',
    for: '0m',
    expr: `max by (consumer) (${of('sss_failed_events', 'state="parked"')}) > 0`,
    summary: 'Consumer {{ $labels.consumer }} has parked events.',
    description: '{{ $value }} parked.',
  },
];

const WEBHOOKS: readonly Cause[] = [
  {
    alert: 'SssDeliveriesOverdue',
    severity: 'critical',
    for: '2m',
    expr: `max by (component) (${of('sss_webhook_oldest_due_age_seconds')}) > 60`,
    summary: 'Webhook deliveries are overdue.',
    description: 'The oldest has been due for {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'SssWebhooksExhausted',
    severity: 'warning',
    for: '0m',
    expr: `sum by (component) (increase(${of('sss_webhook_exhausted_events_total')}[1h])) > 0`,
    summary: 'Webhooks failed all eight attempts.',
    description: 'About {{ $value | humanize }} in the last hour. Suppliers have missed these changes.',
  },
  {
    alert: 'SssEndpointFailing',
    severity: 'warning',
    for: '15m',
    expr: `max by (endpoint_id) (${of('sss_webhook_endpoint_failed_attempts')}) >= 20`,
    summary: 'Webhook endpoint {{ $labels.endpoint_id }} is failing.',
    description: '{{ $value }} consecutive failed attempts.',
  },
  {
    alert: 'SssWebhooksMissing',
    severity: 'warning',
    for: '0m',
    expr: `sum by (fault) (increase(${of('sss_webhook_reconciliation_faults_total')}[1h])) > 0`,
    summary: 'Webhook events are missing ({{ $labels.fault }}).',
    description:
      'About {{ $value | humanize }} in the last hour. Lost events were sent again where possible.',
  },
];

const DOCUMENTS: readonly Cause[] = [
  {
    alert: 'SssScansOverdue',
    severity: 'warning',
    for: '5m',
    expr: `max by (component) (${of('sss_oldest_document_awaiting_scan_age_seconds')}) > 900`,
    summary: 'Document scans are overdue.',
    description: 'The oldest has been waiting for {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'SssDocumentsParked',
    severity: 'warning',
    for: '0m',
    expr: `max by (component) (${of('sss_documents_parked')}) > 0`,
    summary: 'Documents are parked after failed scans.',
    description: '{{ $value }} parked.',
  },
];

const SECURITY: readonly Cause[] = [
  {
    alert: 'SssCallsDenied',
    severity: 'warning',
    for: '0m',
    expr: `sum by (component, rpc, reason) (increase(${of('sss_rpc_denied_total', 'reason=~"role|no_supplier|scope|other_audience"')}[15m])) > 0`,
    summary: 'A caller with a valid token was denied ({{ $labels.rpc }}).',
    description: 'Reason {{ $labels.reason }}, about {{ $value | humanize }} times in 15 minutes.',
  },
  {
    alert: 'SssRolesWithheld',
    severity: 'warning',
    for: '0m',
    expr: `sum by (component) (increase(${of('sss_rpc_withheld_roles_total')}[15m])) > 0`,
    summary: 'An issuer grants roles that it may not give ({{ $labels.component }}).',
    description: 'About {{ $value | humanize }} tokens in 15 minutes.',
  },
  {
    alert: 'SssCredentialsTried',
    severity: 'warning',
    for: '0m',
    expr: `sum by (component) (increase(${of('sss_gateway_failed_authentications_total', 'reason="wrong secret"')}[15m])) > 20`,
    summary: 'Someone is guessing the secret of a credential ({{ $labels.component }}).',
    description: 'About {{ $value | humanize }} attempts in 15 minutes.',
  },
];

const AUDIT: readonly Cause[] = [
  {
    alert: 'SssAuditBroken',
    severity: 'critical',
    for: '0m',
    expr: `max by (component) (${of('sss_audit_broken')}) > 0`,
    summary: "The audit log of {{ $labels.component }} doesn't match its seals.",
    description: 'The latest verification found a changed, removed or added entry.',
  },
  {
    // One day allows for the first run after an install or upgrade; another allows for two runs that failed or were
    // skipped.
    alert: 'SssAuditUnverified',
    severity: 'warning',
    for: '26h',
    expr: `max by (component) (${of('sss_audit_unverified_age_seconds')}) > 25 * 3600`,
    summary: "The audit log of {{ $labels.component }} isn't being verified.",
    description: 'The last successful verification was {{ $value | humanizeDuration }} ago.',
  },
];

/** Returns the alerts besides the objectives. */
export function causeGroups(): RuleGroup[] {
  return Object.entries({
    processes: PROCESSES,
    stores: STORES,
    work: WORK,
    webhooks: WEBHOOKS,
    documents: DOCUMENTS,
    security: SECURITY,
    audit: AUDIT,
  }).map(([name, causes]) => ({ name: `sss-${name}`, rules: causes.map(ruleOf) }));
}

function ruleOf({ alert, severity, expr, summary, description, component, ...cause }: Cause): AlertRule {
  return {
    alert,
    expr,
    for: cause.for,
    labels: { severity, namespace: RELEASE.namespace, ...(component ? { component } : {}) },
    annotations: { summary, description, runbook_url: runbookUrl(alert) },
  };
}
