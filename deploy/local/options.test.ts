import { readOptions } from './options.ts';

describe('readOptions', () => {
  it('keeps the state in .run of the checkout unless told otherwise', () => {
    expect(readOptions([], '/checkout')).toEqual({
      state: '/checkout/.run',
      fresh: false,
      once: false,
      demonstrate: true,
    });
    expect(readOptions(['--state', 'x/y', '--fresh', '--no-demo'], '/checkout')).toMatchObject({
      state: '/checkout/x/y',
      fresh: true,
      demonstrate: false,
    });
  });

  it.each([[['--onec']], [['--once', '--no-demo']], [['once']], [['--state']]])('refuses %j', (args) => {
    expect(() => readOptions(args, '/checkout')).toThrow();
  });
});
