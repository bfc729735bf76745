import './browser-storage.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { DeliveryState, EventSchema } from '@supplier/proto/webhook/v1/webhook';
import { outcomeIn, outcomeOf } from '../web/src/screens/webhooks/attempt-outcome.ts';
import { untilDone } from '../web/src/screens/webhooks/until-done.ts';

const { PENDING, DELIVERED, EXHAUSTED, SUPERSEDED } = DeliveryState;
const requested = { submissionId: 's', eventId: 'e', number: 2 };
const endedAt = timestampFromMs(1);
const first = { number: 1, endedAt, statusCode: 503, errorClass: 'status' };
const second = { number: 2, endedAt, statusCode: 404, errorClass: 'status' };
const event = (more: MessageInitShape<typeof EventSchema>) => create(EventSchema, { eventId: 'e', ...more });

describe('the outcome of a requested attempt', () => {
  it.each([
    [
      'waiting until its event is recorded',
      create(EventSchema, { eventId: 'other', state: DELIVERED }),
      'waiting',
    ],
    ['waiting after earlier attempts', event({ state: PENDING, attempts: [first] }), 'waiting'],
    ['waiting until it ends', event({ state: PENDING, attempts: [first, { number: 2 }] }), 'waiting'],
    [
      'failed for a 404, although the event is pending',
      event({ state: PENDING, attempts: [first, second] }),
      'failed',
    ],
    ['failed for the last one', event({ state: EXHAUSTED, attempts: [first, second] }), 'failed'],
    [
      'delivered for a 2xx',
      event({ state: DELIVERED, attempts: [first, { number: 2, endedAt, statusCode: 204 }] }),
      'delivered',
    ],
    ['ended if it was not made', event({ state: SUPERSEDED }), 'ended'],
  ])('is %s', (_, one, result) => {
    expect(outcomeIn([one], requested)).toMatchObject({ result });
  });

  it('has the attempt and the time of the next one', () => {
    const nextAttemptAt = timestampFromMs(9);
    const failed = event({ state: PENDING, attempts: [first, second], nextAttemptAt });
    expect(outcomeIn([failed], requested)).toMatchObject({ attempt: { statusCode: 404 }, nextAttemptAt });
  });

  it('is waited for, and given up in the end', async () => {
    const waiting = event({ state: PENDING, attempts: [first] });
    const looks = [[], [waiting], [event({ state: PENDING, attempts: [first, second] })]];
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    expect(await outcomeOf(requested, async () => looks.shift() ?? [], pause)).toMatchObject({
      result: 'failed',
    });
    expect(pauses).toBe(2);
    expect(await outcomeOf(requested, async () => [waiting], pause)).toEqual({ result: 'waiting' });
    expect(pauses).toBe(25);
  });
});

describe('a call that is repeated while there is more', () => {
  it('has a different key each time, and the same ones when it is repeated after an error', async () => {
    const keys: string[] = [];
    const call = async (key: string) => {
      keys.push(key);
      if (keys.length === 2) throw new Error('unavailable');
      return { more: !key.endsWith('3'), key };
    };
    await expect(untilDone('k', call)).rejects.toThrow('unavailable');
    expect((await untilDone('k', call)).map(({ key }) => key)).toEqual(['k 1', 'k 2', 'k 3']);
    expect(keys).toEqual(['k 1', 'k 2', 'k 1', 'k 2', 'k 3']);
  });
});
