import { createLogger } from '../log/index.ts';
import {
  Counter,
  Gauge,
  processRegistry,
  Registry,
  reading,
  scraperOf,
  sharedCounter,
  sharedGauge,
  sharedHistogram,
} from './index.ts';

const lines: Record<string, unknown>[] = [];
const log = createLogger('test', 'debug', { write: (line) => lines.push(JSON.parse(line)) });

describe('the metrics page', () => {
  it('shows the metrics of Node beside what the process counts', async () => {
    const registry = processRegistry();
    sharedCounter(registry, { name: 'sss_things_total', help: 'Things.' }).inc(3);
    const page = await scraperOf(registry, log)();
    expect(page).toContain('# TYPE process_cpu_seconds_total counter');
    expect(page).toContain(
      '# HELP sss_things_total Things.\n# TYPE sss_things_total counter\nsss_things_total 3',
    );
    expect(page.endsWith('\n')).toBe(true);
  });

  it('leaves out a metric whose collection fails or never ends, says so, and serves the others', async () => {
    const registry = new Registry();
    const registers = [registry];
    const failing = () => Promise.reject(new Error('away'));
    new Gauge({ name: 'sss_failing', help: 'x', registers, collect: failing });
    new Gauge({ name: 'sss_hanging', help: 'x', registers, collect: () => new Promise<void>(() => {}) });
    new Counter({ name: 'sss_good_total', help: 'x', registers });
    const page = await scraperOf(registry, log, 50)();
    expect(page).toContain('sss_good_total 0');
    expect(page).not.toMatch(/sss_failing|sss_hanging/);
    const said = lines.filter(({ msg }) => msg === 'metric collection failed');
    expect(said.map(({ metric }) => metric).toSorted()).toEqual(['sss_failing', 'sss_hanging']);
  });

  it('is made once for all who ask at the same moment', async () => {
    let collections = 0;
    const registry = new Registry();
    const collect = () => {
      collections += 1;
    };
    new Gauge({ name: 'sss_x', help: 'x', registers: [registry], collect });
    const scrape = scraperOf(registry, log);
    await Promise.all([scrape(), scrape(), scrape()]);
    expect(collections).toBe(1);
    await scrape();
    expect(collections).toBe(2);
  });
});

describe('a counter', () => {
  it('is shared by parts of a process that are started several times', () => {
    const registry = new Registry();
    const configuration = { name: 'sss_x_total', help: 'x' };
    expect(sharedCounter(registry, configuration)).toBe(sharedCounter(registry, configuration));
  });
});

describe('a histogram', () => {
  it('is shared in the same way', () => {
    const registry = new Registry();
    const configuration = { name: 'sss_x_seconds', help: 'x' };
    expect(sharedHistogram(registry, configuration)).toBe(sharedHistogram(registry, configuration));
  });
});

describe('a gauge', () => {
  it('adds up what parts of a process show under equal labels, and leaves out what is not known', async () => {
    const registry = new Registry();
    const gauge = { name: 'sss_pool', help: 'x', labelNames: ['pool'] };
    sharedGauge(registry, gauge, () => [[{ pool: 'a' }, 2]]);
    sharedGauge(registry, gauge, async () => [
      [{ pool: 'a' }, 3],
      [{ pool: 'b' }, 0],
    ]);
    sharedGauge(registry, gauge, () => []);
    const lines = async () =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('sss_'));
    expect(await lines()).toEqual(['sss_pool{pool="a"} 5', 'sss_pool{pool="b"} 0']);
    expect(await lines()).toEqual(['sss_pool{pool="a"} 5', 'sss_pool{pool="b"} 0']);
  });
});

describe('a process', () => {
  it('shows the version and revision that it was built from', async () => {
    expect(await processRegistry().metrics()).toMatch(
      /^sss_build_info\{version="\d+\.\d+\.\d+",revision="source"\} 1$/m,
    );
  });
});

describe('a reading', () => {
  it('is made at most once in its interval, however many ask', async () => {
    let reads = 0;
    const read = reading(async () => ++reads, { everyMs: 60_000, withinMs: 1_000 });
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    expect(await read()).toBe(1);
  });

  it('is renewed after its interval', async () => {
    let reads = 0;
    const read = reading(async () => ++reads, { everyMs: 0, withinMs: 1_000 });
    expect(await read()).toBe(1);
    expect(await read()).toBe(2);
  });

  it('is undefined, in time, while it cannot be had, and does not pile up', async () => {
    let reads = 0;
    const never = () => {
      reads += 1;
      return new Promise<number>(() => {});
    };
    const hanging = reading(never, { everyMs: 0, withinMs: 20 });
    expect(await hanging()).toBeUndefined();
    expect(await hanging()).toBeUndefined();
    expect(reads).toBe(1);
    const failing = reading(() => Promise.reject(new Error('away')), { everyMs: 0, withinMs: 1_000 });
    expect(await failing()).toBeUndefined();
  });
});
