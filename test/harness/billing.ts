import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { EntryKind, type Lead } from '@supplier/proto/billing/v1/billing';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { type NewAccount, newAccount } from './accounts.ts';
import { delivery } from './enquiries.ts';
import { staff } from './rpc.ts';
import type { StatusObject } from './schemas.ts';
import { readStack, stackFile } from './stack.ts';
import { createdBasic, type SupplierApi } from './suppliers.ts';
import { NotYet, waitFor } from './wait.ts';

/** What billing knows of a submission, once it has heard of it and `holds`. */
export const leadOf = (submissionId: string, holds: (lead: Lead) => boolean = () => true): Promise<Lead> =>
  waitFor(`the ledger of ${submissionId}`, async () => {
    const lead = await leadIfAny(submissionId);
    if (!lead) throw new NotYet('unknown to billing');
    if (!holds(lead)) throw new NotYet(`its lines are ${chargesAndCredits(lead).join(', ') || 'none'}`);
    return lead;
  });

/** What billing knows of a submission now; undefined when it has not heard of it. */
export async function leadIfAny(submissionId: string): Promise<Lead | undefined> {
  try {
    return await staff.billing().getLead({ submissionId });
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.NotFound) return undefined;
    throw error;
  }
}

/** The lines of a ledger in their order, by kind. */
export const chargesAndCredits = (lead: Lead): string[] =>
  lead.entries.map((entry) =>
    entry.kind === EntryKind.CHARGE ? 'charge' : entry.kind === EntryKind.CREDIT ? 'credit' : 'unknown',
  );

/** The terms under which a lead is billed for its Application, and has none until its supplier promotes it. */
const UNTIL_PROMOTED = {
  billingModel: BillingModel.APPLICATION_CREATED,
  applicationMinting: ApplicationMinting.ON_PROMOTION,
};

/** An accepted production lead whose billing is pending for as long as nobody promotes it, once billing knows it. */
export async function pendingForEver(
  account?: NewAccount,
): Promise<StatusObject & { readonly api: SupplierApi }> {
  const owner = account ?? (await accountThatPromotes());
  const api = await owner.issue({ environment: 'production' });
  const accepted = await createdBasic(api, delivery());
  await leadOf(accepted.submission_id);
  return { ...accepted, api };
}

export const accountThatPromotes = (): Promise<NewAccount> => newAccount(UNTIL_PROMOTED);

/** What the billing service's reconcile found. */
export interface LedgerReport {
  readonly accounts: readonly { account_id: string; shown_billable: number; charged: number }[];
  readonly differences: readonly { fault: string; submission_id: string; account_id: string }[];
}

const COMMAND = new URL('../../services/billing/src/reconcile.ts', import.meta.url).pathname;

/** Runs the billing service's reconcile as an operator does beside the service. */
export function reconcileLedger(
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { postgres, rpcHttp1, tls } = readStack();
  const env = {
    SSS_DEPLOYMENT: 'local',
    SSS_DATABASE_URL: Object.assign(new URL(postgres), { pathname: '/billing' }).href,
    SSS_SUBMISSION_URL: rpcHttp1.submission,
    ...(tls && {
      SSS_TLS_CA_FILE: tls.authority,
      SSS_TLS_CERTIFICATE_FILE: tls.certificate,
      SSS_TLS_KEY_FILE: tls.key,
    }),
    SSS_SERVICE_TOKEN_DIR: join(dirname(stackFile()), 'identity', 'tokens', 'billing'),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}
