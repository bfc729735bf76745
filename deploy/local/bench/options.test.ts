import { readBenchOptions } from './options.ts';

describe('the arguments of npm run bench', () => {
  it('leave the usual sizes in place', () => {
    expect(readBenchOptions(['webhook-delivery'])).toEqual({
      name: 'webhook-delivery',
      json: false,
      check: false,
      deliveries: 50_000,
      endpoints: [1, 20],
      seconds: undefined,
      rates: undefined,
      rows: 0,
      short: false,
      secure: false,
      tracedShare: undefined,
      out: '.run',
      state: '.run/bench',
    });
    expect(readBenchOptions(['--list']).name).toBeUndefined();
  });

  it('set the sizes', () => {
    const args = [
      'webhook-delivery',
      '--deliveries',
      '1000',
      '--endpoints',
      '1,5',
      '--seconds',
      '3',
      '--check',
    ];
    expect(readBenchOptions(args)).toMatchObject({
      deliveries: 1_000,
      endpoints: [1, 5],
      seconds: 3,
      check: true,
    });
  });

  it.each([
    [[]],
    [['one', 'two']],
    [['x', '--deliveries', '0']],
    [['x', '--deliveries', '1e3']],
    [['x', '--endpoints', '1,']],
    [['x', '--endpoints', '1001']],
    [['x', '--seconds', '-1']],
    [['x', '--rates', '20,']],
    [['x', '--rates', '0']],
    [['x', '--rows', '1e6']],
    [['x', '--fast']],
  ])('are refused when they say %j', (args) => {
    expect(() => readBenchOptions(args)).toThrow();
  });
});
