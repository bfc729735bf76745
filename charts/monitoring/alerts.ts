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
    // Without the console, staff still have `sss`, and leads are still processed.
    severity: component === 'console' ? ('warning' as const) : ('critical' as const),
    for: '5m',
    component,
    expr: `absent(${of('sss_build_info', component === 'gateway' ? 'component=~"gateway-.+"' : `component="${component}"`)})`,
    summary: 'No pod of {{ $labels.component }} answers.',
    description: 'None has been scraped for five minutes: none runs, or metrics are not reached.',
  })),
  {
    alert: 'SssPodUnreachable',
    severity: 'warning',
    for: '10m',
    expr: `${of('up')} == 0`,
    summary: 'Pod {{ $labels.pod }} does not answer when its metrics are asked for.',
    description: 'It has not answered for ten minutes.',
  },
  {
    alert: 'SssProcessRestarting',
    severity: 'warning',
    for: '0m',
    expr: `changes(${of('process_start_time_seconds')}[30m]) > 2`,
    summary: 'The process in pod {{ $labels.pod }} starts again and again.',
    description: 'It has been started {{ $value }} times in half an hour.',
  },
  {
    alert: 'SssEventLoopBlocked',
    severity: 'warning',
    for: '10m',
    expr: `${of('nodejs_eventloop_lag_p99_seconds')} > 0.25`,
    summary: 'The process in pod {{ $labels.pod }} is too busy to turn to its work in time.',
    description: 'One turn in a hundred came {{ $value | humanizeDuration }} late.',
  },
  {
    alert: 'SssVersionsMixed',
    severity: 'warning',
    for: '1h',
    expr: `count(count by (revision) (${of('sss_build_info')})) > 1`,
    summary: 'Pods of {{ $value }} versions have been running side by side for an hour.',
    description: 'A roll-out has not come to its end.',
  },
  {
    alert: 'SssCertificateExpiring',
    severity: 'warning',
    for: '1h',
    expr: `min by (component) (${of('sss_tls_certificate_expiry_timestamp_seconds')}) - time() < 10 * 86400`,
    summary: 'The certificate of {{ $labels.component }} expires soon.',
    description: 'It expires in {{ $value | humanizeDuration }}; then its callers are refused.',
  },
];

const STORES: readonly Cause[] = [
  {
    alert: 'SssDatabasePoolExhausted',
    severity: 'warning',
    for: '5m',
    expr: `avg_over_time(${of('sss_database_pool_waiting_callers')}[5m]) > 1`,
    summary: 'Work in pod {{ $labels.pod }} waits for connections to PostgreSQL (pool {{ $labels.pool }}).',
    description: 'On average {{ $value | humanize }} callers have been waiting for five minutes.',
  },
  {
    alert: 'SssNatsDisconnected',
    severity: 'warning',
    for: '2m',
    expr: `${of('sss_nats_connected')} == 0`,
    summary: 'Pod {{ $labels.pod }} has no connection to NATS.',
    description: 'For two minutes. Creates and decisions go on; billing and webhooks wait.',
  },
  {
    alert: 'SssLimitsNotShared',
    severity: 'warning',
    for: '5m',
    expr: `${of('sss_gateway_limits_shared')} == 0`,
    summary: 'Gateway pod {{ $labels.pod }} counts the limits of suppliers by itself.',
    description:
      'Its store of limits has not answered for five minutes: a supplier may send more than allowed.',
  },
  {
    alert: 'SssGatewayFull',
    severity: 'critical',
    for: '0m',
    expr: `sum by (component) (increase(${of('sss_gateway_requests_refused_total')}[5m])) + sum by (component) (increase(${of('sss_gateway_connections_closed_total', 'reason="listener full"')}[5m])) > 0`,
    summary: '{{ $labels.component }} refuses requests or connections because it has too many.',
    description: 'About {{ $value | humanize }} in five minutes.',
  },
];

const WORK: readonly Cause[] = [
  {
    alert: 'SssWorkOverdue',
    severity: 'critical',
    for: '2m',
    expr: `max by (work) (${of('sss_work_oldest_due_age_seconds')}) > 10`,
    summary: 'Leads wait for work "{{ $labels.work }}".',
    description: 'The oldest has been due for {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'SssWorkParked',
    severity: 'warning',
    for: '0m',
    expr: `max by (work) (${of('sss_work_parked_rows')}) > 0`,
    summary: 'Leads have failed at work "{{ $labels.work }}" and wait for staff.',
    description: '{{ $value }} of them.',
  },
  {
    alert: 'SssPolicyUnusable',
    severity: 'critical',
    for: '0m',
    expr: `max by (kind) (${of('sss_policy_unusable')}) > 0`,
    summary: 'A {{ $labels.kind }} policy is in force that processes cannot use.',
    description: 'They go on with the version before it, and would not start.',
  },
  {
    alert: 'SssErasuresOverdue',
    severity: 'warning',
    for: '5m',
    expr: `max by (component) (${of('sss_oldest_erasure_age_seconds', 'state="in_progress"')}) > 3600`,
    summary: 'Applicants whose erasure was asked for are not erased.',
    description: 'The oldest request is {{ $value | humanizeDuration }} old; no legal hold keeps it.',
  },
  {
    alert: 'SssOutboxStuck',
    severity: 'critical',
    for: '1m',
    expr: `max by (component) (${of('sss_outbox_oldest_unpublished_age_seconds')}) > 60`,
    summary: 'Events of {{ $labels.component }} are not published.',
    description: 'The oldest has been waiting for {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'SssOutboxParked',
    severity: 'warning',
    for: '0m',
    expr: `max by (component) (${of('sss_outbox_parked_events')}) > 0`,
    summary: 'Events of {{ $labels.component }} that its stream does not take wait for staff.',
    description: '{{ $value }} of them: what they tell, nobody knows.',
  },
  {
    alert: 'SssStreamRefilling',
    severity: 'warning',
    for: '15m',
    expr: `max by (component) (${of('sss_outbox_refill_remaining_events')}) > 0`,
    summary: 'The stream of {{ $labels.component }} lost events, and they are still being published again.',
    description: '{{ $value }} are still to be looked at.',
  },
  {
    alert: 'SssConsumerStopped',
    severity: 'critical',
    for: '5m',
    expr: `max by (consumer) (${of('sss_consumer_pending_events')} + ${of('sss_consumer_unacknowledged_events')}) > 0 and on (consumer) sum by (consumer) (rate(${of('sss_consumed_events_total')}[5m])) == 0`,
    summary: 'Consumer {{ $labels.consumer }} has events before it and takes none.',
    description: '{{ $value }} wait, and none has been taken for five minutes.',
  },
  {
    alert: 'SssConsumerBehind',
    severity: 'warning',
    for: '10m',
    expr: `max by (consumer) (${of('sss_consumer_pending_events')}) > 1000`,
    summary: 'Consumer {{ $labels.consumer }} is behind its stream.',
    description: 'By {{ $value }} events, for ten minutes.',
  },
  {
    alert: 'SssEventsParked',
    severity: 'warning',
    for: '0m',
    expr: `max by (consumer) (${of('sss_failed_events', 'state="parked"')}) > 0`,
    summary: 'Events that consumer {{ $labels.consumer }} cannot apply wait for staff.',
    description: '{{ $value }} of them.',
  },
];

const WEBHOOKS: readonly Cause[] = [
  {
    alert: 'SssDeliveriesOverdue',
    severity: 'critical',
    for: '2m',
    expr: `max by (component) (${of('sss_webhook_oldest_due_age_seconds')}) > 60`,
    summary: 'Webhooks that are due are not attempted.',
    description: 'The oldest has been due for {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'SssWebhooksExhausted',
    severity: 'warning',
    for: '0m',
    expr: `sum by (component) (increase(${of('sss_webhook_exhausted_events_total')}[1h])) > 0`,
    summary: 'Suppliers have not taken webhooks in any of eight attempts.',
    description:
      'About {{ $value | humanize }} in the last hour: each is a change that a supplier does not know of.',
  },
  {
    alert: 'SssEndpointFailing',
    severity: 'warning',
    for: '15m',
    expr: `max by (endpoint_id) (${of('sss_webhook_endpoint_failed_attempts')}) >= 20`,
    summary: 'The endpoint {{ $labels.endpoint_id }} of a supplier fails.',
    description: '{{ $value }} attempts in a row.',
  },
  {
    alert: 'SssWebhooksMissing',
    severity: 'warning',
    for: '0m',
    expr: `sum by (fault) (increase(${of('sss_webhook_reconciliation_faults_total')}[1h])) > 0`,
    summary: 'Changes of submissions had no webhook where there should be one ({{ $labels.fault }}).',
    description: 'About {{ $value | humanize }} in the last hour; what can be restated was.',
  },
];

const DOCUMENTS: readonly Cause[] = [
  {
    alert: 'SssScansOverdue',
    severity: 'warning',
    for: '5m',
    expr: `max by (component) (${of('sss_oldest_document_awaiting_scan_age_seconds')}) > 900`,
    summary: 'Documents wait for their scan.',
    description: 'The oldest for {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'SssDocumentsParked',
    severity: 'warning',
    for: '0m',
    expr: `max by (component) (${of('sss_documents_parked')}) > 0`,
    summary: 'Documents whose scans came to nothing wait for staff.',
    description: '{{ $value }} of them.',
  },
];

const SECURITY: readonly Cause[] = [
  {
    alert: 'SssCallsDenied',
    severity: 'warning',
    for: '0m',
    expr: `sum by (component, rpc, reason) (increase(${of('sss_rpc_denied_total', 'reason=~"role|no_supplier|scope|other_audience"')}[15m])) > 0`,
    summary: 'Somebody with a good token called what is not for them ({{ $labels.rpc }}).',
    description: 'Reason {{ $labels.reason }}, about {{ $value | humanize }} times in a quarter of an hour.',
  },
  {
    alert: 'SssRolesWithheld',
    severity: 'warning',
    for: '0m',
    expr: `sum by (component) (increase(${of('sss_rpc_withheld_roles_total')}[15m])) > 0`,
    summary: 'An issuer claims roles that it may not give ({{ $labels.component }}).',
    description: 'About {{ $value | humanize }} tokens in a quarter of an hour.',
  },
  {
    alert: 'SssCredentialsTried',
    severity: 'warning',
    for: '0m',
    expr: `sum by (component) (increase(${of('sss_gateway_failed_authentications_total', 'reason="wrong secret"')}[15m])) > 20`,
    summary: 'Somebody has a public id of a credential and tries secrets ({{ $labels.component }}).',
    description: 'About {{ $value | humanize }} times in a quarter of an hour.',
  },
];

const AUDIT: readonly Cause[] = [
  {
    alert: 'SssAuditBroken',
    severity: 'critical',
    for: '0m',
    expr: `max by (component) (${of('sss_audit_broken')}) > 0`,
    summary: 'The audit log of {{ $labels.component }} is not what was sealed.',
    description: 'The latest verification found something changed, removed or added.',
  },
  {
    // One day allows for the first run after an install or upgrade; another allows for two runs that failed or were
    // skipped.
    alert: 'SssAuditUnverified',
    severity: 'warning',
    for: '26h',
    expr: `max by (component) (${of('sss_audit_unverified_age_seconds')}) > 25 * 3600`,
    summary: 'The audit log of {{ $labels.component }} is not verified daily.',
    description: 'It was last found whole, or begun, {{ $value | humanizeDuration }} ago.',
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
