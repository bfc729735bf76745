import type { Selector } from './selectors.ts';

/** A promise to suppliers, measured where they would notice. docs/slo.md describes each in a sentence. */
export interface Slo {
  readonly name: string;
  /** The alert for burning the error budget. */
  readonly alert: string;
  readonly summary: string;
  /** The share of events that must be good, over 30 days. */
  readonly objective: number;
  /** The events in a window, and the bad ones among them, by component. */
  readonly total: (of: Selector, window: string) => string;
  readonly bad: (of: Selector, window: string) => string;
}

const REQUESTS = 'sss_gateway_request_duration_seconds';
const CREATES = 'operation=~"createSubmission|createDeliverySubmission"';
const READS = 'operation=~"getSubmission|getSubmissionByReference"';
/** An immediate error is not a fast response; it counts against availability. */
const ANSWERED = 'status!~"5.."';
const FIRST_ATTEMPT = 'sss_webhook_change_to_first_attempt_seconds';
/** Prometheus 3 writes whole numbers with a fraction, earlier versions without one. */
const TEN_SECONDS = 'le=~"10([.]0)?"';

const perComponent = (selected: string, window: string) =>
  `sum by (component) (rate(${selected}[${window}]))`;

/** Counts requests that took longer than a bucket's upper bound. */
const slower = (of: Selector, window: string, le: string, metric: string, ...matchers: string[]) =>
  `(${perComponent(of(`${metric}_count`, ...matchers), window)} - ${perComponent(of(`${metric}_bucket`, ...matchers, le), window)})`;

export const SLOS: readonly Slo[] = [
  {
    name: 'api_availability',
    alert: 'SssApiUnavailable',
    summary: 'The API returns too many 503 responses',
    objective: 0.999,
    total: (of, window) => perComponent(of(`${REQUESTS}_count`, 'operation!="other"'), window),
    bad: (of, window) => perComponent(of(`${REQUESTS}_count`, 'operation!="other"', 'status=~"5.."'), window),
  },
  {
    name: 'create_latency',
    alert: 'SssCreatesSlow',
    summary: 'Too many creates take longer than 500 ms',
    objective: 0.99,
    total: (of, window) => perComponent(of(`${REQUESTS}_count`, CREATES, ANSWERED), window),
    bad: (of, window) => slower(of, window, 'le="0.5"', REQUESTS, CREATES, ANSWERED),
  },
  {
    name: 'read_latency',
    alert: 'SssReadsSlow',
    summary: 'Too many reads take longer than 250 ms',
    objective: 0.99,
    total: (of, window) => perComponent(of(`${REQUESTS}_count`, READS, ANSWERED), window),
    bad: (of, window) => slower(of, window, 'le="0.25"', REQUESTS, READS, ANSWERED),
  },
  {
    name: 'first_attempt',
    alert: 'SssWebhooksLate',
    summary: 'Too many webhooks get their first attempt after more than 10 s',
    objective: 0.99,
    total: (of, window) => perComponent(of(`${FIRST_ATTEMPT}_count`), window),
    bad: (of, window) => slower(of, window, TEN_SECONDS, FIRST_ATTEMPT),
  },
];

/** The number of days over which an objective's error budget may be spent. */
export const BUDGET_DAYS = 30;

/**
 * When a budget burns too fast: over the long window, so that it matters, and over the short window, so that it is
 * still happening and the alert ends soon after the cause. `factor` 1 spends exactly the budget in 30 days.
 */
export interface Burn {
  readonly long: string;
  readonly short: string;
  readonly factor: number;
  readonly severity: 'critical' | 'warning';
  readonly for: string;
}

export const BURNS: readonly Burn[] = [
  { long: '1h', short: '5m', factor: 14.4, severity: 'critical', for: '2m' },
  { long: '6h', short: '30m', factor: 6, severity: 'critical', for: '5m' },
  { long: '3d', short: '6h', factor: 1, severity: 'warning', for: '30m' },
];

/** No alert fires with fewer bad events than this in the long window: one of three requests is not an outage. */
export const FEWEST_BAD_EVENTS = 5;
