import { readDrillOptions } from './options.ts';

const NAMES = ['restore', 'upgrade'];

it('defaults to the restore drill in its own folder', () => {
  expect(readDrillOptions([], NAMES)).toEqual({
    name: 'restore',
    json: false,
    short: false,
    secure: false,
    state: '.run/drill',
  });
  const asked = readDrillOptions(['upgrade', '--short', '--json', '--secure', '--state', 'x'], NAMES);
  expect(asked).toEqual({ name: 'upgrade', json: true, short: true, secure: true, state: 'x' });
});

it.each([[['fire']], [['restore', 'upgrade']], [['--shorter']]])('refuses %j', (args) => {
  expect(() => readDrillOptions(args, NAMES)).toThrow();
});
