import { exampleStatus, exampleStatusIn } from './envelope.ts';

describe('example status', () => {
  it('matches the published one in the sandbox, where nothing is billed', () => {
    expect(exampleStatusIn('sandbox')).toBe(exampleStatus);
    expect(exampleStatus.billing).toMatchObject({
      billing_status: 'not_billable',
      billable_at: null,
      not_billable_reason: 'sandbox',
    });
  });

  it('is billable in production from its decision', () => {
    expect(exampleStatusIn('production')).toEqual({
      ...exampleStatus,
      environment: 'production',
      billing: {
        billing_status: 'billable',
        billable_at: exampleStatus.decided_at,
        billing_model: 'accepted_submission',
        not_billable_reason: null,
      },
    });
  });
});
