import { Environment } from '@supplier/proto/common/v1/status';
import { createAccount, issueCredential } from '../../seed/seed-suppliers.ts';
import { supplierTable } from '../../seed/supplier-table.ts';
import { type BenchReceiver, startReceiver } from '../side-processes.ts';
import { type Workbench, wholeStack } from '../workbench.ts';
import type { Generator } from './generator.ts';
import { type LookAtQueues, queueProbe } from './queues.ts';
import { FIRST_CUSTOMER } from './requests.ts';
import type { Sizes } from './sizes.ts';

/** Everything that the measurements of leads work with. */
export interface Stage {
  readonly bench: Workbench;
  readonly sizes: Sizes;
  readonly generator: Generator;
  readonly receiver: BenchReceiver;
  readonly lookAtQueues: LookAtQueues;
  /** The supplier whose leads they are, in production: with billing and a webhook endpoint. */
  readonly accountId: string;
  readonly credential: string;
  /** Sets so many customers aside that no other measurement will use. Returns the number of the first. */
  takeCustomers(count: number): number;
}

/** Starts the whole stack with a supplier of the benchmark's own. The bare server is measured before. */
export async function setStage(bench: Workbench, sizes: Sizes, generator: Generator): Promise<Stage> {
  bench.progress('starting the whole stack …');
  await bench.start(wholeStack);
  const receiver = await startReceiver(bench.certificates);
  const supplier = await makeSupplier(bench, receiver);
  let customers = FIRST_CUSTOMER;
  return {
    bench,
    sizes,
    generator,
    receiver,
    lookAtQueues: await queueProbe(bench),
    ...supplier,
    takeCustomers(count) {
      const first = customers;
      customers += count;
      return first;
    },
  };
}

async function makeSupplier(bench: Workbench, receiver: BenchReceiver) {
  const wanted = supplierTable.find(({ limits }) => limits !== undefined);
  if (!wanted) throw new Error('no supplier has limits of its own');
  const staff = await bench.staff();
  const environment = Environment.PRODUCTION;
  const { accountId } = await createAccount({ ...wanted, name: 'benchmark' }, staff);
  const credential = await issueCredential(wanted, accountId, environment, staff);
  const path = '/leads';
  const { signingSecret } = await staff.webhook.createEndpoint({
    accountId,
    environment,
    url: `${receiver.url}${path}`,
  });
  receiver.trust({ [path]: signingSecret });
  return { accountId, credential };
}
