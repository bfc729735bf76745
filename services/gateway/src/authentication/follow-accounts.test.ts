import { create, toBinary } from '@bufbuild/protobuf';
import type { Bus } from '@supplier/lib/events/event-bus';
import { createLogger } from '@supplier/lib/runtime/log';
import { newId } from '@supplier/lib/text/ids';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { followAccounts } from './follow-accounts.ts';

type Callback = (error: Error | null, message: { data: Uint8Array }) => void;

/** Creates a bus that connects, disconnects and delivers on request. */
function followed() {
  const happened: string[] = [];
  const subscriptions: { subject: string; callback: Callback }[] = [];
  const connectionOf = () => ({
    subscribe: (subject: string, { callback }: { callback: Callback }) =>
      subscriptions.push({ subject, callback }),
  });
  let connection: object | undefined;
  const listeners: (() => void)[] = [];
  const bus = {
    connection: () => connection,
    onConnect: (listener: () => void) => listeners.push(listener),
  } as unknown as Bus;
  const cache = {
    clear: () => happened.push('clear'),
    forgetAccount: (id: string) => happened.push(`forget ${id}`),
  };
  const lines: unknown[] = [];
  const log = createLogger('test', 'warn', { write: (line) => lines.push(JSON.parse(line)) });
  followAccounts(bus, cache, log);
  return {
    lines,
    happened,
    subscriptions,
    connect(fresh: boolean) {
      if (fresh) connection = connectionOf();
      for (const listener of listeners) listener();
    },
    deliver: (data: Uint8Array, error: Error | null = null) =>
      subscriptions.at(-1)?.callback(error, { data }),
  };
}

describe('followAccounts', () => {
  it('forgets the account named by any account event', () => {
    const bus = followed();
    bus.connect(true);
    expect(bus.subscriptions.map(({ subject }) => subject)).toEqual(['supplier.account.>']);
    const aggregateId = newId();
    for (const name of ['AccountChanged', 'CredentialRevoked', 'SomethingNew']) {
      const type = `supplier.account.v1.${name}`;
      bus.deliver(toBinary(EventEnvelopeSchema, create(EventEnvelopeSchema, { type, aggregateId })));
    }
    expect(bus.happened).toEqual(['clear', ...Array(3).fill(`forget ${aggregateId}`)]);
  });

  it('forgets everything on every connect, and subscribes once per connection', () => {
    const bus = followed();
    bus.connect(true);
    bus.connect(false);
    expect(bus.subscriptions).toHaveLength(1);
    bus.connect(true);
    expect(bus.subscriptions).toHaveLength(2);
    expect(bus.happened).toEqual(['clear', 'clear', 'clear']);
  });

  it('subscribes on the next connection when the first is lost before the subscription', () => {
    const bus = followed();
    bus.connect(false);
    expect(bus.subscriptions).toEqual([]);
    bus.connect(true);
    expect(bus.subscriptions).toHaveLength(1);
  });

  it('forgets everything when the subscription fails', () => {
    const bus = followed();
    bus.connect(true);
    const event = create(EventEnvelopeSchema, { aggregateId: newId() });
    bus.deliver(toBinary(EventEnvelopeSchema, event), new Error('permission denied'));
    expect(bus.happened).toEqual(['clear', 'clear']);
    expect(bus.lines).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'account event unreadable; credential cache cleared' }),
    ]);
  });

  it.each([
    ['noise', new Uint8Array([255, 255, 255])],
    ['no account', toBinary(EventEnvelopeSchema, create(EventEnvelopeSchema, {}))],
  ])('forgets everything on an unreadable event: %s', (_what, data) => {
    const bus = followed();
    bus.connect(true);
    bus.deliver(data);
    expect(bus.happened).toEqual(['clear', 'clear']);
  });
});
