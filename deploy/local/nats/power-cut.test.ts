import { rmSync, truncateSync } from 'node:fs';
import type { TestProcess } from '@supplier/lib/testing';
import { isTested } from '@supplier/lib/testing/programs';
import { lacksCutDisk, syncTree } from './testing/cut-disk.ts';
import { type CuttableEvents, openCuttableEvents } from './testing/cuttable-events.ts';

const lacks = lacksCutDisk();
const runs = isTested('a power cut of NATS', lacks === undefined, `mend: ${lacks}`);
const declare = runs ? describe : describe.skip;

declare('a NATS power cut before everything is on disk', () => {
  let system: CuttableEvents;
  let relays: TestProcess[];
  afterEach(() => system?.close());

  async function started(syncInterval: string, replicas = 1): Promise<void> {
    system = await openCuttableEvents(syncInterval);
    relays = Array.from({ length: replicas }, () => system.relay());
    for (let n = 0; n < replicas; n += 1) system.consume('webhook');
    system.consume('billing');
    await system.commit(20);
    await system.appliedOnce();
    system.sync();
  }

  const lost = () => relays.flatMap(({ lines }) => lines).filter(({ msg }) => msg === 'stream lost events');

  it.each(['2m', '1s'])('sync_interval %s: everything is applied once, cut after cut', async (interval) => {
    await started(interval);
    for (const count of [30, 200, 5]) {
      system.hold();
      await system.commit(count);
      await system.published();
      const cut = system.cut();
      // More events arrive meanwhile.
      await system.commit(count);
      await cut;
      system.letGo();
      await system.appliedOnce();
    }
    if (interval === '2m') expect(lost()).toHaveLength(3);
  });

  it('recovers when the stream was on disk, but the consumers’ acknowledgements were not', async () => {
    await started('2m');
    await system.commit(300);
    await system.appliedOnce();
    syncTree(system.folder('msgs'));
    await system.cut();
    await system.commit(100);
    await system.appliedOnce();
    expect(lost()).toEqual([]);
  });

  it('recovers when a consumer’s acknowledgements were on disk, but the events were not', async () => {
    await started('2m', 3);
    system.hold();
    await system.commit(100);
    await system.published();
    await system.syncConsumers('webhook', 120);
    await system.cut();
    await system.commit(10);
    system.letGo();
    await system.commit(201);
    await system.appliedOnce();
    expect(lost()).toHaveLength(1);
    // Unacknowledged positions are delivered to billing again: they hold other events by now, some for other consumers.
    await system.settled('billing');
    await system.appliedOnce();
  });

  it('recovers when the stream is gone', async () => {
    await started('2m');
    await system.commit(100);
    await system.cut(() => rmSync(system.folder(), { recursive: true }));
    await system.commit(10);
    await system.appliedOnce();
  });

  it('recovers when NATS does not restore the stream and leaves its files', async () => {
    await started('2m');
    await system.commit(100);
    await system.published();
    await system.syncConsumers('webhook', 120);
    await system.cut(() => truncateSync(system.folder('meta.inf')));
    await system.commit(10);
    await system.appliedOnce();
  });
});
