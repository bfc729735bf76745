export type ProcessName = 'gateway' | 'submission' | 'billing' | 'webhook' | 'nats' | 'postgres';

/** One rate of `npm run bench -- leads`: CPU of a submission in milliseconds, for each process. */
export interface Measured {
  readonly perSecond: number;
  readonly cpuMs: Readonly<Record<ProcessName, number>>;
}

/** Measured on two virtual cores on 26 November 2026, with nothing else running. */
export const CURVE: readonly Measured[] = [
  {
    perSecond: 20,
    cpuMs: { gateway: 3.3, submission: 5.1, billing: 1.85, webhook: 3.6, nats: 1.9, postgres: 9.2 },
  },
  {
    perSecond: 50,
    cpuMs: { gateway: 2.02, submission: 4, billing: 1.56, webhook: 2.88, nats: 1.04, postgres: 5.5 },
  },
  {
    perSecond: 100,
    cpuMs: { gateway: 1.45, submission: 2.19, billing: 0.66, webhook: 1.54, nats: 0.53, postgres: 3.05 },
  },
  {
    perSecond: 200,
    cpuMs: { gateway: 0.86, submission: 1.315, billing: 0.39, webhook: 0.885, nats: 0.29, postgres: 1.645 },
  },
  {
    perSecond: 350,
    cpuMs: { gateway: 0.571, submission: 0.891, billing: 0.2, webhook: 0.577, nats: 0.18, postgres: 0.963 },
  },
  {
    perSecond: 500,
    cpuMs: { gateway: 0.516, submission: 0.776, billing: 0.148, webhook: 0.508, nats: 0.14, postgres: 0.768 },
  },
  {
    perSecond: 700,
    cpuMs: {
      gateway: 0.459,
      submission: 0.679,
      billing: 0.106,
      webhook: 0.399,
      nats: 0.163,
      postgres: 0.654,
    },
  },
  {
    perSecond: 1_000,
    cpuMs: { gateway: 0.377, submission: 0.56, billing: 0.057, webhook: 0.316, nats: 0.081, postgres: 0.441 },
  },
];
