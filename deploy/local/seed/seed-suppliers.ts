import { Code } from '@connectrpc/connect';
import { Environment } from '@supplier/proto/common/v1/status';
import { CannotStart } from '../terminal.ts';
import {
  type RememberedSupplier,
  type RememberedSuppliers,
  readSuppliers,
  writeSuppliers,
} from './remembered-suppliers.ts';
import { hasCode, type StaffClients } from './staff-clients.ts';
import { type SeededSupplier, supplierTable } from './supplier-table.ts';

export interface SeedOptions {
  /** The file that remembers what was seeded; written after every step, because secrets are shown once. */
  readonly file: string;
  readonly staff: StaffClients;
  /** Base URL of the receiver, `https://…` without a trailing slash. */
  readonly receiver: string;
}

/** Makes every supplier of the table that is not there yet, through the RPCs that staff use. */
export async function seedSuppliers({
  file,
  staff,
  receiver,
}: SeedOptions): Promise<Record<string, RememberedSupplier>> {
  const remembered = readSuppliers(file);
  await forgetLostAccounts(remembered, staff);
  refuseMovedReceiver(remembered, receiver);
  remembered.receiver = receiver;
  for (const wanted of supplierTable) {
    const save = () => writeSuppliers(file, remembered);
    const done = await seedOne(wanted, remembered, { staff, receiver, save });
    // An endpoint whose secret was lost on the way to the file cannot be used: the supplier starts over, once.
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
    `the suppliers' endpoints lie at ${receiver}, but that port is taken by another program: ` +
      'free it, or start with --fresh',
  );
}

interface Means {
  readonly staff: StaffClients;
  readonly receiver: string;
  readonly save: () => void;
}

/** Takes the steps that are missing. Resolves to false when an endpoint exists whose secret nobody knows. */
async function seedOne(
  wanted: SeededSupplier,
  remembered: RememberedSuppliers,
  means: Means,
): Promise<boolean> {
  const { staff, save } = means;
  const supplier = remembered.suppliers[wanted.name] ?? (await createAccount(wanted, staff));
  remembered.suppliers[wanted.name] = supplier;
  save();
  supplier.credential ??= await issueCredential(wanted, supplier.accountId, Environment.SANDBOX, staff);
  save();
  supplier.liveCredential ??= await issueCredential(
    wanted,
    supplier.accountId,
    Environment.PRODUCTION,
    staff,
  );
  save();
  if (!wanted.webhooks) return true;
  try {
    supplier.webhookSecret ??= await createEndpoint(
      wanted.name,
      supplier.accountId,
      Environment.SANDBOX,
      means,
    );
    save();
    supplier.liveWebhookSecret ??= await createEndpoint(
      wanted.name,
      supplier.accountId,
      Environment.PRODUCTION,
      means,
    );
    save();
    return true;
  } catch (error) {
    if (hasCode(error, Code.AlreadyExists)) return false;
    throw error;
  }
}

/** Makes the account of a supplier, with nothing in it yet. Throws a ConnectError. */
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

/** Gives an account one more credential, with every scope that the supplier has. Throws a ConnectError. */
export async function issueCredential(
  { scopes }: SeededSupplier,
  accountId: string,
  environment: Environment,
  { account }: StaffClients,
): Promise<string> {
  const { bearer } = await account.issueCredential({ accountId, environment, scopes: [...scopes] });
  return bearer;
}

async function createEndpoint(
  name: string,
  accountId: string,
  environment: Environment.SANDBOX | Environment.PRODUCTION,
  { staff, receiver }: Means,
): Promise<string> {
  const url = `${receiver}/${name}/${pathOf[environment]}`;
  const { signingSecret } = await staff.webhook.createEndpoint({ accountId, environment, url });
  return signingSecret;
}

const pathOf = { [Environment.SANDBOX]: 'sandbox', [Environment.PRODUCTION]: 'production' };
