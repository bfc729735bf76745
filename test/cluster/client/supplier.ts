import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { sampleDocument } from '../../../deploy/local/demonstration/sample-document.ts';
import { sampleEnquiry } from '../../../deploy/local/demonstration/sample-enquiry.ts';
import {
  field,
  parseJson,
  viewDocument,
  viewStatus,
} from '../../../deploy/local/demonstration/status-view.ts';
import { type SupplierClient, supplierClient } from '../../../deploy/local/demonstration/supplier-client.ts';
import type { Certificates } from '../../../deploy/local/identity/make-certificates.ts';
import { createReceiver, type ReceivedEvent } from '../../../deploy/local/receiver/receiver.ts';
import type { StaffClients } from '../../../deploy/local/seed/staff-clients.ts';
import { reasonOf } from '../../../deploy/local/terminal.ts';
import { eventually } from '../eventually.ts';
import { OUTSIDE, serveOutside } from '../outside.ts';
import type { Facts } from '../progress.ts';
import { makeSandboxSupplier } from './sandbox-supplier.ts';

/** Addresses and staff credentials. */
export interface Beginning {
  readonly api: string;
  readonly uploads: string;
  readonly staff: {
    readonly urls: Readonly<Record<'account' | 'submission' | 'webhook', string>>;
    readonly token: string;
    /** The files of a TLS Secret, base64. */
    readonly tls: Readonly<Record<string, string>>;
  };
  /** Of the webhook receiver, if there is one. */
  readonly receiver: Certificates | undefined;
}

const SETTLED_MS = 180_000;
/** The number of concurrent reads. */
const READERS = 8;
const ENDPOINT = `https://${OUTSIDE.receiver.host}/trial/sandbox`;
/** The limits of the stored webhooks. */
const MAX = { events: 20_000, bytes: 64 * 1024 * 1024 };

export type Supplier = Awaited<ReturnType<typeof makeSupplier>>;

/** Creates a supplier as staff do, with a webhook endpoint that is unreachable if there is no receiver. */
export async function makeSupplier(staff: StaffClients, addresses: Omit<Beginning, 'staff'>) {
  const { api, uploads, receiver } = addresses;
  const { credential, signingSecret } = await makeSandboxSupplier(ENDPOINT, staff);
  const { webhooks, events } = createReceiver({ suppliers: [], secretOf: () => signingSecret, max: MAX });
  if (receiver) await serveOutside('receiver', receiver, webhooks);
  const client = supplierClient(api, credential);
  return { api, uploads, staff, credential, client, events: receiver && events };
}

/**
 * Runs one enquiry: received, accepted with an Application, and reported by a signed webhook; its document; and a
 * policy check.
 */
export async function mainJob({ client, uploads, staff, events }: Supplier): Promise<Facts> {
  const enquiry = sampleEnquiry();
  const created = await client.create(enquiry);
  const { submissionId, status } = viewStatus(parseJson(created.text));
  if (created.status !== 202 || submissionId === undefined || status !== 'received')
    throw new Error(`the create returned ${created.status} ${created.text}`);
  const reference = await eventually(SETTLED_MS, async () => {
    const { applicationReference } = viewStatus(parseJson((await client.read(submissionId)).text));
    if (!applicationReference) throw new Error(`${submissionId} has no Application`);
    return applicationReference;
  });
  const seen = await staff.submission.getApplication({ purpose: 'read by a drill', submissionId });
  if (seen.applicationReference !== reference)
    throw new Error(`staff see Application ${seen.applicationReference}`);
  const webhook = events ? await webhookOf(submissionId, client, events) : 'not looked for';
  await policyIsTried(staff);
  return {
    submission: submissionId,
    Application: reference,
    webhook,
    document: await documentOf(enquiry.external_reference, client, uploads),
  };
}

/** Returns the id of the first verified webhook about acceptance, which must contain what a read returns. */
async function webhookOf(
  submissionId: string,
  client: SupplierClient,
  events: () => readonly ReceivedEvent[],
): Promise<string> {
  const webhook = await eventually(SETTLED_MS, async () => {
    const event = events().find(({ verified, rawBody }) => {
      const seen = viewStatus(field(parseJson(rawBody), 'data'));
      return verified && seen.submissionId === submissionId && seen.status === 'accepted';
    });
    if (!event) throw new Error('no verified webhook arrived');
    return event.rawBody;
  });
  const { text } = await client.read(submissionId);
  if (!webhook.includes(`"data":${text}`)) throw new Error(`the webhook has ${webhook}, a read ${text}`);
  return String(field(parseJson(webhook), 'id'));
}

/** Uploads a document and finalizes it; returns its id. */
async function documentOf(reference: string, client: SupplierClient, uploads: string): Promise<string> {
  const file = sampleDocument();
  const offered = await client.uploadUrl({
    external_reference: reference,
    filename: 'statement.pdf',
    content_type: 'application/pdf',
    byte_size: file.length,
    category: 'bank_statements',
  });
  const { documentId, uploadUrl } = viewDocument(parseJson(offered.text));
  if (!uploadUrl) throw new Error(`an upload returned ${offered.status} ${offered.text}`);
  // Its host is the public one, which isn't routed here.
  const { pathname, search } = new URL(uploadUrl);
  const sent = await client.put(`${uploads}${pathname}${search}`, 'application/pdf', file);
  const { status, text } = await client.finalize({ external_reference: reference, document_id: documentId });
  // It is not scanned before ClamAV's signatures have been downloaded.
  const scanStatus = viewDocument(parseJson(text)).scanStatus;
  if (sent.status !== 200 || status !== 200 || (scanStatus !== 'pending_scan' && scanStatus !== 'clean'))
    throw new Error(`a document returned ${sent.status} ${sent.text}, then ${status} ${text}`);
  return documentId ?? '';
}

/** Validates a policy, because policies are compiled on a thread, by a program of the image. */
async function policyIsTried({ policies }: StaffClients): Promise<void> {
  const { violations } = await policies.validatePolicy({ kind: PolicyKind.DECISION, text: '{"rules": 1}' });
  if (violations.length === 0) throw new Error('an invalid policy passed validation');
}

/** Reads every created submission until it is decided; rejects if one isn't found or decided in time. */
export async function nothingLost({ client }: Supplier, created: readonly string[]): Promise<Facts> {
  // One iterator, so that the readers share the work.
  const queue = created.values();
  const lost: string[] = [];
  const read = async () => {
    for (const submissionId of queue)
      await eventually(SETTLED_MS, async () => {
        const answer = await client.read(submissionId);
        const { status, applicationReference } = viewStatus(parseJson(answer.text));
        const isPending = status === undefined || status === 'received';
        if (isPending || (status === 'accepted' && applicationReference === undefined))
          throw new Error(`${answer.status} ${answer.text}`);
      }).catch((error: unknown) => lost.push(`${submissionId}: ${reasonOf(error)}`));
  };
  await Promise.all(Array.from({ length: READERS }, read));
  if (lost.length > 0)
    throw new Error(`${lost.length} of ${created.length} are lost:\n  ${lost.slice(0, 10).join('\n  ')}`);
  return { 'leads created': created.length };
}
