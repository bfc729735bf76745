import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ErasureState } from '@supplier/proto/submission/v1/erasures';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { newSupplier } from '../harness/accounts.ts';
import { formsOf } from '../harness/encoded-forms.ts';
import {
  type Body,
  correction,
  fullDelivery,
  fullEnquiry,
  newCompanyNumber,
  newTelephone,
} from '../harness/enquiries.ts';
import { rowsOf } from '../harness/processes.ts';
import { refusalOf, submissionOf } from '../harness/responses.ts';
import { rpcClient } from '../harness/rpc.ts';
import { stackFile } from '../harness/stack.ts';
import { databases, filesWith, metricsWith, sealedWith, tablesWith } from '../harness/stored-values.ts';
import { created, createdBasic, decided, type SupplierApi, supplier } from '../harness/suppliers.ts';
import { token } from '../harness/tokens.ts';
import { documentOf, finalize, put, requestUpload } from '../harness/uploads.ts';
import { NotYet, waitFor } from '../harness/wait.ts';

const purpose = 'the applicant has asked to be erased';
const mark = Array.from(randomBytes(20), (byte) => 'bcdfghjkmnpqrstvwxz'[byte % 19]).join('');
const person = {
  first_name: `Ada ${mark}`,
  last_name: `${mark} Lovelace`,
  email: `${mark}@example.com`,
  telephone: newTelephone(),
  business_name: `${mark} Engines Ltd`,
};
const privacy = rpcClient(
  'submission',
  PrivacyService,
  token({ roles: ['staff:privacy'], audience: 'submission' }),
);
/** Returns the keys of the objects that a document of a reference has had. */
const keysOf = async (reference: string) =>
  (await rowsOf('document', 'SELECT object_key, held_key FROM document WHERE external_reference = $1', [
    reference,
  ])) as { object_key: string; held_key: string | null }[];

async function withDocument(api: SupplierApi, external_reference: string): Promise<void> {
  const bytes = Buffer.from(`date,name\n2026-11-20,${mark}\n`);
  const file = await requestUpload(api, {
    external_reference,
    filename: `${mark}.csv`,
    content_type: 'text/csv',
    byte_size: bytes.length,
  });
  expect((await put(file, { bytes })).status).toBe(200);
  documentOf(await finalize(api, file));
}

describe('an erased person', () => {
  const forms = formsOf([mark, person.telephone.slice(3)]);
  let enquired: Body;
  let alpha: SupplierApi;
  let references: string[];

  beforeAll(async () => {
    alpha = supplier('alpha', 'production');
    enquired = fullEnquiry({ ...person, company_number: newCompanyNumber() });
    const first = await created(alpha, enquired);
    await withDocument(alpha, first.external_reference);
    const linked = await decided(supplier('journey'), fullEnquiry(person));
    const basic = await createdBasic(await newSupplier(), fullDelivery(person));
    const api = await newSupplier();
    const corrected = await createdBasic(api, fullDelivery({ ...person, email: `old-${mark}@example.com` }));
    submissionOf(await api.correct(corrected.submission_id, correction({ email: person.email })), 200);
    references = [first, linked, basic, corrected].map(({ external_reference }) => external_reference);

    const { submissions } = await privacy.findPerson({ email: person.email, purpose });
    const submissionIds = submissions.map(({ submissionId }) => submissionId);
    expect(submissionIds.toSorted()).toEqual(
      [first, linked, basic, corrected].map(({ submission_id }) => submission_id).toSorted(),
    );
    expect(await sealedWith(forms)).not.toEqual([]);
    const { erasureId } = await privacy.requestErasure({ submissionIds, purpose });
    await waitFor(
      'the certificate',
      async () => {
        const { state } = await privacy.getErasure({ erasureId });
        if (state !== ErasureState.COMPLETE) throw new NotYet(ErasureState[state]);
      },
      { withinMs: 60_000 },
    );
  }, 150_000);

  it('is in no sealed value under any key', async () => {
    expect(await sealedWith(forms)).toEqual([]);
  });

  it('is in no file and in no database', async () => {
    for (const folder of ['logs', 'nats', 'documents', 'traces', 'postgres'])
      expect([folder, ...filesWith(folder, forms)]).toEqual([folder]);
    const found = await Promise.all((await databases()).map((name) => tablesWith(name, forms)));
    expect(found.flat()).toEqual([]);
    expect(await metricsWith(forms)).toEqual([]);
  });

  it('has no object in the store', async () => {
    const stored = readdirSync(join(dirname(stackFile()), 'documents'), { recursive: true }).map(String);
    const keys = (await Promise.all(references.map(keysOf))).flat();
    expect(keys.length).toBeGreaterThan(0);
    for (const { object_key, held_key } of keys)
      expect(stored.filter((path) => path.endsWith(object_key) || path.endsWith(held_key ?? '-'))).toEqual(
        [],
      );
  });

  it('can no longer be found, and the reference stays used', async () => {
    const { submissions } = await privacy.findPerson({ email: person.email, purpose });
    expect(submissions).toEqual([]);
    expect(refusalOf(await alpha.create(enquired), 409).code).toBe('external_reference_conflict');
  });
});
