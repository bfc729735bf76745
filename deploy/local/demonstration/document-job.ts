import { waitUntil } from '../wait-until.ts';
import { sampleDocument } from './sample-document.ts';
import { sampleEnquiry } from './sample-enquiry.ts';
import type { ShowStep, Stage } from './stage.ts';
import { parseJson, viewDocument } from './status-view.ts';

const SCANNED_WITHIN_MS = 60_000;
const POLL_MS = 100;
const TYPE = 'application/pdf';

/** Uploads a document in the sandbox and shows its scan. Resolves to whether every step passed. */
export async function showDocument({ sandbox }: Stage, show: ShowStep): Promise<boolean> {
  const enquiry = sampleEnquiry();
  const { external_reference } = enquiry;
  const file = sampleDocument();
  const created = await sandbox.create(enquiry);
  const offered = await sandbox.uploadUrl({
    ...{ external_reference, filename: 'statement.pdf', content_type: TYPE },
    ...{ byte_size: file.length, category: 'bank_statements' },
  });
  const { documentId, uploadUrl } = viewDocument(parseJson(offered.text));
  const isOffered = show(
    'In the sandbox, the supplier requests an upload URL for a document',
    created.status === 202 && offered.status === 200 && uploadUrl !== undefined,
    [`${offered.status} ${offered.text}`],
    '200 with a document_id and an upload_url',
  );
  if (!isOffered || uploadUrl === undefined || documentId === undefined) return false;

  const finalize = () => sandbox.finalize({ external_reference, document_id: documentId });
  const uploaded = await sandbox.put(uploadUrl, TYPE, file);
  const finalized = await finalize();
  const isFinalized = show(
    `The file is uploaded (${file.length} bytes) and finalized`,
    uploaded.status === 200 && finalized.status === 200,
    [`${uploaded.status} to the upload`, `${finalized.status} ${finalized.text}`],
    '200 to both',
  );
  if (!isFinalized) return false;

  const scanned = await waitUntil(
    async () => {
      const status = viewDocument(parseJson((await finalize()).text)).scanStatus;
      return status === 'pending_scan' ? undefined : status;
    },
    { withinMs: SCANNED_WITHIN_MS, everyMs: POLL_MS },
  );
  return show(
    'It is scanned, found clean and moved to the clean store',
    scanned === 'clean',
    [`scan_status ${scanned ?? 'pending_scan'}`],
    `scan_status clean within ${SCANNED_WITHIN_MS / 1000} s`,
  );
}
