import { create, equals } from '@bufbuild/protobuf';
import type { Environment } from '@supplier/proto/common/v1/status';
import { type GetQueuesResponse, GetQueuesResponseSchema } from '@supplier/proto/submission/v1/queues';
import type { Context, Rpcs } from '../context.ts';
import { Watch } from '../watch/index.ts';
import { queuesReader } from './get-queues.ts';

const EVERY_MS = 2_000;

/**
 * Streams the response of GetQueues again whenever a count or the oldest changes; read once for all watchers, every two
 * seconds. It has the same bounds as WatchTimeline.
 */
export function watchQueues(
  context: Pick<Context, 'pool' | 'clock' | 'log' | 'stopping' | 'watchBounds'>,
): Rpcs['watchQueues'] {
  const read = queuesReader(context);
  const watch = new Watch<Environment, GetQueuesResponse>(
    {
      name: 'WatchQueues',
      everyMs: EVERY_MS,
      look: async (environments) =>
        new Map(
          await Promise.all(
            [...environments.keys()].map(async (environment) => {
              const state = create(GetQueuesResponseSchema, await read(environment));
              return [environment, { mark: '', state }] as const;
            }),
          ),
        ),
      isSame: (one, other) => equals(GetQueuesResponseSchema, withoutAge(one), withoutAge(other)),
    },
    { bounds: context.watchBounds, stopping: context.stopping, log: context.log },
  );
  return ({ environment }, call) => watch.stream(environment, call);
}

/** A higher age of the oldest is not a change, since readers know when it began to wait. */
const withoutAge = ({ queues }: GetQueuesResponse): GetQueuesResponse =>
  create(GetQueuesResponseSchema, { queues: queues.map((queue) => ({ ...queue, oldestAgeSeconds: 0n })) });
