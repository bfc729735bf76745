import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import type { Progress } from './progress.ts';
import { SAMPLE_SUPPLIERS, type SupplierName, supplierNames } from './sample-suppliers.ts';
import type { Staff } from './staff.ts';

/** All 500 submissions arrive within seconds. */
const LIMITS = { writesPerMinute: 100_000, readsPerMinute: 100_000 };
const SCOPES = [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION, Scope.READ, Scope.CORRECT, Scope.PROMOTE];
const ENVIRONMENTS = { sandbox: Environment.SANDBOX, production: Environment.PRODUCTION } as const;

/** Opens each sample supplier's account with its credentials, prices and endpoints at `receiver`. */
export async function openAccounts(progress: Progress, staff: Staff, receiver: string): Promise<void> {
  for (const supplier of supplierNames) await openAccount(supplier, progress, staff, receiver);
}

async function openAccount(
  supplier: SupplierName,
  { at, accountOf, remember, once }: Progress,
  staff: Staff,
  receiver: string,
): Promise<void> {
  const { name, terms, pence, webhooks } = SAMPLE_SUPPLIERS[supplier];
  // Keys of an earlier, wiped set of databases must not match.
  const keyed = (what: string) => ({ idempotencyKey: `sample-data ${at.getTime()} ${supplier} ${what}` });
  const request = { name, terms, permittedScopes: SCOPES, limits: LIMITS, ...keyed('account') };
  await remember(supplier, 'accountId', async () => (await staff.account.createAccount(request)).accountId);
  const { accountId } = accountOf(supplier);
  for (const place of ['sandbox', 'production'] as const) {
    const environment = ENVIRONMENTS[place];
    const credential = { accountId, environment, scopes: SCOPES, ...keyed(place) };
    await remember(supplier, place, async () => (await staff.account.issueCredential(credential)).bearer);
    if (webhooks === undefined) continue;
    const url = `${receiver}/${supplier}/${place}?${webhooks}`;
    const endpoint = { accountId, environment, url, ...keyed(`endpoint ${place}`) };
    await once(`${supplier} endpoint ${place}`, () => staff.webhook.createEndpoint(endpoint));
  }
  const effectiveFrom = timestampFromDate(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth())));
  const price = { accountId, billingModel: terms.billingModel, pence, effectiveFrom, ...keyed('price') };
  await once(`${supplier} price`, () => staff.billing.setPrice(price));
}
