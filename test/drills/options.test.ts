import { commands } from '../../deploy/commands/commands.mjs';
import { FAULT_NAMES } from './faults/nemesis.ts';
import { readDrillOptions } from './options.ts';

const NAMES = ['restore', 'upgrade'];
const FOR_FAULTS = { seed: expect.any(Number), minutes: 1, replicas: 2, planted: undefined };

it('npm run drill defaults to the restore drill in its own folder', () => {
  expect(readDrillOptions([], NAMES)).toEqual({
    name: 'restore',
    json: false,
    short: false,
    secure: false,
    state: '.run/drill',
    ...FOR_FAULTS,
  });
  const asked = readDrillOptions(['upgrade', '--short', '--json', '--secure', '--state', 'x'], NAMES);
  expect(asked).toEqual({
    ...{ name: 'upgrade', json: true, short: true, secure: true, state: 'x' },
    ...FOR_FAULTS,
  });
});

it.each([[['fire']], [['restore', 'upgrade']], [['--shorter']]])('npm run drill refuses %j', (args) => {
  expect(() => readDrillOptions(args, NAMES)).toThrow();
});

it('npm run faults takes a seed, minutes and replicas within bounds', () => {
  const asked = readDrillOptions(['faults', '--seed', '7', '--minutes', '5', '--replicas', '3'], ['faults']);
  expect(asked).toMatchObject({ name: 'faults', seed: 7, minutes: 5, replicas: 3 });
  const wrong = ['--seed=0', '--seed=x', '--minutes=601', '--minutes=1.5', '--replicas=0', '--replicas=4'];
  for (const flag of wrong) expect(() => readDrillOptions(['faults', flag], ['faults'])).toThrow('integer');
  for (const flag of ['--seed=1', '--minutes=1', '--replicas=2', '--only=kill', '--planted'])
    expect(() => readDrillOptions(['restore', flag], NAMES)).toThrow('only for faults');
});

it('npm run faults --only takes faults, which its help lists', () => {
  const { only } = readDrillOptions(['faults', '--only', 'kill,cutOffLeader'], ['faults']);
  expect(only).toEqual(['kill', 'cutOffLeader']);
  expect(() => readDrillOptions(['faults', '--only', 'kill,fire'], ['faults'])).toThrow('unknown fault fire');
  const help = commands.faults?.help ?? '';
  expect(FAULT_NAMES.filter((name) => !new RegExp(`\\b${name}\\b`).test(help))).toEqual([]);
});

it('npm run faults --planted takes the names of bugs', () => {
  expect(readDrillOptions(['faults', '--planted', 'a', 'b'], ['faults']).planted).toEqual(['a', 'b']);
  expect(readDrillOptions(['faults', '--planted'], ['faults']).planted).toEqual([]);
  for (const flag of ['--minutes=2', '--replicas=3', '--only=kill'])
    expect(() => readDrillOptions(['faults', '--planted', flag], ['faults'])).toThrow('each bug has');
});
