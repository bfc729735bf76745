import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { forAllTests, refusalTo } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { ScreeningResult } from '@supplier/proto/common/v1/enquiry';
import { ApplicationMinting, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { basicSubmissions } from '../../testing/basic-submissions.ts';
import { otherServices } from '../../testing/other-services.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService({ others: otherServices() }));
const submissions = basicSubmissions(service);

const purpose = 'erasure request 18';
const request = (...submissionIds: SubmissionId[]) =>
  service.privacy.requestErasure({ submissionIds, purpose });
const HANDED_OFF = { enrolments: { documentFirst: true } };

describe('an erased submission', () => {
  it.each([
    ['application', Level.APPLICATION],
    ['basic', Level.BASIC],
  ] as const)('returns a conflict for a replay of its reference, at %s level', async (_, level) => {
    const supplier = { accountId: newId<AccountId>(), externalReference: newId(), body: Buffer.alloc(32, 7) };
    const { id } = await service.submit({ ...supplier, level });
    await service.work();
    await request(id);
    await service.erase();
    for (const again of [Level.APPLICATION, Level.BASIC] as const)
      expect(await refusalTo(service.submit({ ...supplier, level: again }))).toMatchObject({
        code: RefusalCode.EXTERNAL_REFERENCE_CONFLICT,
        submissionId: id,
      });
    const { accountId, externalReference } = supplier;
    const lookUp = { accountId, externalReference, environment: Environment.PRODUCTION };
    const finder = service.as('document');
    expect(await refusalTo(finder.findSubmission(lookUp))).toMatchObject({ code: RefusalCode.NOT_FOUND });
  });

  it('is closed without text from staff when its pre-underwriting awaited them', async () => {
    const { id } = await service.submit({
      enquiry: { creditScreening: { provider: 'p', unsatisfiedCcjs: ScreeningResult.FAIL } },
      terms: { preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF },
    });
    await service.decide(id);
    await service.work();
    await request(id);
    await service.erase();
    service.at('2027-11-20T10:00:00Z');
    const { NOT_CLEARED } = PreUnderwritingState;
    await service.staff.completePreUnderwriting({
      submissionId: id,
      outcome: NOT_CLEARED,
      closeReason: 'Ada Sample said on 07700 900123 that she withdraws',
    });
    const application = await service.context.db.application.findFirstOrThrow({
      where: { submissionId: id },
    });
    expect(application).toMatchObject({ preUnderwriting: NOT_CLEARED, closeReason: null });
    service.at('2026-11-20T10:00:00Z');
  });

  it('returns its status, and gets no new link', async () => {
    const submitted = await submissions.submit({
      terms: { ...HANDED_OFF, applicationMinting: ApplicationMinting.ON_PROMOTION },
    });
    await request(submitted.id);
    await service.erase();
    const supplier = service.onBehalfOf({ accountId: submitted.accountId });
    const status = await supplier.getSubmission({ submissionId: submitted.id });
    expect(status).toMatchObject({ status: Status.ACCEPTED });
    expect(status.handoff).toBeUndefined();
    expect(await service.context.db.journeyLink.count({ where: { submissionId: submitted.id } })).toBe(1);
  });

  it.each([
    ['accepted', {}, false],
    ['promoted', {}, true],
    [
      'rejected',
      { environment: Environment.SANDBOX, enquiry: { businessName: 'Sandbox Reject Ltd' } },
      false,
    ],
  ] as const)(
    'rejects corrections and promotions the same way after being %s: repeated, with a used key, or new',
    async (_, options, isPromoted) => {
      const { environment = Environment.PRODUCTION } = options as SubmitOptions;
      const terms = { applicationMinting: ApplicationMinting.ON_PROMOTION };
      const submitted = { ...(await submissions.submit({ ...options, terms })), environment };
      const correction = { key: newId(), body: Buffer.alloc(32, 1) };
      const promotion = { key: newId(), body: Buffer.alloc(32, 2) };
      const correct = (use: object) => submissions.correct(submitted, 0, { firstName: 'Grace' }, use);
      const promote = (use: object) => submissions.promote(submitted, use);
      if (isPromoted)
        for (const operation of [() => correct(correction), () => promote(promotion)]) await operation();
      await service.work();
      await request(submitted.id);
      await service.erase();
      const other = Buffer.alloc(32, 3);
      const uses = [
        () => correct(correction),
        () => correct({ ...correction, body: other }),
        () => correct({}),
        () => promote(promotion),
        () => promote({ ...promotion, body: other }),
        () => promote({}),
      ];
      const refusals = await Promise.all(uses.map((use) => refusalTo(use())));
      expect(refusals).toEqual(
        uses.map(() =>
          expect.objectContaining({
            code: RefusalCode.VALIDATION_ERROR,
            violations: [
              expect.objectContaining({ path: 'submission_id', message: expect.stringContaining('erased') }),
            ],
          }),
        ),
      );
    },
  );

  it('ends working links, and the code of a link just used', async () => {
    const terms = { enrolments: { arrivalScreen: true } };
    const tokens: string[] = [];
    const codes: string[] = [];
    const gateway = service.as('gateway');
    const production = Environment.PRODUCTION;
    for (const isUsed of [true, false]) {
      const { id, arrivalScreenUrl = '' } = await service.submit({ terms });
      const token = arrivalScreenUrl.split('/journey/')[1] ?? '';
      tokens.push(token);
      if (isUsed) codes.push((await gateway.redeemJourneyLink({ token, environment: production })).code);
      await service.work();
      await request(id);
      await service.erase();
      const { links } = await service.privacy.exportSubmission({ submissionId: id, purpose });
      expect(links).toMatchObject([isUsed ? { usedAt: expect.anything() } : { endedAt: expect.anything() }]);
    }
    for (const token of tokens) {
      const link = { token, environment: production };
      for (const call of [gateway.getJourneyLink(link), gateway.redeemJourneyLink(link)])
        expect(await refusalTo(call)).toMatchObject({ code: RefusalCode.NOT_FOUND });
    }
    for (const code of codes)
      expect(await refusalTo(service.as('journey').exchangeJourneyCode({ code }))).toMatchObject({
        code: RefusalCode.NOT_FOUND,
      });
  });

  it('reports when it was first erased, even after a second erasure', async () => {
    const { id } = await service.submit({ level: Level.BASIC });
    await service.work();
    const erasedAt = async () =>
      (await service.context.db.submission.findUniqueOrThrow({ where: { id } })).erasedAt;
    await request(id);
    await service.erase();
    const first = await erasedAt();
    service.at('2026-11-21T10:00:00Z');
    await request(id);
    await service.erase();
    expect(first).not.toBeNull();
    expect(await erasedAt()).toEqual(first);
  });
});
