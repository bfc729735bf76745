import { Environment, Status } from '@supplier/proto/common/v1/status';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { sampleDocument } from '../demonstration/sample-document.ts';
import { parseJson, viewDocument } from '../demonstration/status-view.ts';
import { type SupplierClient, supplierClient } from '../demonstration/supplier-client.ts';
import type { Progress, SampleAccount } from './progress.ts';
import type { StackAddresses } from './staff.ts';

const TYPE = 'application/pdf';
const FILES = [
  { filename: 'bank-statements-q3.pdf', category: 'bank_statements' },
  { filename: 'accounts-2025.pdf', category: 'accounts' },
];
const WITH_DOCUMENTS = 6;

/** Uploads two documents for some of an account's accepted submissions. Without a scanner they stay unscanned. */
export async function sendDocuments(
  submissions: readonly ListedSubmission[],
  { sandbox, production }: SampleAccount,
  progress: Progress,
  stack: StackAddresses,
): Promise<void> {
  const accepted = submissions.filter(({ status }) => status === Status.ACCEPTED);
  for (const { externalReference, environment } of accepted.slice(0, WITH_DOCUMENTS)) {
    const client =
      environment === Environment.SANDBOX
        ? supplierClient(stack.gateway, sandbox)
        : supplierClient(stack.production, production);
    await progress.once(`documents of ${externalReference}`, async () => {
      for (const file of FILES) await upload(client, { external_reference: externalReference, ...file });
    });
  }
}

async function upload(
  client: SupplierClient,
  document: { readonly external_reference: string; readonly filename: string; readonly category: string },
): Promise<void> {
  const { external_reference } = document;
  const bytes = sampleDocument();
  const offered = await client.uploadUrl({ ...document, content_type: TYPE, byte_size: bytes.length });
  const { documentId, uploadUrl = '' } = viewDocument(parseJson(offered.text));
  const refuse = (step: string, { status, text }: { readonly status: number; readonly text: string }) => {
    if (status !== 200)
      throw new Error(
        `could not send a document of submission ${external_reference}: ${step} returned ${status} ${text}`,
      );
  };
  refuse('upload URL', offered);
  refuse('upload', await client.put(uploadUrl, TYPE, bytes));
  refuse('finalize', await client.finalize({ external_reference, document_id: documentId }));
}
