import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { ErasureState, ErasureStep } from '@supplier/proto/submission/v1/erasures';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { newSupplier } from '../../harness/accounts.ts';
import { enquiry, newCustomer, upload } from '../../harness/enquiries.ts';
import { UPLOAD_URL_PATH } from '../../harness/http.ts';
import { pathsOf } from '../../harness/responses.ts';
import { refusalCodeOf, rpcClient, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { staffShell } from '../../harness/staff-cli.ts';
import { decided, type SupplierApi } from '../../harness/suppliers.ts';
import { token } from '../../harness/tokens.ts';
import { documentOf, finalize, put, requestUpload } from '../../harness/uploads.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const purpose = 'request 17';
/** The target in docs/performance.md. */
const ERASED_WITHIN_MS = 5_000;

const officer = rpcClient(
  'submission',
  PrivacyService,
  token({ roles: ['staff:privacy'], audience: 'submission' }),
);
const shell = staffShell();
let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier();
});
afterAll(shell.close);

/** Returns the body of a create, its response, and a document that belongs to it. */
async function personWithDocument() {
  const body = enquiry({ ...newCustomer(), first_name: '<b>Ada</b>' });
  const { submission_id: submissionId } = await decided(api, body);
  const document = await requestUpload(api, { external_reference: body.external_reference });
  await put(document);
  documentOf(await finalize(api, document));
  return { body, submissionId, email: String(body.email), document, documentId: document.documentId };
}

async function certificateOf(erasureId: string) {
  return waitFor('the erasure to be complete', async () => {
    const erasure = await officer.getErasure({ erasureId });
    if (erasure.state !== ErasureState.COMPLETE)
      throw new NotYet(erasure.submissions.map(({ waitingFor }) => waitingFor).join());
    return erasure;
  });
}

describe('a person who requests their data and then its erasure', () => {
  it('is found, exported, retained under a hold, and erased everywhere', async () => {
    const person = await personWithDocument();
    const { submissionId, email, body } = person;
    const found = await officer.findPerson({ email: email.toUpperCase(), purpose });
    expect(found.submissions).toMatchObject([{ submissionId, accountId: api.accountId, held: false }]);

    const parent = mkdtempSync(join(tmpdir(), 'export-'));
    try {
      const out = join(parent, 'person');
      const ended = await shell.run('people', 'export', '--email', email, '--purpose', purpose, '--out', out);
      const exported = JSON.parse(readFileSync(join(out, 'export.json'), 'utf8'));
      expect(exported.submissions).toMatchObject([
        {
          submission: { submissionId, enquiry: { firstName: '<b>Ada</b>', email } },
          documents: { documents: [{ documentId: person.documentId }] },
        },
      ]);
      // A document without a scan result is listed as missing; everything else is present.
      const missing = exported.missing.filter((line: string) => !line.includes(person.documentId));
      expect([missing, ended.stderr.includes('defect')]).toEqual([[], false]);
      const page = readFileSync(join(out, 'export.html'), 'utf8');
      expect(page).toContain('&lt;b&gt;Ada&lt;/b&gt;');
      expect(page).not.toContain('<b>Ada');
      expect([statSync(out).mode & 0o777, statSync(join(out, 'export.json')).mode & 0o777]).toEqual([
        0o700, 0o600,
      ]);
      const again = await shell.run('people', 'export', '--email', email, '--purpose', purpose, '--out', out);
      expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is not empty')]);
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }

    await officer.holdSubmissions({ submissionIds: [submissionId], purpose: 'claim 19' });
    const refused = await rpcErrorOf(officer.requestErasure({ submissionIds: [submissionId], purpose }));
    expect(refusalCodeOf(refused)).toBe(RefusalCode.WRONG_STATE);
    expect(refused.rawMessage).toContain(submissionId);
    await officer.releaseHold({ submissionIds: [submissionId], purpose: 'claim 19 is settled' });

    const { erasureId } = await officer.requestErasure({ submissionIds: [submissionId], purpose });
    const certificate = await certificateOf(erasureId);
    const [part] = certificate.submissions;
    expect(part).toMatchObject({
      submissionId,
      nextStep: ErasureStep.DONE,
      externalReference: body.external_reference,
    });
    const counts = new Map(part?.removed.map(({ place, kind, count }) => [`${place} ${kind}`, count]));
    expect(counts.get('submission enquiry')).toBe(1n);
    expect(counts.get('document document')).toBe(1n);
    const { requestedAt, completedAt } = certificate;
    if (!requestedAt || !completedAt) throw new Error('the certificate has no times');
    expect(timestampMs(completedAt) - timestampMs(requestedAt)).toBeLessThanOrEqual(ERASED_WITHIN_MS);

    for (const again of [body, enquiry({ external_reference: body.external_reference })]) {
      const answer = await api.create(again);
      expect([answer.status, answer.json]).toMatchObject([
        409,
        { error: { code: 'external_reference_conflict', details: { submission_id: submissionId } } },
      ]);
    }
    const read = await api.read(submissionId);
    expect([read.status, read.json]).toMatchObject([
      200,
      { submission_id: submissionId, status: 'accepted' },
    ]);
    expect((await officer.findPerson({ email, purpose })).submissions).toEqual([]);
    const enquiryRead = staff.submission().readEnquiry({ submissionId, purpose });
    expect(refusalCodeOf(await rpcErrorOf(enquiryRead))).toBe(RefusalCode.WRONG_STATE);
    const late = upload({ external_reference: body.external_reference });
    const answer = await api.call({ method: 'POST', path: UPLOAD_URL_PATH, body: late });
    expect(pathsOf(answer)).toEqual(['external_reference']);
    expect((await finalize(api, person.document)).status).toBe(404);
    const { entries } = await rpcClient('submission', AuditService).listAudit({ target: submissionId });
    const text = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
    expect(text).toContain('EraseSubmission');
    expect(text).not.toContain(email);
  });
});

describe('PrivacyService', () => {
  it.each(['', 'ab', 'x'.repeat(201)])('requires a purpose: %j is not accepted', async (none) => {
    const error = await rpcErrorOf(officer.findPerson({ email: 'nobody@example.test', purpose: none }));
    expect(error.code).toBe(Code.InvalidArgument);
  });

  it('erases between one and 100 submissions per call', async () => {
    const many = Array.from({ length: 101 }, () => '01998c1e-7d5c-7000-8000-000000000003');
    for (const submissionIds of [many, []]) {
      const error = await rpcErrorOf(officer.requestErasure({ submissionIds, purpose }));
      expect(error.code).toBe(Code.InvalidArgument);
    }
  });
});
