import { readBenchOptions } from './options.ts';

describe('the arguments of npm run bench', () => {
  it('default to the usual sizes', () => {
    expect(readBenchOptions(['deliveries'])).toEqual({
      name: 'deliveries',
      json: false,
      check: false,
      deliveries: 50_000,
      seconds: 15,
      rates: [20, 200, 500],
      rows: 0,
      short: false,
      secure: false,
      traced: false,
      state: '.run/bench',
    });
    expect(readBenchOptions(['--list']).name).toBeUndefined();
  });

  it('set the sizes', () => {
    const args = ['deliveries', '--deliveries', '1000', '--rates', '1,5', '--seconds', '3', '--check'];
    expect(readBenchOptions(args)).toMatchObject({
      deliveries: 1_000,
      rates: [1, 5],
      seconds: 3,
      check: true,
    });
  });

  it.each([
    [[]],
    [['one', 'two']],
    [['x', '--deliveries', '0']],
    [['x', '--deliveries', '1e3']],
    [['x', '--rates', '100001']],
    [['x', '--seconds', '-1']],
    [['x', '--rates', '20,']],
    [['x', '--rates', '0']],
    [['x', '--rows', '1e6']],
    [['x', '--fast']],
  ])('are refused when they are %j', (args) => {
    expect(() => readBenchOptions(args)).toThrow();
  });
});
