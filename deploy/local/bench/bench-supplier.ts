import { Environment } from '@supplier/proto/common/v1/status';
import { createAccount, issueCredential } from '../seed/seed-suppliers.ts';
import { supplierTable } from '../seed/supplier-table.ts';
import type { Workbench } from './workbench.ts';

/** A supplier that a benchmark calls as. */
export interface BenchSupplier {
  /** Base URL of the gateway. */
  readonly gateway: string;
  readonly credential: string;
}

/** Seeds the supplier of the local stack whose own limits are out of reach; in the sandbox. */
export async function seedBenchSupplier(bench: Workbench): Promise<BenchSupplier> {
  const wanted = supplierTable.find(({ limits }) => limits !== undefined);
  if (!wanted) throw new Error('no supplier has limits of its own');
  const staff = await bench.staff();
  const { accountId } = await createAccount(wanted, staff);
  const credential = await issueCredential(wanted, accountId, Environment.SANDBOX, staff);
  return { gateway: bench.gatewayUrl, credential };
}
