import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleDocument } from '../../../deploy/local/demonstration/sample-document.ts';
import { parseJson, viewDocument } from '../../../deploy/local/demonstration/status-view.ts';
import type { SupplierClient } from '../../../deploy/local/demonstration/supplier-client.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import { APPLICANTS_NAME, answerOf, newSubmission, tryOnce } from '../load.ts';

const TYPE = 'application/pdf';
const PACE_MS = 300;
const LARGEST_LOAD = 2_000;

/** A finalized document, as its supplier knows it. */
export interface SentDocument {
  readonly documentId: string;
  readonly bytes: Buffer;
}

export interface DocumentLoad {
  readonly documents: readonly SentDocument[];
  /** Waits until `count` more documents have been finalized. Throws after a minute. */
  more(count: number): Promise<void>;
  /** Stops sending. */
  abandon(): Promise<void>;
}

/**
 * Sends submissions with one document each, sequentially, in the sandbox, where the stack scans with any
 * signatures. Requests without a response are not retried: a supplier would start again.
 */
export function startDocuments(client: SupplierClient): DocumentLoad {
  const documents: SentDocument[] = [];
  const abandoned = new AbortController();
  const send = async () => {
    while (!abandoned.signal.aborted && documents.length < LARGEST_LOAD) {
      const sent = await sendOne(client);
      if (sent) documents.push(sent);
      await pause(PACE_MS);
    }
  };
  const done = send();
  done.catch(() => undefined);
  return {
    documents,
    async more(count) {
      const goal = documents.length + count;
      const reached = await waitUntil(() => documents.length >= goal || undefined, {
        withinMs: 60_000,
        everyMs: 20,
      });
      if (!reached) throw new Error(`${goal - documents.length} of ${count} documents were not finalized`);
    },
    async abandon() {
      abandoned.abort();
      await done;
    },
  };
}

async function sendOne(client: SupplierClient): Promise<SentDocument | undefined> {
  const submission = newSubmission();
  if (!(await tryOnce(client, submission))) return undefined;
  const external_reference = submission.reference;
  // A comment after the end makes every file unique.
  const bytes = Buffer.concat([sampleDocument(), Buffer.from(`% ${randomUUID()}\n`)]);
  const announcement = {
    filename: `${APPLICANTS_NAME}.pdf`,
    content_type: TYPE,
    category: 'bank_statements',
  };
  const body = { external_reference, byte_size: bytes.length, ...announcement };
  const offered = await answerOf(() => client.uploadUrl(body));
  const { documentId, uploadUrl } = viewDocument(parseJson(offered.text));
  if (documentId === undefined || uploadUrl === undefined) return undefined;
  const uploaded = await answerOf(() => client.put(uploadUrl, TYPE, bytes));
  if (uploaded.status !== 200) return undefined;
  const finalized = await answerOf(() => client.finalize({ external_reference, document_id: documentId }));
  return finalized.status === 200 ? { documentId, bytes } : undefined;
}
