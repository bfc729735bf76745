import { Gauge, type Registry, reading } from '@supplier/lib/runtime/metrics';
import type { Clock } from '@supplier/lib/text/time';
import type { Database } from '../store/database.ts';
import { countWaitingScans } from './scan-queue.sql.ts';

const READING = { everyMs: 5_000, withinMs: 1_500 };

/**
 * Gauges of how many documents wait for their scan, and for how long; without values while the database is unavailable.
 */
export function measureWaiting(registry: Registry, db: Database, clock: Clock): void {
  const registers = [registry];
  const waiting = reading(() => countWaitingScans(db, clock.now()), READING);
  new Gauge({
    name: 'sss_documents_awaiting_scan',
    help: 'Finalized documents that have no scan result yet.',
    registers,
    async collect() {
      const now = await waiting();
      if (now) this.set(now.count);
      else this.remove();
    },
  });
  new Gauge({
    name: 'sss_documents_parked',
    help: 'Documents that are not scanned any more until staff ask for it: each scan of them came to nothing.',
    registers,
    async collect() {
      const now = await waiting();
      if (now) this.set(now.parked);
      else this.remove();
    },
  });
  new Gauge({
    name: 'sss_oldest_document_awaiting_scan_age_seconds',
    help: 'How long ago the oldest of the documents without a scan result was finalized; 0 when there is none.',
    registers,
    async collect() {
      const now = await waiting();
      if (now) this.set(now.oldestSeconds);
      else this.remove();
    },
  });
}
