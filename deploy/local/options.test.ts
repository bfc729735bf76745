import { readOptions } from './options.ts';

describe('readOptions', () => {
  it('keeps the state in .run of the checkout unless told otherwise', () => {
    expect(readOptions([], '/checkout')).toEqual({
      state: '/checkout/.run',
      fresh: false,
      once: false,
      demonstrate: true,
      secure: false,
      traced: false,
      synced: true,
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

  it('runs services from sources, from bundles, or from a folder of images', () => {
    expect(readOptions(['--bundled'], '/checkout').from).toBe('bundles');
    expect(readOptions(['--images', 'a/b'], '/checkout').from).toEqual({ images: '/checkout/a/b' });
  });

  it.each([[['--onec']], [['--once', '--no-demo']], [['once']], [['--state']]])('refuses %j', (args) => {
    expect(() => readOptions(args, '/checkout')).toThrow();
  });
});
