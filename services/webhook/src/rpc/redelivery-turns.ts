import type { EndpointId } from '@supplier/lib/ids';
import type { ServiceContext } from '../context.ts';
import { aloneInRedelivery } from '../db/redelivery.ts';
import { redeliveryUnderWay } from './redelivery-refusals.ts';

/** Each holds a connection to the database: most of the pool stays with deliveries. */
const MOST_AT_ONCE = 2;

/** Runs the work when it is its turn to redeliver for an endpoint; throws SERVICE_UNAVAILABLE when it is not. */
export type InRedeliveryTurn = <Result>(
  endpointId: EndpointId,
  work: () => Promise<Result>,
) => Promise<Result>;

/** One redelivery of an endpoint at a time, in all processes, and two at a time in this one. Nobody waits in a queue. */
export function redeliveryTurns({ db }: Pick<ServiceContext, 'db'>): InRedeliveryTurn {
  let running = 0;
  return async (endpointId, work) => {
    if (running >= MOST_AT_ONCE) throw redeliveryUnderWay();
    running += 1;
    try {
      const held = await aloneInRedelivery(db, endpointId, async () => ({ result: await work() }));
      if (!held) throw redeliveryUnderWay();
      return held.result;
    } finally {
      running -= 1;
    }
  };
}
