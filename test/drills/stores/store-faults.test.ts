import { setupOf } from './store-faults.ts';

const PLAIN = { secure: false, progress: () => {} };
const setup = (seed: number, only?: readonly string[]) => setupOf(PLAIN, seed, only);

it('a run has what its faults need, and nothing else', () => {
  expect(setup(1, ['kill'])).toEqual({ natsCluster: false, standby: undefined, smallDisk: undefined });
  expect(setup(1, ['kill', 'cutOffLeader'])).toMatchObject({ natsCluster: true, standby: undefined });
  expect(setup(1, ['failOver'])).toMatchObject({ natsCluster: false, standby: 'synchronous' });
  expect(setup(1, ['failOverWithLoss'])).toMatchObject({ standby: 'asynchronous' });
  expect(setupOf({ ...PLAIN, secure: true }, 1, ['failOver']).standby).toBeUndefined();
});

it('the seed decides what a run has, and repeats it', () => {
  const seeds = Array.from({ length: 30 }, (_, seed) => seed + 1);
  const standbys = new Set(seeds.map((seed) => setup(seed).standby));
  expect(standbys).toEqual(new Set([undefined, 'synchronous', 'asynchronous']));
  expect(new Set(seeds.map((seed) => setup(seed).natsCluster))).toEqual(new Set([true, false]));
  for (const seed of seeds) expect(setup(seed)).toEqual(setup(seed));
});

it('only a store with one server has a disk that becomes full', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const { natsCluster, standby, smallDisk } = setup(seed);
    if (natsCluster) expect(smallDisk).not.toBe('nats');
    if (standby) expect(smallDisk).not.toBe('postgres');
  }
});
