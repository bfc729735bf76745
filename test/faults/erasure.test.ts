import { ErasureState, ErasureStep } from '@supplier/proto/submission/v1/erasures';
import { enquiry } from '../harness/enquiries.ts';
import { everythingReady, kill, restarted, whileDown } from '../harness/processes.ts';
import { staff } from '../harness/rpc.ts';
import { decided, supplier } from '../harness/suppliers.ts';
import { NotYet, waitFor } from '../harness/wait.ts';

/** A lease, a process restart, and the minute between two attempts. */
const RECOVERY_MS = 120_000;
const AWAY = [
  ['document', ErasureStep.DOCUMENTS],
  ['webhook', ErasureStep.DELIVERIES],
] as const;

const alpha = supplier('alpha');
const submissionOf = async () => (await decided(alpha, enquiry())).submission_id;
const requested = async (...submissionIds: string[]) =>
  (await staff.privacy().requestErasure({ submissionIds, purpose: 'request 18' })).erasureId;

async function complete(erasureId: string) {
  return waitFor(
    'the erasure to be complete',
    async () => {
      const erasure = await staff.privacy().getErasure({ erasureId });
      if (erasure.state !== ErasureState.COMPLETE)
        throw new NotYet(erasure.submissions.map(({ waitingFor }) => waitingFor).join());
      return erasure;
    },
    { withinMs: RECOVERY_MS },
  );
}

beforeEach(everythingReady);

describe('an erasure', () => {
  it.each(AWAY)(
    'reports that it is waiting for the %s service while that is away, and completes automatically when it is back',
    async (name, step) => {
      const submissionId = await submissionOf();
      await whileDown(name, async (away) => {
        const erasureId = await requested(submissionId);
        const waiting = await waitFor('the erasure to wait', async () => {
          const erasure = await staff.privacy().getErasure({ erasureId });
          if (!erasure.submissions[0]?.waitingFor.includes(name)) throw new NotYet('it does not');
          return erasure;
        });
        expect(waiting.state).toBe(ErasureState.IN_PROGRESS);
        expect(waiting.completedAt).toBeUndefined();
        expect(waiting.submissions).toMatchObject([{ nextStep: step, waitingSince: expect.anything() }]);
        await away.bringBack();
        await complete(erasureId);
      });
    },
    RECOVERY_MS * 1.5,
  );

  it(
    'continues after the submission service was killed during it, and erases everything once',
    async () => {
      const submissions = await Promise.all(Array.from({ length: 8 }, submissionOf));
      await whileDown('webhook', async (webhook) => {
        const erasureId = await requested(...submissions);
        const pid = await kill('submission');
        await webhook.bringBack();
        await restarted('submission', pid);
        await everythingReady();
        const { submissions: ended } = await complete(erasureId);
        for (const { removed } of ended)
          expect(removed.filter(({ kind }) => kind === 'enquiry')).toMatchObject([{ count: 1n }]);
      });
    },
    RECOVERY_MS * 1.5,
  );
});
