import { readDrillOptions } from './options.ts';

const NAMES = ['restore', 'upgrade'];

it('npm run drill defaults to the restore drill in its own folder', () => {
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

it.each([[['fire']], [['restore', 'upgrade']], [['--shorter']]])('npm run drill refuses %j', (args) => {
  expect(() => readDrillOptions(args, NAMES)).toThrow();
});
