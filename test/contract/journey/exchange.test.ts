import { Code } from '@connectrpc/connect';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { Environment } from '@supplier/proto/common/v1/status';
import { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { enquiry } from '../../harness/enquiries.ts';
import { refusalCodeOf, rpcClient, rpcErrorOf } from '../../harness/rpc.ts';
import { created, supplier } from '../../harness/suppliers.ts';
import { token } from '../../harness/tokens.ts';

const api = supplier('journey');

const as = (role: string) =>
  rpcClient('submission', SubmissionService, token({ roles: [role], audience: 'submission' }));
const exchange = (code: string) => as('service:journey').exchangeJourneyCode({ code });

/** Returns a new code, as the pages receive it for the journey application. */
async function newCode() {
  const { submission_id, arrival_screen_url = '' } = await created(api, enquiry());
  const redeemed = await as('service:gateway').redeemJourneyLink({
    token: arrival_screen_url.split('/journey/')[1] ?? '',
    environment: Environment.SANDBOX,
  });
  return { submissionId: submission_id, code: redeemed.code };
}

describe('ExchangeJourneyCode', () => {
  it('identifies the submission of a journey to the journey application, once', async () => {
    const { code, submissionId } = await newCode();
    expect(await exchange(code)).toMatchObject({
      submissionId,
      accountId: api.accountId,
      environment: Environment.SANDBOX,
      kind: JourneyLinkKind.ARRIVAL,
    });
    const error = await rpcErrorOf(exchange(code));
    expect(refusalCodeOf(error)).toBe(RefusalCode.NOT_FOUND);
  });

  it('accepts one of 20 concurrent exchanges', async () => {
    const { code } = await newCode();
    const won = await Promise.all(
      Array.from({ length: 20 }, () =>
        exchange(code).then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it.each(['service:gateway', 'service:webhook', 'staff:admin'])('is not available to %s', async (role) => {
    const { code } = await newCode();
    expect((await rpcErrorOf(as(role).exchangeJourneyCode({ code }))).code).toBe(Code.PermissionDenied);
    expect(await exchange(code)).toBeDefined();
  });
});
