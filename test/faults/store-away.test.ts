import { existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { enquiry } from '../harness/enquiries.ts';
import { refusalOf } from '../harness/responses.ts';
import { serializeFiles } from '../harness/serialize-files.ts';
import { stackFile } from '../harness/stack.ts';
import { created, supplier } from '../harness/suppliers.ts';
import {
  documentOf,
  finalize,
  finalized,
  put,
  requestSubmissionUpload,
  requestUpload,
} from '../harness/uploads.ts';

const folder = join(dirname(stackFile()), 'documents');
const away = `${folder}.away`;
serializeFiles('documents');

const alpha = supplier('alpha');

afterEach(() => {
  if (existsSync(away)) renameSync(away, folder);
});

describe('an object store that is unavailable for a while', () => {
  it('causes only 503 for uploads and finalizes, and everything works again once it is back', async () => {
    const waiting = await requestSubmissionUpload(alpha);
    const uploaded = await requestSubmissionUpload(alpha);
    await put(uploaded);
    const done = await finalized(alpha);
    renameSync(folder, away);

    const answer = await put(waiting);
    expect(answer.status).toBe(503);
    expect(refusalOf(await finalize(alpha, uploaded), 503).code).toBe('service_unavailable');
    expect(refusalOf(await finalize(alpha, waiting), 503).code).toBe('service_unavailable');
    // Operations that don't need the store still work.
    documentOf(await finalize(alpha, done));
    await requestUpload(alpha);
    await created(alpha, enquiry());
    expect(existsSync(folder)).toBe(false);

    renameSync(away, folder);
    documentOf(await finalize(alpha, uploaded));
    expect((await put(waiting)).status).toBe(200);
    documentOf(await finalize(alpha, waiting));
  });
});
