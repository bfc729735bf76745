import { readOptions } from './options.ts';

describe('readOptions', () => {
  it('defaults the state to .run in the checkout', () => {
    expect(readOptions([], '/checkout')).toEqual({
      state: '/checkout/.run',
      fresh: false,
      once: false,
      background: false,
      demonstrate: true,
      sampleData: false,
      secure: false,
      traced: false,
      synced: true,
      storesOnly: false,
      from: 'sources',
    });
    expect(
      readOptions(
        ['--state', 'x/y', '--fresh', '--no-demo', '--secure', '--traced', '--unsynced'],
        '/checkout',
      ),
    ).toMatchObject({
      state: '/checkout/x/y',
      fresh: true,
      demonstrate: false,
      secure: true,
      traced: true,
      synced: false,
    });
  });

  it('adds sample data instead of the demonstration on request', () => {
    for (const once of [false, true])
      expect(readOptions(['--sample-data', ...(once ? ['--once'] : [])], '/checkout')).toMatchObject({
        sampleData: true,
        demonstrate: false,
        once,
      });
  });

  it('leaves out the demonstration in the background', () => {
    expect(readOptions(['--background'], '/checkout')).toMatchObject({
      background: true,
      demonstrate: false,
    });
  });

  it('runs services from bundles or from watched sources on request', () => {
    expect(readOptions(['--bundled'], '/checkout').from).toBe('bundles');
    expect(readOptions(['--bundles', 'x/y'], '/checkout').from).toEqual({ bundles: '/checkout/x/y' });
    expect(readOptions(['--watch'], '/checkout').from).toBe('watched');
  });

  it.each([
    [['--onec']],
    [['--once', '--no-demo']],
    [['--once', '--no-demo', '--sample-data']],
    [['--once', '--background']],
    [['--bundled', '--watch']],
    [['--bundled', '--bundles', 'x']],
    [['--unsynced']],
    [['once']],
    [['--state']],
  ])('refuses %j', (args) => {
    expect(() => readOptions(args, '/checkout')).toThrow();
  });
});
