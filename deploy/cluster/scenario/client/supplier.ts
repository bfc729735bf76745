import { sampleEnquiry } from '../../../local/demonstration/sample-enquiry.ts';
import { field, parseJson, type StatusView, viewStatus } from '../../../local/demonstration/status-view.ts';
import { type SupplierClient, supplierClient } from '../../../local/demonstration/supplier-client.ts';
import { makeSandboxSupplier } from '../../../local/seed/sandbox-supplier.ts';
import type { StaffClients } from '../../../local/seed/staff-clients.ts';
import { waitUntil } from '../../../local/wait-until.ts';
import type { Facts } from '../progress.ts';
import type { Receiver } from './receiver.ts';

const SETTLED_MS = 60_000;
const POLL_MS = 200;
/** Reads at once. */
const READERS = 8;

/** A supplier with an account, a credential of the sandbox and an endpoint for webhooks. */
export interface Supplier {
  readonly credential: string;
  readonly client: SupplierClient;
}

/** Makes them as staff do. Where there is no receiver, what is sent to the endpoint is lost. */
export async function makeSupplier(staff: StaffClients, api: string, receiver?: Receiver): Promise<Supplier> {
  const url = receiver?.url ?? 'https://receiver.example/webhooks';
  const { credential, signingSecret } = await makeSandboxSupplier(url, staff);
  receiver?.trust(signingSecret);
  return { credential, client: supplierClient(api, credential) };
}

/** One enquiry: received, accepted with an Application, reported to the receiver by a signed webhook that says what a read says. */
export async function mainJob(
  { client }: Supplier,
  staff: StaffClients,
  receiver?: Receiver,
): Promise<Facts> {
  const begun = performance.now();
  const created = await client.create(sampleEnquiry());
  const { submissionId, status } = viewStatus(parseJson(created.text));
  if (created.status !== 202 || submissionId === undefined || status !== 'received')
    throw new Error(`the create was answered with ${created.status} ${created.text}`);
  const accepted = await waitUntil(
    async () => {
      const view = viewStatus(parseJson((await client.read(submissionId)).text));
      return view.status === 'accepted' && view.applicationReference !== undefined ? view : undefined;
    },
    { withinMs: SETTLED_MS, everyMs: POLL_MS },
  );
  if (!accepted) throw new Error(`${submissionId} has no Application after ${SETTLED_MS} ms`);
  const application = await staff.submission.getApplication({
    purpose: 'looked at by a drill',
    submissionId,
  });
  if (application.applicationReference !== accepted.applicationReference)
    throw new Error(`staff see the Application ${application.applicationReference}`);
  const webhook = receiver ? await webhookOf(submissionId, client, receiver) : 'not looked for';
  return {
    submission: submissionId,
    Application: accepted.applicationReference ?? '',
    webhook,
    'create to all of it': `${Math.round(performance.now() - begun)} ms`,
  };
}

/** The number of the genuine webhook that says what a read says. */
async function webhookOf(submissionId: string, client: SupplierClient, receiver: Receiver): Promise<string> {
  const webhook = await receiver.awaited(
    (data) => viewStatus(data).submissionId === submissionId && viewStatus(data).status === 'accepted',
    SETTLED_MS,
  );
  if (!webhook) throw new Error('no genuine webhook came');
  const read = await client.read(submissionId);
  if (!webhook.body.includes(`"data":${read.text}`))
    throw new Error(`the webhook says ${webhook.body}, a read ${read.text}`);
  return String(field(parseJson(webhook.body), 'id') ?? 'genuine');
}

/** Reads every created lead until it is decided; rejects when one is not found or not decided in time. */
export async function nothingLost({ client }: Supplier, created: readonly string[]): Promise<Facts> {
  const queue = [...created];
  const outcomes: Record<string, number> = {};
  const lost: string[] = [];
  const read = async () => {
    for (let submissionId = queue.pop(); submissionId; submissionId = queue.pop()) {
      const id = submissionId;
      let last = '';
      const view = await waitUntil<StatusView>(
        async () => {
          const answer = await client.read(id);
          last = `${answer.status} ${answer.text}`;
          const seen = viewStatus(parseJson(answer.text));
          const isDecided = seen.status !== undefined && seen.status !== 'received';
          const isDone = isDecided && (seen.status !== 'accepted' || seen.applicationReference !== undefined);
          return answer.status === 200 && isDone ? seen : undefined;
        },
        { withinMs: SETTLED_MS, everyMs: POLL_MS },
      );
      if (view) outcomes[view.status ?? ''] = (outcomes[view.status ?? ''] ?? 0) + 1;
      else lost.push(`${id}: ${last}`);
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  if (lost.length > 0)
    throw new Error(`${lost.length} of ${created.length} are lost:\n  ${lost.slice(0, 10).join('\n  ')}`);
  return { 'leads created': created.length, ...outcomes };
}
