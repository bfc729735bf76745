import { create } from '@bufbuild/protobuf';
import { type Status, SubmissionStatusSchema } from '@supplier/proto/common/v1/status';
import { toTimestamp } from '../time/index.ts';
import { renderStatus } from './index.ts';

const at = (text: string) => toTimestamp(new Date(text));
const received = {
  environment: 1,
  submissionId: '01890000-0000-7000-8000-000000000000',
  externalReference: 'ref-1',
  level: 2,
  status: 1,
  receivedAt: at('2026-11-20T10:00:00.5Z'),
  billing: { billingStatus: 3, billingModel: 1, notBillableReason: 3 },
};

describe('renderStatus', () => {
  it('writes every required field, with null for events that have not happened', () => {
    expect(renderStatus(create(SubmissionStatusSchema, received))).toEqual({
      environment: 'sandbox',
      submission_id: received.submissionId,
      external_reference: 'ref-1',
      level: 'application',
      status: 'received',
      received_at: '2026-11-20T10:00:00.500Z',
      decided_at: null,
      application_reference: null,
      application_created_at: null,
      billing: {
        billing_status: 'not_billable',
        billable_at: null,
        billing_model: 'accepted_submission',
        not_billable_reason: 'sandbox',
      },
    });
  });

  it('writes links and returns if they exist', () => {
    const status = create(SubmissionStatusSchema, {
      ...received,
      status: 5,
      handoff: { customerJourneyUrl: 'https://pages.example/j/x', expiresAt: at('2026-11-21T00:00:00Z') },
      return: { reasonCategory: 2, returnedAt: at('2026-11-22T00:00:00Z') },
    });
    expect(renderStatus(status, 'https://pages.example/a/y')).toMatchObject({
      status: 'returned',
      handoff: {
        customer_journey_url: 'https://pages.example/j/x',
        expires_at: '2026-11-21T00:00:00.000Z',
        single_use: true,
      },
      arrival_screen_url: 'https://pages.example/a/y',
      return: {
        reason_category: 'outstanding_ccjs',
        reason_category_version: 'v1',
        returned_at: '2026-11-22T00:00:00.000Z',
      },
    });
  });

  it('keeps a fixed key order', () => {
    const text = JSON.stringify(renderStatus(create(SubmissionStatusSchema, received)));
    expect(text.indexOf('"environment"')).toBe(1);
    expect(text.indexOf('"status"')).toBeLessThan(text.indexOf('"billing"'));
  });

  it('throws for a value that suppliers do not know', () => {
    expect(() => renderStatus(create(SubmissionStatusSchema, { ...received, status: 0 }))).toThrow();
    expect(() =>
      renderStatus(create(SubmissionStatusSchema, { ...received, status: 99 as Status })),
    ).toThrow();
  });
});
