import { eventually } from '../../testing/index.ts';
import { outboxForTests } from '../../testing/test-outbox.ts';
import { streamForTests } from '../../testing/test-stream.ts';
import { DEFAULT_STREAM_SETTINGS } from '../event-bus/streams.ts';
import { configureStream, deviatingSettings } from './stream.ts';

const DAY_NANOS = 86_400_000_000_000;
const OTHER = { replicas: 1, maxAgeDays: 3, maxBytes: 50_000_000 };

describe('configureStream', () => {
  const outbox = outboxForTests();

  const configOf = async () => (await outbox.manager.streams.info(outbox.stream)).config;
  const publish = async () => {
    await outbox.commit();
    outbox.relay();
    await outbox.settled();
  };

  it('follows the settings at creation and when they change, keeping the events', async () => {
    const { manager, stream } = outbox;
    expect(await configOf()).toMatchObject({ max_age: 7 * DAY_NANOS, max_bytes: -1, num_replicas: 1 });
    expect(await configureStream(manager, stream, DEFAULT_STREAM_SETTINGS)).toBe('');
    await publish();
    expect(await configureStream(manager, stream, OTHER)).toBe('updated: max_age max_bytes');
    expect(await configOf()).toMatchObject({ max_age: 3 * DAY_NANOS, max_bytes: 50_000_000 });
    expect(await outbox.held()).toHaveLength(1);
  });

  it('keeps the stream as it is, or creates it with the minimum, if the server rejects the settings', async () => {
    const { manager, stream } = outbox;
    // More than any disk provides.
    const settings = { ...OTHER, maxBytes: 900_000_000_000_000 };
    await publish();
    expect(await configureStream(manager, stream, settings)).toBe('');
    expect(await outbox.held()).toHaveLength(1);
    await manager.streams.delete(stream);
    expect(await configureStream(manager, stream, settings)).toMatch(/^created with the default/);
    const config = await configOf();
    expect(config).toMatchObject({ max_bytes: -1, max_age: 3 * DAY_NANOS });
    expect(deviatingSettings(config, stream, settings)).toEqual(['max_bytes']);
  });

  it.each([
    ['republish', { republish: { src: '>', dest: 'elsewhere.>' } }],
    ['sources', { sources: [{ name: 'SOMEBODY' }] }],
    ['subject_transform', { subject_transform: { src: 'supplier.>', dest: 'other.>' } }],
    ['subjects', { subjects: ['somewhere.>'] }],
  ])('removes foreign %s, keeping the events', async (part, foreign) => {
    const { manager, stream } = outbox;
    await publish();
    const subjects = part === 'subjects' ? [`${stream}.elsewhere`] : (await configOf()).subjects;
    await manager.streams.update(stream, { subjects, ...(part === 'subjects' ? {} : foreign) });
    expect(await outbox.configure()).toBe(`updated: ${part}`);
    expect(await outbox.configure()).toBe('');
    expect(await outbox.held()).toHaveLength(1);
  });

  it('replaces a mirror, which no update can repair', async () => {
    const { manager, stream } = outbox;
    await manager.streams.delete(stream);
    await manager.streams.add({ name: stream, mirror: { name: 'SOMEBODY' } });
    expect(await outbox.configure()).toMatch(/^(?:replaced|updated): mirror subjects/);
    expect(await outbox.configure()).toBe('');
    await publish();
    expect(await outbox.held()).toHaveLength(1);
  });
});

describe('configureDurable', () => {
  const test = streamForTests();

  const durable = { durable_name: 'tester', ack_policy: 'explicit', max_deliver: -1 } as const;

  it('changes nothing that is as expected', async () => {
    expect(await test.configure()).toBe('');
    expect(await test.configure('another')).toBe('created');
  });

  it.each([
    ['another subject', { ...durable, deliver_policy: 'all' }, 'updated: filter_subject'],
    [
      'a push consumer',
      { ...durable, deliver_policy: 'all', deliver_subject: 'elsewhere' },
      'deliver_subject',
    ],
    ['one that skips events', { ...durable, deliver_policy: 'new' }, 'deliver_policy'],
    ['one without acknowledgements', { ...durable, ack_policy: 'none', deliver_policy: 'all' }, 'ack_policy'],
  ] as const)('repairs a durable that is %s', async (_, config, done) => {
    const { manager, stream, subject } = test;
    await manager.consumers.delete(stream, 'tester');
    await manager.consumers.add(stream, config);
    expect(await test.configure()).toContain(done);
    const { config: repaired } = await manager.consumers.info(stream, 'tester');
    expect(repaired).toMatchObject({ ...durable, deliver_policy: 'all', filter_subject: subject });
    expect(repaired).not.toHaveProperty('deliver_subject');
    const ids = await test.publish(2);
    test.consume();
    await eventually('both are applied', async () => (await test.applied()).length === ids.length);
  });
});
