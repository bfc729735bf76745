import {
  abandonedSince,
  type DocumentLimits,
  refusedRetainedSince,
  retainedSince,
  unacceptedRetainedSince,
  uploadExpiry,
} from './limits.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const LIMITS: DocumentLimits = {
  maxBytes: 1,
  contentTypes: [],
  perReference: 1,
  accountBytes: 1,
  uploadMinutes: 15,
  unfinalizedHours: 24,
  retentionDays: 2_190,
  unacceptedDays: 365,
  refusedDays: 30,
};

describe('document time limits', () => {
  it.each([
    ['expires an upload URL after 15 minutes', uploadExpiry, '2026-11-20T12:15:00.000Z'],
    ['gives up an upload after 24 hours', abandonedSince, '2026-11-19T12:00:00.000Z'],
    ['keeps a document of an accepted submission for 2,190 days', retainedSince, '2020-11-21T12:00:00.000Z'],
    [
      'keeps a document of any other submission for 365 days',
      unacceptedRetainedSince,
      '2025-11-20T12:00:00.000Z',
    ],
    ['keeps a document that its scan refused for 30 days', refusedRetainedSince, '2026-10-21T12:00:00.000Z'],
  ])('%s', (_what, timeOf, expected) => {
    expect(timeOf(LIMITS, NOW)).toEqual(new Date(expected));
  });
});
