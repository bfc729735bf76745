import { createLogger } from '../../runtime/log/index.ts';
import { openTestOutbox, type TestOutbox } from '../../testing/test-outbox.ts';
import { DEFAULT_STREAM_SETTINGS } from '../event-bus/streams.ts';
import { findOrCreateStream, streamUpdater } from './stream-config.ts';

const DAY_NANOS = 86_400_000_000_000;
const OTHER = { replicas: 1, maxAgeDays: 3, maxBytes: 50_000_000 };

let outbox: TestOutbox;
let lines: Record<string, unknown>[];
const log = createLogger('test', 'debug', { write: (line) => lines.push(JSON.parse(line)) });
beforeEach(async () => {
  outbox = await openTestOutbox();
  lines = [];
});
afterEach(() => outbox.close());

const configOf = async () => (await outbox.manager.streams.info(outbox.stream)).config;

describe('stream configuration', () => {
  it('follows the settings at creation and when they change, keeping the events', async () => {
    const { manager, stream } = outbox;
    await findOrCreateStream(manager, stream, DEFAULT_STREAM_SETTINGS);
    expect(await configOf()).toMatchObject({ max_age: 7 * DAY_NANOS, max_bytes: -1, num_replicas: 1 });
    await streamUpdater(DEFAULT_STREAM_SETTINGS, log)(manager, stream);
    expect(lines).toEqual([]);

    const relay = outbox.relay({ settings: { ...OTHER, publishedDays: 7 } });
    await outbox.commit();
    await outbox.settled();
    expect(await configOf()).toMatchObject({ max_age: 3 * DAY_NANOS, max_bytes: 50_000_000 });
    expect(await outbox.held()).toHaveLength(1);
    expect(relay.process.lines).toContainEqual(
      expect.objectContaining({
        msg: 'stream configuration updated',
        stream,
        reason: 'max_age max_bytes',
      }),
    );
  });

  it('does not block publishing if the server rejects the settings, which is logged once', async () => {
    const { manager, stream } = outbox;
    // More than any disk provides.
    const settings = { ...OTHER, maxBytes: 900_000_000_000_000 };
    outbox.relay({ settings: { ...settings, publishedDays: 7 } });
    await outbox.commit();
    await outbox.settled();
    expect(await configOf()).toMatchObject({ max_bytes: -1, max_age: 3 * DAY_NANOS });

    const update = streamUpdater(settings, log);
    await update(manager, stream);
    await update(manager, stream);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', msg: 'stream configuration rejected by the server', stream }),
    ]);
  });
});
