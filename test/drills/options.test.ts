import { readDrillOptions } from './options.ts';

const NAMES = ['restore', 'upgrade'];

it('npm run drill defaults to the restore drill in its own folder', () => {
  expect(readDrillOptions([], NAMES)).toMatchObject({
    name: 'restore',
    json: false,
    short: false,
    secure: false,
    state: '.run/drill',
  });
  const asked = readDrillOptions(['upgrade', '--short', '--json', '--secure', '--state', 'x'], NAMES);
  expect(asked).toMatchObject({ name: 'upgrade', json: true, short: true, secure: true, state: 'x' });
});

it.each([[['fire']], [['restore', 'upgrade']], [['--shorter']]])('npm run drill refuses %j', (args) => {
  expect(() => readDrillOptions(args, NAMES)).toThrow();
});

it('npm run faults takes a seed, minutes and replicas within bounds', () => {
  const asked = readDrillOptions(['faults', '--seed', '7', '--minutes', '5', '--replicas', '3'], ['faults']);
  expect(asked).toMatchObject({ name: 'faults', seed: 7, minutes: 5, replicas: 3 });
  const wrong = ['--seed=0', '--seed=x', '--minutes=601', '--minutes=1.5', '--replicas=0', '--replicas=4'];
  for (const flag of wrong) expect(() => readDrillOptions(['faults', flag], ['faults'])).toThrow('integer');
});
