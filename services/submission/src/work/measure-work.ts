import { Gauge, type Registry, reading } from '../../runtime/metrics/index.ts';

const READING = { everyMs: 5_000, withinMs: 1_500 };

interface Backlog {
  readonly due: number;
  readonly oldestSeconds: number;
  readonly parked: number;
}

const readings = new WeakMap<Registry, Map<string, () => Promise<Backlog | undefined>>>();

/**
 * Reports the backlog of each kind of work. Reads it at most every 5 s, with a timeout of 1.5 s. These metrics have no
 * value while the database does not respond.
 */
export function measureWork(registry: Registry, work: string, read: () => Promise<Backlog>): void {
  const known = readings.get(registry);
  if (known) {
    known.set(work, reading(read, READING));
    return;
  }
  const all = new Map([[work, reading(read, READING)]]);
  readings.set(registry, all);
  gauge('sss_work_due_rows', 'Rows that are due, by kind of work, counted up to 10,000.', ({ due }) => due);
  gauge(
    'sss_work_oldest_due_age_seconds',
    'How long the oldest row has been due, by kind of work; 0 when none is.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  gauge('sss_work_parked_rows', 'Rows that failed repeatedly and wait for staff.', ({ parked }) => parked);

  function gauge(name: string, help: string, pick: (backlog: Backlog) => number): void {
    new Gauge({
      name,
      help,
      labelNames: ['work'] as const,
      registers: [registry],
      async collect() {
        this.reset();
        for (const [label, readNow] of all) {
          const backlog = await readNow();
          if (backlog) this.set({ work: label }, pick(backlog));
        }
      },
    });
  }
}
