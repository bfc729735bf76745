import { Environment } from '@supplier/proto/common/v1/status';
import { createAccount, issueCredential } from '../../../deploy/local/seed/seed-suppliers.ts';
import type { StaffClients } from '../../../deploy/local/seed/staff-clients.ts';
import { supplierTable } from '../../../deploy/local/seed/supplier-table.ts';

export interface SandboxSupplier {
  readonly accountId: string;
  readonly credential: string;
  readonly signingSecret: string;
}

/** Creates an account without limits, with a sandbox credential and an endpoint at `url`. */
export async function makeSandboxSupplier(url: string, staff: StaffClients): Promise<SandboxSupplier> {
  const [wanted] = supplierTable;
  if (!wanted?.limits) throw new Error('the first of the suppliers has no limits of its own');
  const environment = Environment.SANDBOX;
  const { accountId } = await createAccount(wanted, staff);
  const credential = await issueCredential(wanted, accountId, environment, staff);
  const { signingSecret } = await staff.webhook.createEndpoint({ accountId, environment, url });
  return { accountId, credential, signingSecret };
}
