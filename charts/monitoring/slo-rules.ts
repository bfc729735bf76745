import { ofRelease, RELEASE } from './selectors.ts';
import { BURNS, type Burn, FEWEST_BAD_EVENTS, SLOS, type Slo } from './slos.ts';

/** A rule in Prometheus' format. */
export type Rule = { readonly record: string; readonly labels: Labels; readonly expr: string } | AlertRule;
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Labels;
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}
type Labels = Readonly<Record<string, string>>;

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** The placeholder that the chart replaces with the address of the runbooks. */
export const RUNBOOKS = 'RUNBOOK_BASE_URL';
/** Headings become lower-case anchors. */
export const runbookUrl = (alert: string) => `${RUNBOOKS}#${alert.toLowerCase()}`;

/** The share of bad events and their number; one series per objective, window and component. */
export const RATIO = (window: string) => `sss:slo_bad:ratio_rate${window}`;
export const BAD_EVENTS = (window: string) => `sss:slo_bad:increase${window}`;

const WINDOWS = [...new Set(BURNS.flatMap(({ short, long }) => [short, long]))];
const SECONDS: Readonly<Record<string, number>> = { '1h': 3_600, '6h': 21_600, '3d': 259_200 };

/** Returns the recorded series that alerts and dashboards use, and alerts with several windows and burn rates. */
export function sloGroups(): RuleGroup[] {
  return SLOS.map((slo) => ({
    name: `sss-slo-${slo.name.replaceAll('_', '-')}`,
    rules: [...records(slo), ...BURNS.map((burn) => alertOf(slo, burn))],
  }));
}

function records({ name, total, bad }: Slo): Rule[] {
  const labels = { ...RELEASE, slo: name };
  const ratios = WINDOWS.map((window) => ({
    record: RATIO(window),
    labels,
    expr: `${bad(ofRelease, window)} / ${total(ofRelease, window)}`,
  }));
  const counts = BURNS.map(({ long }) => ({
    record: BAD_EVENTS(long),
    labels,
    expr: `${bad(ofRelease, long)} * ${SECONDS[long]}`,
  }));
  return [...ratios, ...counts];
}

function alertOf(
  { name, alert, summary, objective }: Slo,
  { long, short, factor, severity, ...burn }: Burn,
): AlertRule {
  const slo = `slo="${name}"`;
  const bound = `${factor} * ${decimal(1 - objective)}`;
  const over = (window: string) => `${ofRelease(RATIO(window), slo)} > ${bound}`;
  const enough = `${ofRelease(BAD_EVENTS(long), slo)} >= ${FEWEST_BAD_EVENTS}`;
  return {
    alert,
    expr: `${over(long)} and ${over(short)} and ${enough}`,
    for: burn.for,
    labels: { severity: severityOf(severity), window: long },
    annotations: {
      summary: `${summary} ({{ $labels.component }}).`,
      description: `{{ $value | humanizePercentage }} over the last ${long}; the objective is ${decimal(100 * (1 - objective))} %. At ${factor} times the budget rate for 30 days, also over the last ${short}.`,
      runbook_url: runbookUrl(alert),
    },
  };
}

/** Downgrades the severity for the sandbox, where suppliers can also request a 503 by name. */
const severityOf = (severity: Burn['severity']) =>
  severity === 'critical'
    ? '{{ if eq $labels.component "gateway-sandbox" }}warning{{ else }}critical{{ end }}'
    : severity;

/** Removes floating-point noise. */
const decimal = (value: number) => String(Number(value.toPrecision(6)));
