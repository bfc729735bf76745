/**
 * How rules and dashboards select one release. In rule files, the chart replaces these two with the release's values;
 * in dashboards they are variables that the viewer chooses.
 */
export const RELEASE = { namespace: 'RELEASE_NAMESPACE', job: 'RELEASE_JOB' } as const;
const VIEWED = { namespace: '$namespace', job: '$job' } as const;

/** Writes a selector for one metric: `of('sss_x', 'work="decide"')`. */
export type Selector = (metric: string, ...matchers: readonly string[]) => string;

const selector =
  ({ namespace, job }: { namespace: string; job: string }): Selector =>
  (metric, ...matchers) =>
    `${metric}{${[`namespace="${namespace}"`, `job="${job}"`, ...matchers].join(',')}}`;

export const ofRelease = selector(RELEASE);
export const ofViewed = selector(VIEWED);

/** Labels added by the scrape rather than a process: see templates/monitoring/service-monitor.yaml. */
export const SCRAPE_LABELS = ['namespace', 'job', 'component', 'pod', 'instance'] as const;
