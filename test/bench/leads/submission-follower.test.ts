import { submissionFollower } from './submission-follower.ts';

const webhook = (reference: string, status: string, billing: string) =>
  Buffer.from(
    JSON.stringify({
      id: 'x',
      data: { external_reference: reference, status, billing: { billing_status: billing } },
    }),
  );

describe('leadFollower', () => {
  it('records the first webhook with a decision and the first with the billing outcome, by number', () => {
    const follower = submissionFollower('run');
    follower.note(webhook('run-00000001', 'accepted', 'pending'));
    expect(follower.arrivals()).toMatchObject({ decided: 1, settled: 0 });
    const { decidedAt } = follower.arrivals();
    follower.note(webhook('run-00000001', 'accepted', 'billable'));
    follower.note(webhook('run-00000003', 'rejected', 'not_billable'));
    expect(follower.arrivals()).toMatchObject({ decided: 2, settled: 2 });
    const after = follower.arrivals();
    expect(after.decidedAt[1]).toBe(decidedAt[1]);
    expect(after.settledAt[1]).toBeGreaterThan(decidedAt[1] ?? Number.NaN);
    expect([...after.decidedAt].map(Number.isNaN)).toEqual([true, false, true, false]);
  });

  it('ignores undecided submissions and submissions of other series', () => {
    const follower = submissionFollower('run');
    follower.note(webhook('run-2-00000001', 'accepted', 'billable'));
    follower.note(webhook('another-00000001', 'accepted', 'billable'));
    follower.note(webhook('run-00000001', 'received', 'pending'));
    expect(follower.arrivals()).toMatchObject({ decided: 0, settled: 0 });
  });
});
