import { Counter, type Registry } from '@supplier/lib/runtime/metrics';
import { FAULTS, type Fault } from './model/reconciliation.ts';
import type { Recording } from './model/recording.ts';

export interface EventCounts {
  /** Counts a change by how it was recorded. */
  readonly countRecorded: (state: Recording['state']) => void;
  readonly countExpired: (count: number) => void;
  /** Counts the faults that a reconciliation found, and the submissions that it restated. */
  readonly countReconciled: (faults: readonly Fault[], restated: number) => void;
}

export function eventCounts(registry: Registry): EventCounts {
  const registers = [registry];
  const recorded = new Counter({
    name: 'sss_webhook_recorded_events_total',
    help: 'Events recorded by this process, by initial state: pending, superseded or dropped.',
    labelNames: ['state'] as const,
    registers,
  });
  const expired = new Counter({
    name: 'sss_webhook_expired_events_total',
    help: 'Events expired by this process because their endpoint was disabled for too long.',
    registers,
  });
  const faults = new Counter({
    name: 'sss_webhook_reconciliation_faults_total',
    help: 'Changes found without the expected event or delivery by reconciliations of this process, by fault.',
    labelNames: ['fault'] as const,
    registers,
  });
  const restated = new Counter({
    name: 'sss_webhook_reconciliation_restated_total',
    help: 'Submissions restated by this process because their changes were lost.',
    registers,
  });
  for (const state of ['pending', 'superseded', 'dropped']) recorded.inc({ state }, 0);
  for (const fault of Object.keys(FAULTS)) faults.inc({ fault }, 0);
  return {
    countRecorded: (state) => recorded.inc({ state }),
    countExpired: (count) => expired.inc(count),
    countReconciled(found, count) {
      for (const fault of found) faults.inc({ fault });
      restated.inc(count);
    },
  };
}
