import { create } from '@bufbuild/protobuf';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import {
  Environment,
  ReturnReasonCategory,
  ReturnReasonCategorySchema,
  Status,
} from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { keptSince } from '../privacy/retention.sql.ts';
import { missingFields } from './required-fields.ts';
import { simulationOf } from './sandbox-simulation.ts';
import { newApplicationReference, type SubmissionState, timeOfChange } from './submission.ts';
import { canBeReturned } from './transitions.ts';

describe('application reference', () => {
  it('is APP- and ten characters that cannot be misread', () => {
    const everyCharacter = Array.from({ length: 32 }, (_, i) => newApplicationReference(() => i));
    expect(everyCharacter.every((reference) => /^APP-[0-9A-HJKMNP-TV-Z]{10}$/.test(reference))).toBe(true);
    expect(new Set(everyCharacter).size).toBe(32);
  });
});

describe('return window', () => {
  const decidedAt = new Date('2026-01-01T00:00:00Z');
  const now = (text: string) => new Date(text);
  const submissionOf = (status: Status, createdAt?: Date, preUnderwriting?: PreUnderwritingState) => ({
    state: {
      status,
      decidedAt,
      application: createdAt ? { reference: 'APP-0123456789', createdAt } : null,
    } as SubmissionState,
    preUnderwriting: preUnderwriting
      ? { state: preUnderwriting, at: decidedAt, policyVersion: null, reasons: [] }
      : null,
  });
  it.each([
    ['its decision', submissionOf(Status.ACCEPTED), '2026-01-31T00:00:00.000Z'],
    [
      'a later Application',
      submissionOf(Status.ACCEPTED, now('2026-01-20T12:00:00Z')),
      '2026-02-19T12:00:00.000Z',
    ],
    [
      'a decision that also created the Application',
      submissionOf(Status.ACCEPTED, decidedAt, PreUnderwritingState.PENDING),
      '2026-01-31T00:00:00.000Z',
    ],
  ])('is open for an accepted submission for 30 days after %s, to the millisecond', (_, submission, last) => {
    expect(canBeReturned(submission, now(last), 30)).toBe(true);
    expect(canBeReturned(submission, new Date(Date.parse(last) + 1), 30)).toBe(false);
  });
  it('is closed for a submission closed without a return', () => {
    const submission = submissionOf(Status.ACCEPTED, decidedAt, PreUnderwritingState.NOT_CLEARED);
    expect(canBeReturned(submission, decidedAt, 30)).toBe(false);
  });
  it.each([Status.RECEIVED, Status.REJECTED, Status.DUPLICATE_NOT_ACCEPTED, Status.RETURNED])(
    'is closed for status %i',
    (status) => {
      expect(canBeReturned(submissionOf(status), decidedAt, 30)).toBe(false);
    },
  );
});

describe('required fields', () => {
  it('include all of them for an application-level enquiry', () => {
    expect(missingFields('application', sampleEnquiry())).toEqual([]);
    expect(missingFields('application', create(EnquirySchema))).toHaveLength(17);
    expect(missingFields('application', sampleEnquiry({ marketing: undefined }))).toEqual(['marketing']);
  });
});

describe('sandbox simulation', () => {
  it('matches exact names, only in the sandbox', () => {
    expect(simulationOf(Environment.SANDBOX, 'Sandbox Reject Ltd')).toEqual({
      kind: 'decide',
      status: Status.REJECTED,
    });
    expect(simulationOf(Environment.SANDBOX, 'Sandbox Return overdue_filings Ltd')?.kind).toBe('return');
    expect(simulationOf(Environment.SANDBOX, 'sandbox reject ltd')).toBeUndefined();
    expect(simulationOf(Environment.PRODUCTION, 'Sandbox Reject Ltd')).toBeUndefined();
    expect(simulationOf(Environment.SANDBOX, undefined)).toBeUndefined();
  });

  it.each([
    ['Sandbox Accept Ltd', { kind: 'decide', status: Status.ACCEPTED }],
    ['Sandbox Reject Ltd', { kind: 'decide', status: Status.REJECTED }],
    ['Sandbox Duplicate Ltd', { kind: 'decide', status: Status.DUPLICATE_NOT_ACCEPTED }],
    ['Sandbox Pending Ltd', { kind: 'await-staff' }],
    ['Sandbox Unavailable Ltd', { kind: 'unavailable' }],
    [
      'Sandbox PU Fail Ltd',
      { kind: 'return', category: ReturnReasonCategory.PRE_UNDERWRITING_CRITERIA_NOT_MET },
    ],
    ...ReturnReasonCategorySchema.values
      .filter(({ number }) => number !== ReturnReasonCategory.UNSPECIFIED)
      .map(
        (category) =>
          [
            `Sandbox Return ${spellEnumValue(category)} Ltd`,
            { kind: 'return', category: category.number },
          ] as const,
      ),
  ] as const)('maps %s to its simulation', (name, simulation) => {
    expect(simulationOf(Environment.SANDBOX, name)).toEqual(simulation);
  });
});

describe('time of a change', () => {
  it('increases even when the clock stops or goes back', () => {
    const changedAt = new Date('2026-01-01T00:00:00.500Z');
    expect(timeOfChange({ changedAt }, changedAt).toISOString()).toBe('2026-01-01T00:00:00.501Z');
    expect(timeOfChange({ changedAt }, new Date(0)).toISOString()).toBe('2026-01-01T00:00:00.501Z');
    const later = new Date('2026-01-02T00:00:00Z');
    expect(timeOfChange({ changedAt }, later)).toEqual(later);
  });
});

describe('the retention of applicants', () => {
  it('subtracts whole days for accepted submissions and for all others', () => {
    const now = new Date('2026-11-20T10:00:00.123Z');
    expect(keptSince({ acceptedDays: 10, notAcceptedDays: 1 }, now)).toEqual({
      accepted: new Date('2026-11-10T10:00:00.123Z'),
      notAccepted: new Date('2026-11-19T10:00:00.123Z'),
    });
  });
});
