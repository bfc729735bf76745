import { randomBytes } from 'node:crypto';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { ContactChannel, PreferredContactMethod, ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import type { EnquiryInit } from '../../testing/sample-enquiry.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

const submit = (options: SubmitOptions = {}) => service.submit({ level: Level.BASIC, ...options });
const BARE: EnquiryInit = {
  email: undefined,
  businessStructure: 0,
  businessSector: 0,
  tradingDuration: 0,
  fundingPurpose: 0,
  fundingTimeframe: 0,
  preferredContactMethod: 0,
  privacyInformation: undefined,
  marketing: undefined,
};

describe('CreateSubmission at basic level', () => {
  it('decides in the commit that records, and returns the decision', async () => {
    const { id, created, submission } = await submit({ enquiry: BARE });
    expect(created).toBe(true);
    expect(submission).toMatchObject({ level: Level.BASIC, status: Status.ACCEPTED });
    expect(submission.decidedAt).toBeDefined();
    expect(submission.applicationReference).toBeUndefined();
    expect(await service.eventsOf(id)).toEqual(['SubmissionStatusChanged']);
    const { rows } = await service.context.pool.query(
      'SELECT DISTINCT xmin::text FROM domain_event WHERE aggregate_id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
  });

  it('returns the decision for a duplicate and for a submission over the cap', async () => {
    const telephone = '07911 700700';
    await submit({ enquiry: { telephone } });
    expect((await submit({ enquiry: { telephone } })).submission.status).toBe(Status.DUPLICATE_NOT_ACCEPTED);
    const capped = { accountId: newId<AccountId>(), terms: { caps: { acceptedPerDay: 3 } } };
    const all = await Promise.all(Array.from({ length: 9 }, () => submit(capped)));
    const accepted = all.filter(({ submission }) => submission.status === Status.ACCEPTED);
    expect(accepted).toHaveLength(3);
  });

  it('creates one submission and one set of events for concurrent identical requests', async () => {
    const same = { accountId: newId<AccountId>(), externalReference: 'b-1', body: randomBytes(32) };
    const all = await Promise.all(Array.from({ length: 100 }, () => submit(same)));
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    expect(all.every(({ submission }) => submission.status === Status.ACCEPTED)).toBe(true);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await service.eventsOf(all[0]!.id)).toEqual(['SubmissionStatusChanged']);
  });

  it('accepts one of several bodies with the same reference, across both API versions', async () => {
    const accountId = newId<AccountId>();
    const all = await Promise.allSettled(
      Array.from({ length: 16 }, (_, i) =>
        submit({ accountId, externalReference: 'b-2', level: i % 2 ? Level.BASIC : Level.APPLICATION }),
      ),
    );
    const lost = all.flatMap((one) => (one.status === 'rejected' ? [refusalOf(one.reason)?.code] : []));
    expect(lost).toEqual(Array(15).fill(RefusalCode.EXTERNAL_REFERENCE_CONFLICT));
  });

  it('decides an earlier undecided submission from the same customer first', async () => {
    const telephone = '07911 900900';
    const first = await service.submitUndecided({ enquiry: { telephone } });
    service.at('2026-11-20T10:00:01Z');
    const second = await submit({ enquiry: { telephone } });
    service.at('2026-11-20T10:00:00Z');
    expect(second.submission.status).toBe(Status.DUPLICATE_NOT_ACCEPTED);
    expect(await service.statusOf(first.id)).toBe(Status.ACCEPTED);
    expect(await service.eventsOf(second.id)).toEqual(['SubmissionStatusChanged']);
  });

  it('returns received when too many earlier submissions from the same customer are undecided, and decides soon after', async () => {
    const enquiry = { telephone: '07911 900700' };
    const creditScreening = { provider: 'p', companyStatus: ScreeningResult.FAIL };
    for (let n = 0; n < 20; n += 1)
      await service.submitUndecided({ enquiry: { ...enquiry, creditScreening } });
    const { id, created, submission } = await submit({ enquiry });
    expect({ created, status: submission.status }).toEqual({ created: true, status: Status.RECEIVED });
    await service.work();
    expect(await service.statusOf(id)).toBe(Status.ACCEPTED);
  });

  it('returns received when staff decide or when the sandbox simulates it', async () => {
    const byStaff = await submit({ terms: { decisionMode: DecisionMode.STAFF } });
    const played = await submit({
      environment: Environment.SANDBOX,
      enquiry: { businessName: 'Sandbox Pending Ltd' },
    });
    for (const { id, submission } of [byStaff, played]) {
      expect(submission.status).toBe(Status.RECEIVED);
      await service.decide(id);
      expect(await service.statusOf(id)).toBe(Status.RECEIVED);
    }
  });

  it('requires the fields of its level, and an email only when the customer may be contacted by email', async () => {
    const missing = (enquiry: EnquiryInit) =>
      refusalTo(submit({ enquiry: { ...BARE, ...enquiry } })).then((it) =>
        it?.violations.map(({ path }) => path),
      );
    const byEmail = { permissionStated: true, channels: [ContactChannel.EMAIL], wordingVersion: 'v1' };
    expect(await missing({ telephone: undefined, attribution: undefined })).toEqual([
      'telephone',
      'attribution',
    ]);
    expect(await missing({ preferredContactMethod: PreferredContactMethod.EMAIL })).toEqual(['email']);
    expect(await missing({ contactExpectation: byEmail })).toEqual(['email']);
    expect(await missing({ preferredContactMethod: PreferredContactMethod.EITHER })).toBeUndefined();
  });
});
