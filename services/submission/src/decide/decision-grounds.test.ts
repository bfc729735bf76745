import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Level, Status } from '@supplier/proto/common/v1/status';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { FactKind, MatchKey, type Timeline } from '@supplier/proto/submission/v1/timeline';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { type EnquiryInit, newCompanyNumber } from '../../testing/sample-enquiry.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

const decidedIn = ({ entries }: Timeline) =>
  entries.flatMap(({ what }) => (what.case === 'decided' ? [what.value] : []))[0];
const groundsOf = async (submissionId: string) =>
  decidedIn(await service.staff.getTimeline({ submissionId }));
const factsOf = (submissionId: string) =>
  service.staff.getDecisionFacts({ submissionId, purpose: 'read by a test' });
let telephones = 0;
const newTelephone = () => `07911 7${String(++telephones).padStart(5, '0')}`;

const KEYS: readonly (readonly [string, MatchKey, () => EnquiryInit])[] = [
  ['company number', MatchKey.COMPANY_NUMBER, () => ({ companyNumber: newCompanyNumber() })],
  ['telephone', MatchKey.TELEPHONE, () => ({ telephone: newTelephone() })],
  ['email', MatchKey.EMAIL, () => ({ email: `${newId()}@example.test` })],
];

describe('the grounds of a duplicate', () => {
  it.each(KEYS)(
    'name the earlier submission and the key %s when decided separately',
    async (_, duplicateKey, stated) => {
      const enquiry = stated();
      const accountId = newId<AccountId>();
      const earlier = await service.submit({ enquiry, externalReference: `earlier-${newId()}`, accountId });
      const duplicateOf = earlier.id;
      const { id, submission } = await service.submit({ enquiry });
      expect(submission.status).toBe(Status.RECEIVED);
      expect(await groundsOf(id)).toMatchObject({
        decision: Status.DUPLICATE_NOT_ACCEPTED,
        rule: 'duplicate',
        duplicateOf,
        duplicateAccountId: accountId,
        duplicateReference: earlier.submission.externalReference,
        duplicateKey,
      });
    },
  );

  it.each(KEYS)(
    'name the earlier submission and the key %s when workers decide both in one set',
    async (_, duplicateKey, stated) => {
      const enquiry = stated();
      const { id: duplicateOf } = await service.submitUndecided({ enquiry });
      const { id } = await service.submitUndecided({ enquiry });
      await service.work();
      expect(await groundsOf(id)).toMatchObject({ duplicateOf, duplicateKey });
      expect(await groundsOf(duplicateOf)).toMatchObject({
        duplicateOf: '',
        duplicateKey: MatchKey.UNSPECIFIED,
      });
    },
  );

  it.each(KEYS)(
    'name the promoted submission and the key %s stated by the promotion',
    async (_, duplicateKey, stated) => {
      const submissions = basicSubmissions(service);
      const enquiry = stated();
      const submitted = await submissions.submit({ terms: { applicationMinting: 2 } });
      await submissions.promote(submitted, { enquiry });
      const { id } = await service.submit({ enquiry });
      expect(await groundsOf(id)).toMatchObject({ duplicateOf: submitted.id, duplicateKey });
    },
  );

  it.each([
    [Status.DUPLICATE_NOT_ACCEPTED, false],
    [Status.ACCEPTED, true],
  ] as const)(
    'name the earlier submission when staff decide, status %s',
    async (decision, acceptDuplicate) => {
      const enquiry = { telephone: newTelephone() };
      const { id: duplicateOf } = await service.submit({ enquiry });
      const { id } = await service.submit({ enquiry, terms: { decisionMode: DecisionMode.STAFF } });
      await service.staff.decideSubmission({
        submissionId: id,
        decision,
        reason: 'case 20',
        acceptDuplicate,
      });
      expect(await groundsOf(id)).toMatchObject({
        decision,
        policyVersion: 'staff',
        duplicateOf,
        duplicateKey: MatchKey.TELEPHONE,
      });
    },
  );

  it('are removed when the applicant is erased; a submission that matched an erased one keeps its id', async () => {
    const enquiry = { telephone: newTelephone() };
    const { id: first } = await service.submit({ enquiry });
    const { id: second } = await service.submit({ enquiry });
    const { id: third } = await service.submit({ enquiry });
    await service.privacy.requestErasure({ submissionIds: [first, second], purpose: 'case 21' });
    await service.erase();
    expect(await groundsOf(second)).toMatchObject({ rule: 'duplicate', duplicateOf: '', duplicateKey: 0 });
    expect(await groundsOf(third)).toMatchObject({ duplicateOf: first, duplicateKey: MatchKey.TELEPHONE });
  });
});

describe('the comparisons of a decision', () => {
  const CAPPED = newId<AccountId>();
  const { FUNDING_AMOUNT, CREDIT_SCREENING, ACCEPTED_COUNT } = FactKind;
  it.each<[string, SubmitOptions, string, FactKind[]]>([
    [
      'amount-too-small',
      { enquiry: { fundingAmount: 25_000 }, terms: { thresholds: { minimumFundingAmount: 30_000 } } },
      "funding_amount 25,000 is below the account's minimum 30,000",
      [FUNDING_AMOUNT],
    ],
    [
      'company-status-failed',
      { enquiry: { creditScreening: { provider: 'p', companyStatus: 2 } } },
      'credit_screening.company_status is fail',
      [CREDIT_SCREENING],
    ],
    ['accepted', { accountId: CAPPED, terms: { caps: { acceptedPerDay: 1 } } }, '', []],
    [
      'day-cap-reached',
      { accountId: CAPPED, terms: { caps: { acceptedPerDay: 1 } } },
      "accepted today: 1 is at least the account's cap for the day 1",
      [ACCEPTED_COUNT],
    ],
  ])('are known for the rule %s', async (rule, options, decision, comparedKinds) => {
    for (const submit of [service.submit, service.submitUndecided]) {
      const { id } = await submit(options);
      await service.work();
      if (rule === 'accepted' && (await groundsOf(id))?.rule !== 'accepted') continue;
      expect(await groundsOf(id)).toMatchObject({ rule, comparedKinds });
      expect(await factsOf(id)).toMatchObject({ decision });
    }
  });

  it('come from the policy version that decided it', async () => {
    const policies = service.policies();
    const rules = [
      { rule: 'even', when: 'enquiry.funding_amount % 1000 == 7', outcome: 'rejected', reason: 'Seven.' },
      { rule: 'accepted', when: 'true', outcome: 'accepted', reason: 'No other rule matches.' },
    ];
    const text = JSON.stringify({ version: 'sevens', rules });
    await policies.storePolicy({ kind: PolicyKind.DECISION, text, note: 'a test' });
    const before = service.context.policies;
    expect(before.decision.version).not.toBe('sevens');
    const { id } = await service.submit({ enquiry: { fundingAmount: 25_007 } });
    await service.context.pool.query(
      `UPDATE submission SET decision_policy = 'sevens', decision_rule = 'even' WHERE id = $1`,
      [id],
    );
    expect(await groundsOf(id)).toMatchObject({ comparedKinds: [FactKind.FUNDING_AMOUNT] });
    expect((await factsOf(id)).decision).toBe(
      'the condition enquiry.funding_amount % 1000 == 7 holds, with funding_amount 25,007',
    );
  });

  it('are known for pre-underwriting too', async () => {
    const { id } = await service.submit({
      enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjCount: 2 } },
    });
    const { entries } = await service.staff.getTimeline({ submissionId: id });
    expect(
      entries.flatMap(({ what }) => (what.case === 'preUnderwriting' ? [what.value] : [])),
    ).toMatchObject([{ reasons: ['unsatisfied-ccjs'], comparedKinds: [FactKind.COURT_JUDGMENTS] }]);
    expect(await factsOf(id)).toMatchObject({
      decision: '',
      preUnderwriting: 'credit_screening.unsatisfied_ccj_count 2 is above 0',
    });
  });

  it('are removed when the applicant is erased', async () => {
    const { id } = await service.submit({ terms: { thresholds: { minimumFundingAmount: 30_000 } } });
    expect((await factsOf(id)).decision).toContain('25,000');
    await service.privacy.requestErasure({ submissionIds: [id], purpose: 'case 22' });
    await service.erase();
    expect(await groundsOf(id)).toMatchObject({ rule: 'amount-too-small' });
    expect((await factsOf(id).then(() => undefined, refusalOf))?.code).toBe(RefusalCode.WRONG_STATE);
  });
});

it('suppliers never see the compared facts, in responses or events', async () => {
  const accountId = newId<AccountId>();
  const enquiry = { telephone: newTelephone() };
  const { id: earlier } = await service.submit({ enquiry });
  const { id } = await service.submit({ accountId, level: Level.BASIC, enquiry });
  const small = await service.submit({ accountId, terms: { thresholds: { minimumFundingAmount: 30_000 } } });
  for (const one of [id, small.id] as SubmissionId[]) {
    const seen = await service.onBehalfOf({ accountId }).getSubmission({ submissionId: one });
    const events = await service.context.db.domainEvent.findMany({ where: { aggregateId: one } });
    expect(events.length).toBeGreaterThan(0);
    for (const told of [
      JSON.stringify(seen, withoutBigints),
      ...events.map(({ envelope }) => text(envelope)),
    ]) {
      expect(told).toContain(one);
      expect(told).not.toMatch(new RegExp(`${earlier}|30,000|30000|minimum|telephone|duplicate_of|case 2`));
    }
  }
});

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const withoutBigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
