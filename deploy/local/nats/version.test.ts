import { atLeast, lacking, parseVersion } from './version.ts';

describe('parseVersion', () => {
  it.each([
    ['nats-server: v2.12.3\n', [2, 12, 3]],
    ['nats-server: v2.9.10', [2, 9, 10]],
    ['nats-server: v2.14.0-RC.1', [2, 14, 0]],
  ])('reads %j', (text, version) => {
    expect(parseVersion(text)).toEqual(version);
  });

  it.each(['', 'v2.12.3', 'nats-server: 2', 'something else 2.12.3'])('reads nothing out of %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });
});

describe('atLeast', () => {
  it('compares numbers, not text', () => {
    expect(atLeast([2, 10, 0], [2, 9, 10])).toBe(true);
    expect(atLeast([2, 9, 10], [2, 10, 0])).toBe(false);
    expect(atLeast([2, 12, 3], [2, 12, 3])).toBe(true);
    expect(atLeast([3, 0, 0], [2, 12, 3])).toBe(true);
  });
});

describe('lacking', () => {
  it('names what an old server cannot do', () => {
    expect(lacking([2, 9, 10]).join()).toMatch(/sync_interval.*filter_subjects/);
    expect(lacking([2, 12, 3])).toEqual([]);
  });
});
