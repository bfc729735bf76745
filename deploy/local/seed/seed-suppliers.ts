import { Code } from '@connectrpc/connect';
import { Environment } from '@supplier/proto/common/v1/status';
import { readJsonIfPresent, writePrivateJson } from '../state/private-file.ts';
import { CannotStart } from '../terminal.ts';
import { hasCode, type StaffClients } from './staff-clients.ts';
import { type SeededSupplier, supplierTable } from './supplier-table.ts';

export interface RememberedSupplier {
  accountId: string;
  credential?: string;
  liveCredential?: string;
  webhookSecret?: string;
  liveWebhookSecret?: string;
}

interface RememberedSuppliers {
  /** The receiver's URL when the endpoints were created. */
  receiver?: string;
  suppliers: Record<string, RememberedSupplier>;
}

export interface SeedOptions {
  /** Written after every step, because secrets are shown once. */
  readonly file: string;
  readonly staff: StaffClients;
  /** Base URL without a trailing slash. */
  readonly receiver: string;
}

/** Creates the suppliers of the table that don't exist, through the RPCs of staff. */
export async function seedSuppliers({
  file,
  staff,
  receiver,
}: SeedOptions): Promise<Record<string, RememberedSupplier>> {
  const remembered = (readJsonIfPresent(file) ?? { suppliers: {} }) as RememberedSuppliers;
  await forgetLostAccounts(remembered, staff);
  refuseMovedReceiver(remembered, receiver);
  remembered.receiver = receiver;
  for (const wanted of supplierTable) {
    const save = () => writePrivateJson(file, remembered);
    const done = await seedOne(wanted, remembered, { staff, receiver, save });
    // An endpoint whose secret was lost is useless: the supplier starts over, once.
    if (!done) {
      delete remembered.suppliers[wanted.name];
      await seedOne(wanted, remembered, { staff, receiver, save });
    }
  }
  return remembered.suppliers;
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

function refuseMovedReceiver({ receiver, suppliers }: RememberedSuppliers, now: string): void {
  const hasEndpoints = Object.values(suppliers).some(
    (supplier) => supplier.webhookSecret ?? supplier.liveWebhookSecret,
  );
  if (!hasEndpoints || receiver === undefined || receiver === now) return;
  throw new CannotStart(
    `the suppliers' endpoints are at ${receiver}, but another program uses that port: ` +
      'free it, or start with --fresh',
  );
}

interface Means {
  readonly staff: StaffClients;
  readonly receiver: string;
  readonly save: () => void;
}

/** Takes the missing steps. Resolves to false when an endpoint exists whose secret is lost. */
async function seedOne(
  wanted: SeededSupplier,
  { suppliers }: RememberedSuppliers,
  { staff, receiver, save }: Means,
): Promise<boolean> {
  const { name } = wanted;
  suppliers[name] ??= await createAccount(wanted, staff);
  const supplier = suppliers[name];
  const { accountId } = supplier;
  save();
  const issue = (environment: Environment) => issueCredential(wanted, accountId, environment, staff);
  const createEndpoint = async (environment: Environment, path: string) => {
    const url = `${receiver}/${name}/${path}`;
    return (await staff.webhook.createEndpoint({ accountId, environment, url })).signingSecret;
  };
  supplier.credential ??= await issue(Environment.SANDBOX);
  save();
  supplier.liveCredential ??= await issue(Environment.PRODUCTION);
  save();
  if (!wanted.webhooks) return true;
  try {
    supplier.webhookSecret ??= await createEndpoint(Environment.SANDBOX, 'sandbox');
    save();
    supplier.liveWebhookSecret ??= await createEndpoint(Environment.PRODUCTION, 'production');
    save();
    return true;
  } catch (error) {
    if (hasCode(error, Code.AlreadyExists)) return false;
    throw error;
  }
}

/** Creates a supplier's account. */
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
