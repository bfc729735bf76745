import { Code } from '@connectrpc/connect';
import { Environment } from '@supplier/proto/common/v1/status';
import { readJsonIfPresent, writePrivateJson } from '../state/private-file.ts';
import { hasCode, type StaffClients } from './staff-clients.ts';
import { type SeededSupplier, supplierTable } from './supplier-table.ts';

export interface RememberedSupplier {
  readonly accountId: string;
  readonly credential?: string;
  readonly liveCredential?: string;
  readonly webhookSecret?: string;
  readonly liveWebhookSecret?: string;
}

interface RememberedSuppliers {
  /** The receiver's URL when the endpoints were created. */
  receiver?: string;
  suppliers: Record<string, RememberedSupplier>;
}

export interface SeedOptions {
  /** Written after every supplier, because secrets are shown once. */
  readonly file: string;
  readonly staff: StaffClients;
  /** Base URL without a trailing slash. */
  readonly receiver: string;
}

/** Creates the suppliers of the table that don't exist, and moves endpoints along with the receiver, through the RPCs of staff. */
export async function seedSuppliers({
  file,
  staff,
  receiver,
}: SeedOptions): Promise<Record<string, RememberedSupplier>> {
  const remembered: RememberedSuppliers = {
    suppliers: {},
    ...(readJsonIfPresent(file) as object | undefined),
  };
  await forgetLostAccounts(remembered, staff);
  await moveEndpoints(remembered, receiver, staff);
  remembered.receiver = receiver;
  for (const wanted of supplierTable) {
    const known = remembered.suppliers[wanted.name];
    if (!isComplete(known, wanted))
      remembered.suppliers[wanted.name] = await makeSupplier(wanted, receiver, staff);
    writePrivateJson(file, remembered);
  }
  return remembered.suppliers;
}

/** Secrets are shown once, so a supplier that lacks some, as in a file of an earlier version, is created again. */
function isComplete(known: RememberedSupplier | undefined, { webhooks }: SeededSupplier): boolean {
  if (known?.credential === undefined || known.liveCredential === undefined) return false;
  return !webhooks || (known.webhookSecret !== undefined && known.liveWebhookSecret !== undefined);
}

/** The database may have been deleted while the file stayed. */
async function forgetLostAccounts(remembered: RememberedSuppliers, staff: StaffClients): Promise<void> {
  for (const [name, { accountId }] of Object.entries(remembered.suppliers))
    try {
      await staff.account.getAccount({ accountId });
    } catch (error) {
      if (!hasCode(error, Code.NotFound)) throw error;
      delete remembered.suppliers[name];
    }
}

/** Another program may have taken the receiver's port. Endpoints that staff have pointed elsewhere stay. */
async function moveEndpoints(
  { receiver: before, suppliers }: RememberedSuppliers,
  now: string,
  { webhook }: StaffClients,
): Promise<void> {
  if (before === undefined || before === now) return;
  for (const { accountId, webhookSecret } of Object.values(suppliers)) {
    if (webhookSecret === undefined) continue;
    for (const environment of [Environment.SANDBOX, Environment.PRODUCTION]) {
      const { url } = await webhook.getEndpoint({ accountId, environment });
      if (!url.startsWith(`${before}/`)) continue;
      await webhook.updateEndpointUrl({ accountId, environment, url: now + url.slice(before.length) });
    }
  }
}

async function makeSupplier(
  wanted: SeededSupplier,
  receiver: string,
  staff: StaffClients,
): Promise<RememberedSupplier> {
  const { accountId } = await createAccount(wanted, staff);
  const issue = (environment: Environment) => issueCredential(wanted, accountId, environment, staff);
  const createEndpoint = async (environment: Environment, path: string) => {
    const url = `${receiver}/${wanted.name}/${path}`;
    return (await staff.webhook.createEndpoint({ accountId, environment, url })).signingSecret;
  };
  return {
    accountId,
    credential: await issue(Environment.SANDBOX),
    liveCredential: await issue(Environment.PRODUCTION),
    ...(wanted.webhooks && {
      webhookSecret: await createEndpoint(Environment.SANDBOX, 'sandbox'),
      liveWebhookSecret: await createEndpoint(Environment.PRODUCTION, 'production'),
    }),
  };
}

export async function createAccount(
  wanted: SeededSupplier,
  { account }: StaffClients,
): Promise<RememberedSupplier> {
  const { accountId } = await account.createAccount({
    name: wanted.name,
    permittedScopes: [...wanted.scopes],
    terms: wanted.terms,
    ...(wanted.limits ? { limits: wanted.limits } : {}),
  });
  return { accountId };
}

/** Issues a credential with all scopes of the supplier. */
export async function issueCredential(
  { scopes }: SeededSupplier,
  accountId: string,
  environment: Environment,
  { account }: StaffClients,
): Promise<string> {
  const { bearer } = await account.issueCredential({ accountId, environment, scopes: [...scopes] });
  return bearer;
}
