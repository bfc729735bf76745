import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { checkEndpointUrl } from '../model/endpoint-url.ts';
import { EXAMPLE_SECRET } from '../model/example-event.ts';
import { fingerprintOf } from '../model/signing.ts';
import { noEndpoint } from '../refusals.ts';
import { requestedEnvironment } from '../requested-environment.ts';
import { secretAad } from '../store/associated-data.ts';
import { inTransaction } from '../store/database.ts';
import { findSigningKey, type SigningKey } from '../store/endpoints.ts';
import { preflightMessage } from './preflight-message.ts';

/** Preflights under way in the process: each holds a call and a connection for seconds. */
const MAX_AT_ONCE = 4;

/**
 * Tries the endpoint, or another URL instead: its addresses, its certificate, its answer to a signed ping. No event and
 * no attempt is recorded; the caller and the target are audited before anything is sent. Throws NOT_FOUND when there is
 * neither endpoint nor URL, SERVICE_UNAVAILABLE while four others are under way. Implements docs/contract.md, section
 * 7.
 */
export function preflightEndpoint({
  db,
  clock,
  keyRing,
  policy,
  preflight,
}: Context): Rpcs['preflightEndpoint'] {
  let underWay = 0;

  return async (request, call) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const environment = requestedEnvironment(request.environment);
    const key = await findSigningKey(db, accountId, environment);
    const url = request.url ?? key?.endpoint.url;
    if (url === undefined) throw noEndpoint();
    if (underWay >= MAX_AT_ONCE) throw tooMany();

    underWay += 1;
    try {
      const keyFingerprint = key?.endpoint.keyFingerprint ?? fingerprintOf(EXAMPLE_SECRET);
      const check = checkEndpointUrl(url, policy);
      await inTransaction(db, (tx) =>
        appendAudit(
          tx,
          auditEntry(call, {
            at: clock.now(),
            target: key?.endpoint.endpointId ?? '',
            accountId,
            after: {
              ...(key ? { endpointId: key.endpoint.endpointId } : {}),
              environment,
              // A refused URL may contain anything, including credentials.
              url: check.ok ? check.url : '',
              keyFingerprint,
            },
          }),
        ),
      );
      const report = await preflight(url, { secret: secretOf(key), environment }, call.signal);
      const findings = [...report.findings, ...(key?.endpoint.enabled === false ? [DISABLED] : [])];
      return preflightMessage({ ...report, findings }, keyFingerprint);
    } finally {
      underWay -= 1;
    }
  };

  function secretOf(key: SigningKey | undefined): string {
    if (!key) return EXAMPLE_SECRET;
    return Buffer.from(keyRing.open(key.sealedSecret, secretAad(key.endpoint.endpointId))).toString();
  }
}

const DISABLED = 'The endpoint is disabled: nothing is recorded or sent until it is enabled.';

function tooMany() {
  return refuse(
    RefusalCode.SERVICE_UNAVAILABLE,
    'Four preflights are under way already; try again when one has ended.',
  );
}
