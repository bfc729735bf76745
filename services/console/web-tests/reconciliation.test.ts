import './browser-storage.ts';
import { create } from '@bufbuild/protobuf';
import { FindingKind, FindingSchema, RepairOutcome } from '@supplier/proto/reconciliation/v1/reconciliation';
import { periodOf, rangeOf } from '../web/src/screens/reconciliation/period.ts';
import {
  NOT_STARTED,
  summaryOf,
  withCompared,
  withFinding,
} from '../web/src/screens/reconciliation/progress.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');

describe('the summary of a comparison', () => {
  const done = { ...NOT_STARTED, ending: 'done' } as const;
  const services = {
    account: done,
    submission: { ...done, differences: 2, left: 1 },
    document: done,
    billing: { ...done, differences: 3, left: 2 },
    webhook: { ...done, differences: 1_000, left: 0 },
  };
  const comparison = { since: new Date(NOW), until: new Date(NOW), repair: false };
  const repairing = { ...comparison, repair: true };
  const isRunning = false;

  it.each([
    ['adds the differences of all services', { comparison, services, isRunning }, '1,005 differences.'],
    [
      'adds those not repaired',
      { comparison: repairing, services, isRunning },
      '1,005 differences, 3 not repaired.',
    ],
    [
      'says that a service failed',
      { comparison, services: { ...services, webhook: { ...done, ending: { refusal: '' } } }, isRunning },
      '5 differences. Not everything was compared.',
    ],
    [
      'counts the services that are done',
      { comparison, services: { ...services, account: NOT_STARTED }, isRunning: true },
      'In progress: 4 of 5 services are done.',
    ],
  ])('%s', (_, results, text) => expect(summaryOf(results)).toBe(text));
});

describe('the progress of a service', () => {
  const { DIFFERENCE, BACKLOG } = FindingKind;
  it.each([
    ['a difference', DIFFERENCE, RepairOutcome.UNSPECIFIED, [1, 1]],
    ['a repaired difference', DIFFERENCE, RepairOutcome.REPAIRED, [1, 0]],
    ['a difference that can’t be repaired', DIFFERENCE, RepairOutcome.NOT_POSSIBLE, [1, 1]],
    ['a backlog', BACKLOG, RepairOutcome.UNSPECIFIED, [0, 0]],
  ])('counts %s', (_, kind, repair, [differences, left]) => {
    const finding = create(FindingSchema, { kind, repair });
    const once = withFinding(NOT_STARTED, finding);
    expect(once).toEqual({ ...NOT_STARTED, differences, left });
    expect(withFinding(once, finding).differences).toBe(2 * (differences ?? 0));
  });
});

describe('the records that a service has compared', () => {
  it('are added over all its calls', () => {
    const progress = [500n, 500n, 7n].reduce(withCompared, { ...NOT_STARTED, left: 1 });
    expect(progress).toEqual({ ...NOT_STARTED, left: 1, compared: 1_007n });
  });
});

describe('the period to compare', () => {
  it.each([
    ['exactly seven days old', '2026-11-18T12:00', '', [false, false]],
    ['a minute older', '2026-11-18T11:59', '', [true, false]],
    ['in order', '2026-11-20T09:30', '2026-11-20T09:31', [false, false]],
    ['empty', '2026-11-20T09:30', '2026-11-20T09:30', [false, true]],
    ['reversed', '2026-11-20T10:00', '2026-11-20T09:30', [false, true]],
    ['without a start', '', '2026-11-20T09:30', [false, false]],
  ])('may be %s or not', (_, from, to, [isTooOld, isReversed]) => {
    expect(periodOf(from, to, NOW)).toMatchObject({ isTooOld, isReversed });
  });

  it('is from a day ago until a minute ago', () => {
    expect(rangeOf(periodOf('', '', NOW), NOW)).toEqual({
      since: new Date('2026-11-24T12:00:00Z'),
      until: new Date('2026-11-25T11:59:00Z'),
    });
  });

  it('is entered in UTC', () => {
    expect(rangeOf(periodOf('2026-11-20T09:30', '2026-11-21T00:00', NOW), NOW)).toEqual({
      since: new Date('2026-11-20T09:30:00Z'),
      until: new Date('2026-11-21T00:00:00Z'),
    });
  });
});
