import type { MessageInitShape } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/time';
import type { GetQueuesResponseSchema } from '@supplier/proto/submission/v1/queues';
import type { Context, Rpcs } from '../context.ts';
import { readQueues } from '../db/queues.ts';

/**
 * How many wait in each queue, counted up to 10,000, and how long the oldest has waited. Implements docs/contract.md,
 * section 11.
 */
export function getQueues(parts: Pick<Context, 'pool' | 'clock'>): Rpcs['getQueues'] {
  return queuesReader(parts);
}

/** Reads the lengths of all queues. */
export function queuesReader({
  pool,
  clock,
}: Pick<Context, 'pool' | 'clock'>): () => Promise<MessageInitShape<typeof GetQueuesResponseSchema>> {
  return async () => {
    const queues = await readQueues(pool);
    const now = clock.now().getTime();
    return {
      queues: queues.map(({ queue, count, isMore, oldestSince }) => ({
        queue,
        count: BigInt(count),
        atLeast: isMore,
        ...(oldestSince
          ? {
              oldestSince: toTimestamp(oldestSince),
              oldestAgeSeconds: BigInt(Math.max(0, Math.floor((now - oldestSince.getTime()) / 1_000))),
            }
          : {}),
      })),
    };
  };
}
