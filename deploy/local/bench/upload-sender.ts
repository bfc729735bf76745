// Uploads files from memory by their signed URLs, all of an order at once, and reports when the last one has ended.
// Spoken to over IPC.
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { UPLOAD_TYPE } from './upload-urls.ts';

export interface UploadOrder {
  readonly urls: readonly string[];
  /** The size of each file. */
  readonly bytes: number;
}

export interface UploadReport {
  /** From the first byte that is sent to the last answer. */
  readonly ms: number;
  /** What the uploads that were not taken failed with. */
  readonly failures: readonly string[];
}

const ANSWER_MS = 60_000;
const dispatcher = new Agent();
let file = Buffer.alloc(0);

process.on('disconnect', () => process.exit(0));
process.on('message', async ({ urls, bytes }: UploadOrder) => {
  if (file.length !== bytes) file = randomBytes(bytes);
  const started = performance.now();
  const ended = await Promise.allSettled(urls.map(upload));
  const report: UploadReport = {
    ms: performance.now() - started,
    failures: ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : [])),
  };
  process.send?.(report);
});

async function upload(url: string): Promise<void> {
  const answer = await request(url, {
    dispatcher,
    method: 'PUT',
    headers: { 'content-type': UPLOAD_TYPE },
    body: file,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`the upload was answered ${answer.statusCode} ${text}`);
}
