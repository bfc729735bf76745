import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { newSupplier } from '../../harness/accounts.ts';
import { delivery, fullPromotion } from '../../harness/enquiries.ts';
import type { Answer } from '../../harness/http.ts';
import { rowsOf } from '../../harness/processes.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { createdBasic, settled, supplier } from '../../harness/suppliers.ts';

const AT_ONCE = 50;
const ON_PROMOTION = { applicationMinting: ApplicationMinting.ON_PROMOTION };

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const withStatus = (answers: readonly Answer[], status: number) => answers.filter((a) => a.status === status);

/** Asserts that every loser of a race over one submission is refused and shows no other Application. */
function expectLosers(losers: readonly Answer[], reference: string | null): void {
  for (const loser of losers) {
    const refusal = refusalOf(loser, 409);
    expect(refusal.code).toBe('concurrent_promotion');
    if ('details' in refusal) expect(refusal.details).toEqual({ application_reference: reference });
  }
}

async function expectOneApplicationEach(ids: readonly string[]): Promise<void> {
  const applications = 'select submission_id from application where submission_id = any($1)';
  expect(await rowsOf('submission', applications, [ids])).toHaveLength(ids.length);
}

describe('concurrent promotions of one submission', () => {
  it('with different keys: one gets 200 and the rest 409, with one Application', async () => {
    const api = await newSupplier(ON_PROMOTION);
    const { submission_id } = await createdBasic(api, delivery());
    const answers = await Promise.all(times(AT_ONCE, () => api.promote(submission_id, fullPromotion())));
    const winners = withStatus(answers, 200).map((answer) => submissionOf(answer, 200));
    expect(winners).toHaveLength(1);
    const reference = winners[0]?.application_reference ?? null;
    expect(reference).not.toBeNull();
    expectLosers(
      answers.filter((answer) => answer.status !== 200),
      reference,
    );
    await expectOneApplicationEach([submission_id]);
  });

  it('with one key and body: all get 200 and the same Application', async () => {
    const api = await newSupplier(ON_PROMOTION);
    const { submission_id } = await createdBasic(api, delivery());
    const body = fullPromotion();
    const answers = await Promise.all(times(AT_ONCE, () => api.promote(submission_id, body)));
    const references = answers.map((answer) => submissionOf(answer, 200).application_reference);
    expect(new Set(references).size).toBe(1);
    expect(references[0]).not.toBeNull();
    await expectOneApplicationEach([submission_id]);
  });

  it('with one key and different bodies: one gets 200 and the rest 409, with one Application', async () => {
    const api = await newSupplier(ON_PROMOTION);
    const { submission_id } = await createdBasic(api, delivery());
    const { operation_idempotency_key } = fullPromotion();
    const answers = await Promise.all(
      times(AT_ONCE, () => api.promote(submission_id, fullPromotion({ operation_idempotency_key }))),
    );
    expect(withStatus(answers, 200)).toHaveLength(1);
    for (const loser of answers.filter((answer) => answer.status !== 200))
      expect(['idempotency_conflict', 'concurrent_promotion']).toContain(refusalOf(loser, 409).code);
    await expectOneApplicationEach([submission_id]);
  });
});

describe('a promotion and the automatic Application', () => {
  it('create one Application together in either order, in fifty repetitions', async () => {
    const alpha = supplier('alpha');
    const ids = await Promise.all(
      times(AT_ONCE, async () => {
        const { submission_id } = await createdBasic(alpha, delivery());
        const answers = await Promise.all(times(2, () => alpha.promote(submission_id, fullPromotion())));
        const winners = withStatus(answers, 200).map((answer) => submissionOf(answer, 200));
        expect(winners.length).toBeLessThanOrEqual(1);
        const minted = await settled(
          alpha,
          submission_id,
          'given its Application',
          (s) => s.application_reference !== null,
          { withinMs: 20_000 },
        );
        for (const winner of winners) expect(winner.application_reference).toBe(minted.application_reference);
        expectLosers(
          answers.filter((answer) => answer.status !== 200),
          minted.application_reference,
        );
        return submission_id;
      }),
    );
    const last = ids.at(-1) ?? '';
    const { applicationReference } = await staff
      .submission()
      .getApplication({ purpose: 'read by a test', submissionId: last });
    expect(submissionOf(await alpha.read(last), 200).application_reference).toBe(applicationReference);
    await expectOneApplicationEach(ids);
  });

  it('create one Application when fifty promotions race with the automatic one', async () => {
    const alpha = supplier('alpha');
    const { submission_id } = await createdBasic(alpha, delivery());
    const answers = await Promise.all(times(AT_ONCE, () => alpha.promote(submission_id, fullPromotion())));
    expect(withStatus(answers, 200).length).toBeLessThanOrEqual(1);
    const minted = await settled(alpha, submission_id, 'minted', (s) => s.application_reference !== null);
    expectLosers(
      answers.filter((answer) => answer.status !== 200),
      minted.application_reference,
    );
    await expectOneApplicationEach([submission_id]);
  });
});
