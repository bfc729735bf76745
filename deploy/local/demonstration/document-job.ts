import { waitUntil } from '../wait-until.ts';
import type { Stage } from './main-job.ts';
import type { Report } from './report.ts';
import { sampleDocument } from './sample-document.ts';
import { sampleEnquiry } from './sample-enquiry.ts';
import { parseJson, viewDocument } from './status-view.ts';
import type { Answer } from './supplier-client.ts';

const SCANNED_WITHIN_MS = 60_000;
const POLL_MS = 100;
const TYPE = 'application/pdf';

/**
 * Sends a file that belongs to an enquiry, in the sandbox, and shows what becomes of it. Where nothing scans, that it
 * waits is what is right.
 */
export async function showDocument(stage: Stage, report: Report): Promise<void> {
  const documentId = await sendDocument(stage, report);
  if (documentId === undefined) return;
  if (!stage.scans) {
    const waiting = await stage.sandbox.finalize(documentId);
    report.step(
      'It waits to be scanned, for want of clamd on this machine',
      scanStatusOf(waiting) === 'pending_scan',
      [`${waiting.status} ${waiting.text}`],
      'scan_status pending_scan',
    );
    return;
  }
  const scanned = await waitUntil(
    async () => {
      const answer = await stage.sandbox.finalize(documentId);
      return scanStatusOf(answer) === 'pending_scan' ? undefined : answer;
    },
    { withinMs: SCANNED_WITHIN_MS, everyMs: POLL_MS },
  );
  report.step(
    'It is scanned, found clean and moved to the clean store',
    scanned !== undefined && scanStatusOf(scanned) === 'clean',
    [scanned ? `${scanned.status} ${scanned.text}` : 'it still waits'],
    `scan_status clean within ${SCANNED_WITHIN_MS / 1000} s`,
  );
}

interface FinalizeBody {
  readonly external_reference: string;
  readonly document_id: string;
}

/** Submits an enquiry, uploads a file for it and finalizes that; what to finalize it by, or undefined when a step failed. */
async function sendDocument({ sandbox }: Stage, report: Report): Promise<FinalizeBody | undefined> {
  const enquiry = sampleEnquiry();
  const file = sampleDocument();
  const { external_reference } = enquiry;
  const created = await sandbox.create(enquiry);
  const offered = await sandbox.uploadUrl({
    external_reference,
    filename: 'statement.pdf',
    content_type: TYPE,
    byte_size: file.length,
    category: 'bank_statements',
  });
  const { documentId, uploadUrl } = viewDocument(parseJson(offered.text));
  const isOffered = created.status === 202 && offered.status === 200 && uploadUrl !== undefined;
  report.step(
    'In the sandbox, the supplier asks where a file of a customer may be sent',
    isOffered,
    [`${offered.status} ${offered.text}`],
    '200 with a document_id and an upload_url',
  );
  if (!isOffered || documentId === undefined) return undefined;

  const uploaded = await sandbox.put(uploadUrl, TYPE, file);
  const finalize = { external_reference, document_id: documentId };
  const finalized = await sandbox.finalize(finalize);
  const isFinalized = uploaded.status === 200 && finalized.status === 200;
  report.step(
    `The file is uploaded (${file.length} bytes) and finalized`,
    isFinalized,
    [`${uploaded.status} to the upload`, `${finalized.status} ${finalized.text}`],
    '200 to both',
  );
  return isFinalized ? finalize : undefined;
}

function scanStatusOf(answer: Answer): string | undefined {
  return viewDocument(parseJson(answer.text)).scanStatus;
}
