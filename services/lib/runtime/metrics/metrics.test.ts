import { createLogger } from '../log/index.ts';
import {
  Counter,
  Gauge,
  gaugesOf,
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

describe('metrics page', () => {
  it("contains Node's metrics and the process's own", async () => {
    const registry = processRegistry();
    sharedCounter(registry, { name: 'sss_things_total', help: 'Things.' }).inc(3);
    const page = await scraperOf(registry, log)();
    expect(page).toContain('# TYPE process_cpu_seconds_total counter');
    expect(page).toContain(
      '# HELP sss_things_total Things.\n# TYPE sss_things_total counter\nsss_things_total 3',
    );
    expect(page.endsWith('\n')).toBe(true);
  });

  it('leaves out and logs a metric whose collection fails or hangs, and serves the others', async () => {
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

  it('is collected once for simultaneous requests', async () => {
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

describe('sharedCounter', () => {
  it('returns one counter to parts of a process that start several times', () => {
    const registry = new Registry();
    const configuration = { name: 'sss_x_total', help: 'x' };
    expect(sharedCounter(registry, configuration)).toBe(sharedCounter(registry, configuration));
  });
});

describe('sharedHistogram', () => {
  it('returns one histogram in the same way', () => {
    const registry = new Registry();
    const configuration = { name: 'sss_x_seconds', help: 'x' };
    expect(sharedHistogram(registry, configuration)).toBe(sharedHistogram(registry, configuration));
  });
});

describe('sharedGauge', () => {
  it('adds up samples with equal labels and leaves out unknown values', async () => {
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

describe('gaugesOf', () => {
  it('reads a value once for all its gauges, and leaves them out while it is unavailable', async () => {
    const registry = new Registry();
    const read = jest.fn(async () => 3);
    const gauge = gaugesOf(registry, read);
    gauge({ name: 'sss_plain', help: 'x' }, (value) => value);
    gauge({ name: 'sss_labelled', help: 'x', labelNames: ['kind'] }, (value) => [[{ kind: 'a' }, value]]);
    const away = gaugesOf(registry, () => Promise.reject(new Error('away')));
    away({ name: 'sss_away', help: 'x' }, () => 1);
    away({ name: 'sss_away_labelled', help: 'x', labelNames: ['kind'] }, () => [[{ kind: 'a' }, 1]]);
    const samples = (await registry.metrics()).split('\n').filter((line) => line.startsWith('sss_'));
    expect(samples).toEqual(['sss_plain 3', 'sss_labelled{kind="a"} 3']);
    expect(read).toHaveBeenCalledTimes(1);
  });
});

describe('processRegistry', () => {
  it('exposes the version and revision that the process was built from', async () => {
    expect(await processRegistry().metrics()).toMatch(
      /^sss_build_info\{version="\d+\.\d+\.\d+",revision="source"\} 1$/m,
    );
  });
});

describe('reading', () => {
  it('reads at most once per interval for any number of callers', async () => {
    let reads = 0;
    const read = reading(async () => ++reads, { everyMs: 60_000, withinMs: 1_000 });
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    expect(await read()).toBe(1);
  });

  it('reads again after its interval', async () => {
    let reads = 0;
    const read = reading(async () => ++reads, { everyMs: 0, withinMs: 1_000 });
    expect(await read()).toBe(1);
    expect(await read()).toBe(2);
  });

  it('returns undefined in time while the value is unavailable, without piling up reads', async () => {
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
