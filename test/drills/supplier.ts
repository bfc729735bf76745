import { Environment } from '@supplier/proto/common/v1/status';
import { Agent } from 'undici';
import { type SupplierClient, supplierClient } from '../../deploy/local/demonstration/supplier-client.ts';
import { createAccount, issueCredential } from '../../deploy/local/seed/seed-suppliers.ts';
import type { StaffClients } from '../../deploy/local/seed/staff-clients.ts';
import { supplierTable } from '../../deploy/local/seed/supplier-table.ts';
import type { Receiver } from './receiver.ts';

/** A new supplier, with its API clients for both environments. */
export interface DrillSupplier {
  readonly accountId: string;
  readonly production: SupplierClient;
  readonly sandbox: SupplierClient;
}

interface Place {
  readonly staff: StaffClients;
  /** Base URLs of the public API. */
  readonly productionUrl: string;
  readonly sandboxUrl: string;
}

/** Opens a new connection for each request, so that several replicas each get a share. */
const unshared = () => new Agent({ pipelining: 0 });

/** Opens an account whose production submissions are billed at their decision and reported to `receiver`. */
export async function openSupplier(
  { staff, productionUrl, sandboxUrl }: Place,
  receiver: Receiver,
): Promise<DrillSupplier> {
  const wanted = supplierTable.find(({ limits }) => limits !== undefined);
  if (!wanted) throw new Error('every supplier uses the default limits');
  const { accountId } = await createAccount({ ...wanted, name: 'drill' }, staff);
  const issue = (environment: Environment) => issueCredential(wanted, accountId, environment, staff);
  const { signingSecret } = await staff.webhook.createEndpoint({
    accountId,
    environment: Environment.PRODUCTION,
    url: receiver.url,
  });
  receiver.trust(signingSecret);
  return {
    accountId,
    production: supplierClient(productionUrl, await issue(Environment.PRODUCTION), unshared()),
    sandbox: supplierClient(sandboxUrl, await issue(Environment.SANDBOX)),
  };
}
