import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import type { Progress } from './progress.ts';
import { SAMPLE_SUPPLIERS, type SampleSupplier } from './sample-suppliers.ts';
import type { Staff } from './staff.ts';

/** All 500 submissions arrive within seconds. */
const PER_MINUTE = 100_000;
const SCOPES = [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION, Scope.READ, Scope.CORRECT, Scope.PROMOTE];
const ENVIRONMENTS = [
  { name: 'sandbox', environment: Environment.SANDBOX },
  { name: 'production', environment: Environment.PRODUCTION },
] as const;

/** Opens each sample supplier's account with its credentials, prices and endpoints at `receiver`. */
export async function openAccounts(progress: Progress, staff: Staff, receiver: string): Promise<void> {
  for (const [key, supplier] of Object.entries(SAMPLE_SUPPLIERS))
    await openAccount({ key, supplier, progress, staff, receiver });
}

async function openAccount(task: {
  readonly key: string;
  readonly supplier: SampleSupplier;
  readonly progress: Progress;
  readonly staff: Staff;
  readonly receiver: string;
}): Promise<void> {
  const { key, supplier, staff, receiver, progress } = task;
  const { name, terms } = supplier;
  const { accounts, at, save, once } = progress;
  // Keys of an earlier, wiped set of databases must not match.
  const keyed = (what: string) => ({ idempotencyKey: `sample-data ${at.getTime()} ${key} ${what}` });
  const limits = { writesPerMinute: PER_MINUTE, readsPerMinute: PER_MINUTE };
  const request = { name, terms, permittedScopes: SCOPES, limits, ...keyed('account') };
  accounts[key] ??= { accountId: (await staff.account.createAccount(request)).accountId };
  const account = accounts[key];
  save();
  const { accountId } = account;
  for (const { name: place, environment } of ENVIRONMENTS) {
    account[place] ??= (
      await staff.account.issueCredential({ accountId, environment, scopes: SCOPES, ...keyed(place) })
    ).bearer;
    save();
    if (supplier.webhooks === undefined) continue;
    const url = `${receiver}/${supplier.key}/${place}?${supplier.webhooks}`;
    await once(`${key} endpoint ${place}`, () =>
      staff.webhook.createEndpoint({ accountId, environment, url, ...keyed(`endpoint ${place}`) }),
    );
  }
  const effectiveFrom = timestampFromDate(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth())));
  const { billingModel } = terms;
  await once(`${key} price`, () =>
    staff.billing.setPrice({
      accountId,
      billingModel,
      pence: supplier.pence,
      effectiveFrom,
      ...keyed('price'),
    }),
  );
}
