import { create } from '@bufbuild/protobuf';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { compileDecisionPolicy } from '../model/policy/decision-policy.ts';
import { type DecidedBefore, DryRun } from './dry-run.ts';

const { ACCEPTED, REJECTED, DUPLICATE_NOT_ACCEPTED } = Status;
const rule = (name: string, when: string, outcome: string) => ({
  rule: name,
  when,
  outcome,
  reason: `It is ${name}.`,
});

/** Runs a dry run with rules that end in acceptance. */
const dryRunOf = (...rules: object[]) =>
  new DryRun(
    compileDecisionPolicy(
      JSON.stringify({ version: 'tried', rules: [...rules, rule('accepted', 'true', 'accepted')] }),
    ),
  );

const submission = (facts: Partial<DecidedBefore> = {}): DecidedBefore => ({
  id: newId<SubmissionId>(),
  capKey: 'account/2',
  contactChecks: 0,
  decidedAt: new Date('2026-11-20T10:00:00Z'),
  status: ACCEPTED,
  rule: 'accepted',
  terms: create(TermsSchema),
  enquiry: sampleEnquiry(),
  ...facts,
});

const SMALL = rule('too-small', 'enquiry.funding_amount < 10000', 'rejected');
const small = (facts: Partial<DecidedBefore> = {}) =>
  submission({ enquiry: sampleEnquiry({ fundingAmount: 5_000 }), ...facts });

describe('a dry run of a decision policy', () => {
  it('counts unchanged decisions, equal decisions by a different rule, and changes', () => {
    const run = dryRunOf(SMALL);
    expect(run.counts).toEqual({ unchanged: 0, unchangedByAnotherRule: 0, changed: 0, failed: 0 });
    for (const each of [submission(), submission({ rule: 'former' }), small()]) run.add(each);
    expect(run.counts).toEqual({ unchanged: 2, unchangedByAnotherRule: 1, changed: 1, failed: 0 });
  });

  it('groups changes by outcome and rule, most frequent first', () => {
    const run = dryRunOf(SMALL);
    for (const each of [submission({ status: REJECTED, rule: 'former' }), small(), small()]) run.add(each);
    expect(run.findings.changes).toEqual([
      { from: ACCEPTED, to: REJECTED, fromRule: 'accepted', toRule: 'too-small', count: 2 },
      { from: REJECTED, to: ACCEPTED, fromRule: 'former', toRule: 'accepted', count: 1 },
    ]);
  });

  it('lists the first 100 changed submissions and the 200 most frequent changes', () => {
    const run = dryRunOf(SMALL);
    const submissions = Array.from({ length: 201 }, (_, index) => small({ rule: `former-${index}` }));
    for (const each of submissions) run.add(each);
    const { changes, examples } = run.findings;
    expect(changes).toHaveLength(200);
    expect(examples.map(({ id }) => id)).toEqual(submissions.slice(0, 100).map(({ id }) => id));
    expect(examples[0]).toEqual({
      id: submissions[0]?.id,
      from: ACCEPTED,
      to: REJECTED,
      fromRule: 'former-0',
      toRule: 'too-small',
      reason: 'It is too-small.',
    });
  });

  it('keeps duplicates as duplicates, and adds none', () => {
    const run = dryRunOf(rule('duplicate', 'facts.duplicate', 'duplicate_not_accepted'));
    run.add(submission({ status: DUPLICATE_NOT_ACCEPTED, rule: 'duplicate' }));
    run.add(submission());
    expect(run.counts).toMatchObject({ unchanged: 2, changed: 0 });
  });

  it.each([
    ['day', 'facts.accepted_today >= 1', '2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00.000Z'],
    ['month', 'facts.accepted_this_month >= 1', '2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00.000Z'],
  ])('counts its acceptances in each UTC %s of each account', (_what, when, last, next) => {
    const run = dryRunOf(rule('cap-reached', when, 'rejected'));
    const changed = [
      submission(),
      submission({ decidedAt: new Date(last) }),
      submission({ decidedAt: new Date(next) }),
    ].map((each) => {
      run.add(each);
      return run.counts.changed;
    });
    expect(changed).toEqual([0, 1, 1]);
    run.add(submission({ capKey: 'other/2' }));
    expect(run.counts.changed).toBe(1);
  });

  it('counts only its own acceptances against caps', () => {
    const run = dryRunOf(SMALL, rule('cap-reached', 'facts.accepted_today >= 1', 'rejected'));
    for (const each of [small(), submission(), submission({ status: REJECTED, rule: 'cap-reached' })])
      run.add(each);
    expect(run.counts).toMatchObject({ changed: 1, unchanged: 2 });
  });

  it('counts a submission on which the policy fails, and continues', () => {
    const run = dryRunOf(rule('divided', '1 / (enquiry.funding_amount - 25000) == 1', 'rejected'));
    const failing = submission();
    for (const each of [failing, small()]) run.add(each);
    expect(run.counts).toEqual({ unchanged: 1, unchangedByAnotherRule: 0, changed: 0, failed: 1 });
    expect(run.findings).toEqual({
      changes: [],
      examples: [
        {
          id: failing.id,
          from: ACCEPTED,
          to: undefined,
          fromRule: 'accepted',
          toRule: '',
          reason: 'the condition of rule divided fails: division_by_zero',
        },
      ],
    });
  });
});
