import './browser-storage.ts';
import { create } from '@bufbuild/protobuf';
import { Status } from '@supplier/proto/common/v1/status';
import { DryRunChangeSchema } from '@supplier/proto/submission/v1/policy_effects';
import { dayOf, isEmpty, labelledOf, periodOf, stackOf } from '../web/src/components/chart-props.ts';
import {
  acceptedShareOf,
  capsUsed,
  changeOf,
  deliveredShareOf,
  netOf,
  numbersOf,
  receivedOf,
  shareOf,
  stateOfCap,
  sumOf,
  undeliveredOf,
} from '../web/src/figures.ts';
import { effectOf, isWithoutEffect } from '../web/src/screens/policy/effect-of.ts';

// Powers of two, so that each sum says what is in it.
const OUTCOMES = { accepted: 1n, duplicates: 2n, rejected: 4n, returned: 8n, undecided: 16n };
const DELIVERIES = { delivered: 16n, exhausted: 1n, expired: 1n, pending: 2n };

describe('submissions', () => {
  it.each([
    ['that are undecided', { ...OUTCOMES, undecided: 0n }],
    ['of any day alike', OUTCOMES],
  ])('are accepted in a share of those decided, which leaves out ones %s', (_, outcomes) => {
    expect(acceptedShareOf([outcomes, OUTCOMES])).toBe('6.7%');
  });
  it('that were returned are decided, but not accepted', () => {
    expect(acceptedShareOf([{ ...OUTCOMES, accepted: 0n }])).toBe('0%');
    expect(
      acceptedShareOf([{ accepted: 1n, duplicates: 0n, rejected: 0n, returned: 1n, undecided: 0n }]),
    ).toBe('50%');
  });
  it('without a decision have no share', () => expect(acceptedShareOf([])).toBe('—'));
  it('of every outcome count as received', () => expect(receivedOf(OUTCOMES)).toBe(31n));
  it('of several days are added', () => expect(sumOf([OUTCOMES, OUTCOMES], receivedOf)).toBe(62n));
  it('of no day are none', () => expect(sumOf([], receivedOf)).toBe(0n));
});

describe('the caps of a supplier', () => {
  const used = { acceptedToday: 3n, acceptedThisMonth: 70n };

  it('are compared with the use of the same period', () => {
    expect(capsUsed({ acceptedPerDay: 10, acceptedPerMonth: 100 }, used)).toEqual([
      { period: 'perDay', cap: 10, used: 3n },
      { period: 'perMonth', cap: 100, used: 70n },
    ]);
  });

  it('are those it has', () => {
    expect(capsUsed({ acceptedPerMonth: 0 }, undefined)).toEqual([{ period: 'perMonth', cap: 0, used: 0n }]);
    expect(capsUsed(undefined, used)).toEqual([]);
  });

  it.each([
    [8n, 10, 'open'],
    [9n, 10, 'nearly reached'],
    [10n, 10, 'reached'],
    [11n, 10, 'reached'],
    [0n, 0, 'reached'],
  ])('with %s of %s used are %s', (accepted, cap, state) => expect(stateOfCap(accepted, cap)).toBe(state));
});

it('credits reduce the net value, also below zero', () => {
  const values = [
    { chargedPence: 5_000n, creditedPence: 1_500n },
    { chargedPence: 0n, creditedPence: 1_500n },
  ];
  expect(values.map(netOf)).toEqual([3_500n, -1_500n]);
});

describe('a dry run', () => {
  it.each([
    ['that ended without a change has no effect', { finished: true, changed: 0n, failed: 0n }, true],
    ['that failed for some may have one', { finished: true, changed: 0n, failed: 1n }, false],
    ['that changes some has one', { finished: true, changed: 1n, failed: 0n }, false],
    ['that has not ended may have one', { finished: false, changed: 0n, failed: 0n }, false],
  ])('%s', (_, counts, isWithout) => expect(isWithoutEffect(counts)).toBe(isWithout));
});

describe('webhook events', () => {
  it('are undelivered when exhausted or expired', () => expect(undeliveredOf(DELIVERIES)).toBe(2n));

  it.each([
    ['one day', [DELIVERIES], '80%'],
    [
      'several days together, not averaged',
      [DELIVERIES, { ...DELIVERIES, delivered: 0n, expired: 17n }],
      '40%',
    ],
    ['a day with pending ones only', [{ delivered: 0n, exhausted: 0n, expired: 0n, pending: 50n }], '0%'],
    ['a day without events', [{ delivered: 0n, exhausted: 0n, expired: 0n, pending: 0n }], '—'],
    ['no day', [], '—'],
  ])('are delivered in a share that counts pending ones, for %s', (_, days, share) => {
    expect(deliveredShareOf(days)).toBe(share);
  });
});

describe('a share', () => {
  it.each([
    [1n, 3n, '33.3%'],
    [3n, 3n, '100%'],
    [0n, 3n, '0%'],
    [0n, 0n, '—'],
  ])('of %s in %s is %s', (part, all, share) => expect(shareOf(part, all)).toBe(share));
});

describe('a comparison with last week', () => {
  it.each([
    [5n, 4n, '+25%'],
    [3n, 4n, '−25%'],
    [4n, 4n, '0%'],
    [0n, 4n, '−100%'],
    [4n, 0n, undefined],
  ])('of %s with %s is %s', (now, before, change) => expect(changeOf(now, before)).toBe(change));
});

describe('a chart', () => {
  const series = (...values: (number | null)[]) => ({ name: '', values });

  it('stacks the values of each period, and draws no empty stack', () => {
    expect(stackOf([series(1, 2, 0, null), series(10, null, 0, null)])).toEqual([11, 2, null, null]);
  });

  it('has a number or nothing for each row', () => {
    expect(numbersOf([{ p95: 0n }, { p95: undefined }, { p95: 7n }], ({ p95 }) => p95)).toEqual([0, null, 7]);
  });

  const now = new Date('2026-12-31T23:59:59Z');
  it.each([
    ['2026-11-01', '1 Nov', '2026-11-01'],
    ['2026-12-30', '30 Dec', '2026-12-30'],
    ['2026-12-31', 'Today', '2026-12-31 so far'],
    ['2026-11', '2026-11', '2026-11'],
    ['2026-12', '2026-12 so far', '2026-12 so far'],
    ['', '', ''],
  ])('labels %p as %p, and in its table as %p', (period, label, name) => {
    expect(dayOf(period, now)).toBe(label);
    expect(periodOf(period, now)).toBe(name);
  });

  it.each([
    [30, 7, [1, 8, 15, 22, 29]],
    [8, 7, [0, 7]],
    [3, 1, [0, 1, 2]],
    [3, 5, [2]],
  ])('of %s periods labels the last, and each %s before it', (count, step, labelled) => {
    expect(labelledOf(count, step)).toEqual(labelled);
  });

  it('is empty without a number other than 0', () => {
    expect(isEmpty([series(null, 0), series()])).toBe(true);
    expect(isEmpty([series(null, 0), series(1)])).toBe(false);
  });
});

describe('the effect of a policy', () => {
  it('adds the changes to and from each decision', () => {
    const change = (from: Status, to: Status, count: bigint) =>
      create(DryRunChangeSchema, { from, to, count });
    const { ACCEPTED, REJECTED, DUPLICATE_NOT_ACCEPTED: DUPLICATE } = Status;
    const changes = [
      change(REJECTED, ACCEPTED, 3n),
      change(ACCEPTED, REJECTED, 5n),
      change(DUPLICATE, ACCEPTED, 7n),
      change(REJECTED, REJECTED, 11n),
    ];
    const effects = effectOf(changes);
    expect(effects.map(({ status }) => status)).toEqual([ACCEPTED, REJECTED, DUPLICATE].toSorted());
    expect(effects).toEqual(
      expect.arrayContaining([
        { status: ACCEPTED, before: 5n, after: 10n },
        { status: REJECTED, before: 14n, after: 16n },
        { status: DUPLICATE, before: 7n, after: 0n },
      ]),
    );
  });
});
