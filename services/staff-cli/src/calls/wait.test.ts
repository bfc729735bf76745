import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type AttemptSchema, DeliveryState, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type FakeServices, startFakeServices } from '../../testing/fake-services.ts';

const EVENT = '01998c1e-7d5c-7000-8000-000000000006';
const SUBMISSION = '01998c1e-7d5c-7000-8000-000000000003';
const endedAt = timestampFromMs(1);
const { PENDING, DELIVERED, SUPERSEDED } = DeliveryState;

let services: FakeServices | undefined;
afterEach(() => services?.close());

describe('--wait of an event that is sent now', () => {
  const second = { number: 2, endedAt, statusCode: 500, errorClass: 'status' };
  const third = { number: 3, endedAt, statusCode: 503, errorClass: 'status' };

  it.each([
    ['failed', [second, third], PENDING, 'attempt 3: 503, pending'],
    [
      'failed without a status',
      [{ ...third, statusCode: undefined, errorClass: 'dns' }],
      PENDING,
      'attempt 3: dns, pending',
    ],
    [
      'succeeded',
      [second, { ...third, statusCode: 204, errorClass: '' }],
      DELIVERED,
      'attempt 3: 204, delivered',
    ],
    ['is not made because the event was superseded', [], SUPERSEDED, 'attempt 3: not made, superseded'],
  ] as const)('ends when its attempt %s', async (_, last, state, line) => {
    type Attempts = readonly MessageInitShape<typeof AttemptSchema>[];
    const looks: { attempts: Attempts; state: DeliveryState }[] = [
      { attempts: [second], state: PENDING },
      { attempts: [second, { number: 3 }], state: PENDING },
      { attempts: last, state },
    ];
    services = await startFakeServices((router) =>
      router.service(WebhookService, {
        sendEventNow: () => ({ eventId: EVENT, submissionId: SUBMISSION, attemptNumber: 3 }),
        listEvents: () => {
          const { attempts = [], ...seen } = looks.shift() ?? {};
          return { events: [{ eventId: EVENT, ...seen, attempts: [...attempts] }] };
        },
      }),
    );
    const ended = await services.run('events', 'send-now', EVENT, '--wait');
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain(line);
    expect(looks).toEqual([]);
  });
});
