import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { JourneyLinkKind, JourneyLinkState } from '@supplier/proto/submission/v1/journey_links';
import { journeyCode } from '../journey/journey-links.sql.ts';
import { isHandedOff, journeyLinkState, journeyUrl, newJourneyLink } from './journey-link.ts';

const NOW = new Date('2026-11-20T10:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const FACTS = {
  submissionId: newId<SubmissionId>(),
  kind: JourneyLinkKind.HANDOFF,
  number: 3,
  now: NOW,
  hours: 72,
};

describe('a new journey link', () => {
  it('works for its hours and is neither used nor ended', () => {
    expect(newJourneyLink(FACTS)).toEqual({
      id: expect.any(String),
      token: expect.any(String),
      submissionId: FACTS.submissionId,
      kind: JourneyLinkKind.HANDOFF,
      number: 3,
      createdAt: NOW,
      expiresAt: new Date('2026-11-23T10:00:00.000Z'),
      usedAt: null,
      endedAt: null,
    });
  });

  it('has a token of 256 random bits that fits into a URL', () => {
    const tokens = new Set(Array.from({ length: 100 }, () => newJourneyLink(FACTS).token));
    expect(tokens.size).toBe(100);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe('the state of a journey link', () => {
  const link = { expiresAt: at(1), usedAt: null, endedAt: null };

  it.each([
    ['usable until it expires', link, JourneyLinkState.USABLE],
    ['expired at the time of its expiry', { ...link, expiresAt: NOW }, JourneyLinkState.EXPIRED],
    ['used once it is used, though it has not expired', { ...link, usedAt: NOW }, JourneyLinkState.USED],
    ['ended by a return', { ...link, endedAt: NOW }, JourneyLinkState.ENDED],
  ])('is %s', (_what, facts, state) => {
    expect(journeyLinkState(facts, NOW)).toBe(state);
  });

  it('is the first of used, ended and expired, in whatever order they happened', () => {
    const times = [null, at(-2), at(-1), NOW];
    const lives = times.flatMap((usedAt) =>
      times.flatMap((endedAt) =>
        [at(-3), at(-1), NOW, at(1)].map((expiresAt) => ({ usedAt, endedAt, expiresAt })),
      ),
    );
    for (const life of lives) {
      const expected = life.usedAt
        ? 'USED'
        : life.endedAt
          ? 'ENDED'
          : life.expiresAt > NOW
            ? 'USABLE'
            : 'EXPIRED';
      expect([life, JourneyLinkState[journeyLinkState(life, NOW)]]).toEqual([life, expected]);
    }
  });
});

describe('a handoff link', () => {
  const enrolled = { $typeName: 'supplier.common.v1.Enrolments', documentFirst: true, arrivalScreen: false };

  it('is created only for an accepted submission of an account enrolled for documents first', () => {
    const handedOff = (status: Status, enrolments: object | undefined) =>
      isHandedOff({ status, enrolments: enrolments as never });
    expect(handedOff(Status.ACCEPTED, enrolled)).toBe(true);
    expect(handedOff(Status.ACCEPTED, { ...enrolled, documentFirst: false })).toBe(false);
    expect(handedOff(Status.ACCEPTED, undefined)).toBe(false);
    for (const status of [Status.RECEIVED, Status.REJECTED, Status.DUPLICATE_NOT_ACCEPTED, Status.RETURNED])
      expect(handedOff(status, enrolled)).toBe(false);
  });
});

describe('the URL of a journey link', () => {
  it("is on the pages of the submission's own environment", () => {
    const pages = { sandbox: 'https://sandbox.example', production: 'https://pages.example' };
    expect(journeyUrl(pages, Environment.SANDBOX, 'abc')).toBe('https://sandbox.example/journey/abc');
    expect(journeyUrl(pages, Environment.PRODUCTION, 'abc')).toBe('https://pages.example/journey/abc');
  });
});

describe('a journey code', () => {
  it('works for 60 seconds', () => {
    expect(journeyCode('token', 'call', NOW).expiresAt).toEqual(at(60_000));
  });

  it('is the same for the same call, and different for another call or link', () => {
    const code = journeyCode('token', 'call', NOW).text;
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(journeyCode('token', 'call', at(5)).text).toBe(code);
    expect(journeyCode('token', 'another call', NOW).text).not.toBe(code);
    expect(journeyCode('another token', 'call', NOW).text).not.toBe(code);
  });
});
