import { copyRemovalDue, incomingRemovalDue, isBeingCopied, newObjectKey } from './stored-object.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const MINUTE_MS = 60_000;

describe('stored object', () => {
  it('has a key of 256 random bits', () => {
    const keys = new Set(Array.from({ length: 100 }, newObjectKey));
    expect(keys.size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('counts as being copied for one minute', () => {
    expect(isBeingCopied(at(-MINUTE_MS + 1), NOW)).toBe(true);
    expect(isBeingCopied(at(-MINUTE_MS), NOW)).toBe(false);
    expect(isBeingCopied(undefined, NOW)).toBe(false);
  });

  it('is removed ten minutes after its upload URL expires, when any upload that began in time has ended', () => {
    expect(incomingRemovalDue(at(5 * MINUTE_MS), NOW)).toEqual(at(15 * MINUTE_MS));
    expect(incomingRemovalDue(at(-10 * MINUTE_MS + 1), NOW)).toEqual(at(1));
    expect(incomingRemovalDue(at(-60 * MINUTE_MS), NOW)).toEqual(NOW);
  });

  it('is removed an hour after its copy began unless a document refers to it', () => {
    expect(copyRemovalDue(NOW)).toEqual(at(60 * MINUTE_MS));
  });
});
