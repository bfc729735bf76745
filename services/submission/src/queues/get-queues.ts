import type { MessageInitShape } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { GetQueuesResponseSchema } from '@supplier/proto/submission/v1/queues';
import type { Context, Rpcs } from '../context.ts';
import { readQueues } from '../store/queues.sql.ts';

/**
 * Returns the number of submissions in each queue of an environment, counted up to 10,000, and the age of the oldest.
 * Implements docs/contract.md, section 11.
 */
export function getQueues(parts: Pick<Context, 'pool' | 'clock'>): Rpcs['getQueues'] {
  const read = queuesReader(parts);
  return ({ environment }) => read(environment);
}

export function queuesReader({
  pool,
  clock,
}: Pick<Context, 'pool' | 'clock'>): (
  environment: Environment,
) => Promise<MessageInitShape<typeof GetQueuesResponseSchema>> {
  return async (environment) => {
    const queues = await readQueues(pool, environment);
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
