import { Gauge, type Registry, reading } from '@supplier/lib/metrics';
import { MAX_COUNTED, MAX_FAILING, type QueueReading } from '../db/read-queue.ts';

const READING = { everyMs: 5_000, withinMs: 1_500 };

/**
 * Shows the depth of the queue, which is the same for all processes that share it. `read` is asked at most every five
 * seconds and waited for 1.5 s; while it does not answer, none of these has a value, and the page is served without.
 */
export function measureQueue(registry: Registry, read: () => Promise<QueueReading>): void {
  const registers = [registry];
  const queue = reading(read, READING);
  new Gauge({
    name: 'sss_webhook_oldest_due_age_seconds',
    help: 'How long the oldest due event of an enabled endpoint has been due; 0 when none is.',
    registers,
    async collect() {
      const now = await queue();
      if (now) this.set(now.oldestDueSeconds);
      else this.remove();
    },
  });
  new Gauge({
    name: 'sss_webhook_pending_events',
    help: `Events still to be delivered: waiting for an attempt, or leased for one; each counted up to ${MAX_COUNTED}.`,
    labelNames: ['state'] as const,
    registers,
    async collect() {
      this.reset();
      const now = await queue();
      if (!now) return;
      this.set({ state: 'waiting' }, now.waiting);
      this.set({ state: 'leased' }, now.leased);
    },
  });
  new Gauge({
    name: 'sss_webhook_endpoint_failed_attempts',
    help: `Attempts failed in a row at endpoints that are failing now, of the ${MAX_FAILING} longest-failing ones.`,
    labelNames: ['endpoint_id'] as const,
    registers,
    async collect() {
      this.reset();
      const now = await queue();
      for (const { endpointId, failedAttempts } of now?.failing ?? []) {
        this.set({ endpoint_id: endpointId }, failedAttempts);
      }
    },
  });
}
