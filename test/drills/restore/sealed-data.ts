import { createClient } from '@connectrpc/connect';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { request } from 'undici';
import type { RunningStack } from '../../../deploy/local/bring-up.ts';
import { staffTransport } from '../../../deploy/local/seed/staff-clients.ts';
import { reasonOf } from '../../../deploy/local/terminal.ts';
import type { SentSubmission } from '../load.ts';
import type { SentDocument } from './documents.ts';

/** Returns the submissions whose applicant, as staff read it, differs from what was sent. */
export async function unreadableSubmissions(
  { staff }: RunningStack,
  submissions: readonly SentSubmission[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { reference, body, taken } of submissions)
    try {
      const submissionId = taken?.submissionId ?? '';
      const { snapshot } = await staff.submission.getApplication({
        purpose: 'read by a drill',
        submissionId,
      });
      if (snapshot?.email !== body.email) wrong.push(`${reference}: another applicant`);
    } catch (error) {
      wrong.push(`${reference}: ${reasonOf(error)}`);
    }
  return wrong;
}

/** Returns the documents whose download differs from what was sent. */
export async function unreadableDocuments(
  stack: RunningStack,
  documents: readonly SentDocument[],
): Promise<string[]> {
  const { rpcHttp1, staffToken, tls } = stack.description();
  const client = createClient(
    DocumentService,
    staffTransport(rpcHttp1.document ?? '', () => staffToken, tls),
  );
  const wrong: string[] = [];
  for (const { documentId, bytes } of documents)
    try {
      const { url } = await client.downloadDocument({ purpose: 'read by a drill', documentId });
      const { body } = await request(url);
      if (!bytes.equals(Buffer.from(await body.arrayBuffer()))) wrong.push(`${documentId}: other bytes`);
    } catch (error) {
      wrong.push(`${documentId}: ${reasonOf(error)}`);
    }
  return wrong;
}
