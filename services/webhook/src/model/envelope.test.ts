import type { EventId } from '@supplier/lib/text/ids';
import type { StatusObject } from '@supplier/lib/text/status-object';
import { envelopeBytes, withoutLink } from './envelope.ts';

const data: StatusObject = {
  environment: 'sandbox',
  submission_id: '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a11',
  external_reference: 'Zoë-1',
  level: 'application',
  status: 'accepted',
  received_at: '2026-11-20T10:15:30.000Z',
  decided_at: '2026-11-20T10:15:30.120Z',
  application_reference: 'APP-0123456789',
  application_created_at: '2026-11-20T10:15:30.120Z',
  billing: {
    billing_status: 'not_billable',
    billable_at: null,
    billing_model: 'accepted_submission',
    not_billable_reason: 'sandbox',
  },
};

describe('envelope', () => {
  const bytes = envelopeBytes(
    '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10' as EventId,
    '2026-11-20T10:15:30.123Z',
    data,
  );

  it('contains the status object byte for byte, and only the four fields of the contract', () => {
    expect(Buffer.from(bytes).toString()).toBe(
      '{"id":"0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10","type":"submission.status_changed",' +
        `"occurred_at":"2026-11-20T10:15:30.123Z","data":${JSON.stringify(data)}}`,
    );
  });

  it('loses only its customer journey link', () => {
    const handoff = {
      customer_journey_url: 'https://pages.example/journey/x',
      expires_at: '2026-11-23T10:15:30.123Z',
      single_use: true as const,
    };
    const linked = envelopeBytes(
      '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10' as EventId,
      '2026-11-20T10:15:30.123Z',
      { ...data, handoff },
    );
    expect(Buffer.from(linked).toString()).toContain(handoff.customer_journey_url);
    expect(Buffer.from(withoutLink(linked) ?? '').toString()).toBe(Buffer.from(bytes).toString());
  });

  it.each([
    ['carries no link', bytes],
    ['carries no data', Buffer.from('{"id":"0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10"}')],
  ])('has no link to remove if it %s', (_what, body) => {
    expect(withoutLink(body)).toBeUndefined();
  });
});
