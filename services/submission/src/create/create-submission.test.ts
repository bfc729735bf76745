import { randomBytes } from 'node:crypto';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

describe('CreateSubmission', () => {
  it('records once and returns the current state for a replay', async () => {
    const same = { accountId: newId<AccountId>(), externalReference: 'r-1', body: randomBytes(32) };
    const first = await service.submit(same);
    const again = await service.submit(same);
    expect(first).toMatchObject({ created: true, submission: { status: Status.RECEIVED } });
    expect(again).toMatchObject({ created: false, id: first.id, submission: { status: Status.ACCEPTED } });
  });

  it('accepts one of several bodies, and names the existing submission to the others', async () => {
    const accountId = newId<AccountId>();
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => service.submit({ accountId, externalReference: 'r-3' })),
    );
    const winners = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const losers = all.flatMap((one) => (one.status === 'rejected' ? [refusalOf(one.reason)] : []));
    expect(winners).toHaveLength(1);
    expect(losers).toHaveLength(19);
    for (const loser of losers) {
      expect(loser).toMatchObject({
        code: RefusalCode.EXTERNAL_REFERENCE_CONFLICT,
        submissionId: winners[0]?.id,
      });
    }
  });

  it('separates accounts and environments', async () => {
    const externalReference = 'r-4';
    const accountId = newId<AccountId>();
    const made = await Promise.all([
      service.submit({ accountId, externalReference }),
      service.submit({ accountId, externalReference, environment: Environment.SANDBOX }),
      service.submit({ externalReference }),
    ]);
    expect(made.every(({ created }) => created)).toBe(true);
  });

  it('rejects an incomplete enquiry and stores nothing', async () => {
    const before = await service.context.db.submission.count();
    const missing = await refusalTo(service.submit({ enquiry: { email: undefined, marketing: undefined } }));
    expect(missing?.violations.map(({ path }) => path)).toEqual(['email', 'marketing']);
    expect(await service.context.db.submission.count()).toBe(before);
  });

  it('simulates an outage in the sandbox by business name', async () => {
    const enquiry = { businessName: 'Sandbox Unavailable Ltd' };
    const played = await refusalTo(service.submit({ environment: Environment.SANDBOX, enquiry }));
    expect(played?.code).toBe(RefusalCode.SERVICE_UNAVAILABLE);
    expect((await service.submit({ enquiry })).created).toBe(true);
  });
});
