/**
 * How rules and dashboards choose what belongs to one release. In files of rules, the chart puts the release's own words in
 * place of these two; in dashboards they are variables that the viewer chooses.
 */
export const RELEASE = { namespace: 'RELEASE_NAMESPACE', job: 'RELEASE_JOB' } as const;
const VIEWED = { namespace: '$namespace', job: '$job' } as const;

/** Writes a selector of one metric: `of('sss_x', 'work="decide"')`. */
export type Selector = (metric: string, ...matchers: readonly string[]) => string;

const selector =
  ({ namespace, job }: { namespace: string; job: string }): Selector =>
  (metric, ...matchers) =>
    `${metric}{${[`namespace="${namespace}"`, `job="${job}"`, ...matchers].join(',')}}`;

export const ofRelease = selector(RELEASE);
export const ofViewed = selector(VIEWED);

/** Labels that come from the scrape and from no process: see templates/monitoring/service-monitor.yaml. */
export const SCRAPE_LABELS = ['namespace', 'job', 'component', 'pod', 'instance'] as const;
