import { enquiry, fullEnquiry } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { readStack } from '../../harness/stack.ts';
import { decided, supplier } from '../../harness/suppliers.ts';
import { delivered, isSignedWith, rawDataOf } from '../../harness/webhooks.ts';

const alpha = supplier('alpha');
const secretsOf = (name: string): { sandbox: string; production: string } => {
  const { webhookSecret = 'none', liveWebhookSecret = 'none' } = readStack().suppliers[name] ?? {};
  return { sandbox: webhookSecret, production: liveWebhookSecret };
};

describe('a webhook', () => {
  it('has exactly the documented headers and values', async () => {
    const submission = await decided(alpha, enquiry());
    const { headers, envelope, receivedAt } = await delivered(alpha, submission, 'decided');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhooks/1',
      'svc-webhook-id': envelope.id,
      'svc-webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'svc-webhook-signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
    });
    const age = Date.parse(receivedAt) / 1000 - Number(headers['svc-webhook-timestamp']);
    expect(Math.abs(age)).toBeLessThan(5);
  });

  it('has no header that reveals internals', async () => {
    const submission = await decided(alpha, enquiry());
    const { headers } = await delivered(alpha, submission, 'decided');
    const names = Object.keys(headers).filter(
      (name) => !['host', 'connection', 'content-length', 'accept', 'accept-encoding'].includes(name),
    );
    expect(names.sort()).toEqual([
      'content-type',
      'svc-webhook-id',
      'svc-webhook-signature',
      'svc-webhook-timestamp',
      'user-agent',
    ]);
  });

  it('is signed over its timestamp and raw body with only the secret of its environment', async () => {
    const secrets = secretsOf('alpha');
    expect(secrets.sandbox).not.toBe(secrets.production);
    const sandbox = await delivered(alpha, await decided(alpha, enquiry()), 'decided');
    expect(sandbox.verified).toBe(true);
    expect(isSignedWith(secrets.sandbox, sandbox)).toBe(true);
    expect(isSignedWith(secrets.production, sandbox)).toBe(false);
    expect(isSignedWith(secrets.sandbox, { ...sandbox, rawBody: `${sandbox.rawBody} ` })).toBe(false);

    const live = supplier('alpha', 'production');
    const production = await delivered(live, await decided(live, enquiry()), 'decided');
    expect(production.verified).toBe(true);
    expect(isSignedWith(secrets.production, production)).toBe(true);
    expect(isSignedWith(secrets.sandbox, production)).toBe(false);
  });

  it('contains the same bytes as the read by id', async () => {
    const accepted = await decided(alpha, fullEnquiry({ external_reference: `Ü😀"\\/${Date.now()}` }));
    const event = await delivered(alpha, accepted, 'accepted', (data) => data.status === 'accepted');
    const read = await alpha.read(accepted.submission_id);
    expect(submissionOf(read, 200)).toEqual(event.envelope.data);
    expect(rawDataOf(event)).toBe(read.text);
  });
});
