import { randomBytes, randomUUID } from 'node:crypto';
import { ApplicationMinting } from '@supplier/proto/common/v1/principal';
import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { request } from 'undici';
import { ALL_SCOPES, newAccount, newSupplier } from '../harness/accounts.ts';
import { formsOf } from '../harness/encoded-forms.ts';
import {
  correction,
  enquiry,
  finalization,
  fullDelivery,
  fullEnquiry,
  fullPromotion,
  newCompanyNumber,
  newTelephone,
  without,
} from '../harness/enquiries.ts';
import { call } from '../harness/http.ts';
import { callRaw } from '../harness/raw-http.ts';
import { submissionOf } from '../harness/responses.ts';
import { requestToService, staff } from '../harness/rpc.ts';
import { readStack, type ServiceName } from '../harness/stack.ts';
import { databases, filesWith, metricsWith, sealedWith, tablesWith } from '../harness/stored-values.ts';
import { created, createdBasic, decided, isBilled, settled, supplier } from '../harness/suppliers.ts';
import { traces } from '../harness/traces.ts';
import { documentOf, finalize, put, requestUpload } from '../harness/uploads.ts';
import { NotYet, waitFor } from '../harness/wait.ts';
import { delivered } from '../harness/webhooks.ts';

const SERVICES: readonly ServiceName[] = ['account', 'submission', 'document', 'billing', 'webhook'];
/** This mark appears in no other run and none of our texts. */
const mark = Array.from(randomBytes(20), (byte) => 'bcdfghjkmnpqrstvwxz'[byte % 19]).join('');
const telephone = newTelephone();
const person = {
  first_name: `Ada ${mark}`,
  last_name: `${mark} Lovelace`,
  email: `${mark}@example.com`,
  telephone,
  business_name: `${mark} Engines Ltd`,
  company_number: newCompanyNumber(),
  funding_purpose_detail: `A mill for ${mark}`,
};
const home_address = {
  address_line_1: `1 ${mark} Street`,
  city: mark,
  postcode: 'LS1 1AA',
  country: 'United Kingdom',
};

/** Sends a customer's data through every operation, including every kind of refusal. */
async function useEverything(): Promise<void> {
  const alpha = supplier('alpha', 'production');
  const body = fullEnquiry({ ...person, home_address });
  const first = await created(alpha, body);
  await settled(alpha, first.submission_id, 'billed', isBilled);
  await delivered(alpha, first, 'accepted and billed', isBilled);
  await staff.submission().getApplication({ purpose: 'read by a test', submissionId: first.submission_id });
  // The same customer again, and a replay with different content.
  expect((await decided(alpha, enquiry(person))).status).toBe('duplicate_not_accepted');
  expect((await alpha.create({ ...body, first_name: `Bob ${mark}` })).status).toBe(409);
  const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
  await staff.submission().returnSubmission({ submissionId: first.submission_id, reasonCategory });

  const other = await newSupplier({ applicationMinting: ApplicationMinting.ON_PROMOTION });
  const names = {
    first_name: person.first_name,
    last_name: person.last_name,
    email: person.email,
    telephone,
  };
  const basic = await createdBasic(other, fullDelivery({ ...names, notes: `Ask for ${mark}` }));
  submissionOf(await other.correct(basic.submission_id, correction(names)), 200);
  submissionOf(await other.promote(basic.submission_id, fullPromotion({ ...person, home_address })), 200);

  const text = Buffer.from(`date,name\n2026-11-20,${mark}\n`);
  const file = await requestUpload(alpha, {
    external_reference: first.external_reference,
    filename: `${mark}.csv`,
    content_type: 'text/csv',
    byte_size: text.length,
  });
  expect((await put(file, { bytes: text })).status).toBe(200);
  documentOf(await finalize(alpha, file));

  const asked = { submissionId: first.submission_id, purpose: 'read by a test' };
  await staff.submission().readEnquiry(asked);
  await staff.document().listDocuments(asked);
  const { events } = await staff.webhook().listEvents({ submissionId: first.submission_id });
  for (const { eventId } of events) await staff.webhook().getEvent({ eventId, purpose: asked.purpose });

  const arriving = supplier('journey');
  const { arrival_screen_url } = await created(arriving, fullEnquiry({ ...person, home_address }));
  await (await request(arrival_screen_url ?? '', { method: 'POST' })).body.dump();
}

async function beRefusedInEveryWay(): Promise<void> {
  const alpha = supplier('alpha');
  const path = '/v1/supplier-submissions';
  const busy = await (await newAccount({}, ALL_SCOPES, { writesPerMinute: 1 })).issue();
  await busy.create(fullEnquiry(person));
  const unavailable = fullEnquiry({ ...person, business_name: 'Sandbox Unavailable Ltd', home_address });
  const refused = [
    busy.create(fullEnquiry({ ...person, home_address })),
    alpha.create(unavailable),
    supplier('reader').create(fullEnquiry({ ...person, home_address })),
    call(readStack().gateway, { method: 'POST', path, credential: mark, body: fullEnquiry(person) }),
    alpha.create({ ...fullEnquiry(person), last_name: mark.repeat(40), email: mark }),
    alpha.create({ ...fullEnquiry(person), [mark]: mark }),
    alpha.create(without(fullEnquiry(person), 'first_name')),
    alpha.create(`{"first_name": "${mark}", "first_name": "${mark}"}`),
    alpha.create(`{"first_name": "${mark}`),
    alpha.create(JSON.stringify({ padding: mark.repeat(10_000) })),
    alpha.correct(mark, correction({ first_name: mark })),
    alpha.promote(randomUUID(), fullPromotion(person)),
    alpha.call({ method: 'POST', path: `${path}/documents/finalize`, body: finalization({ [mark]: mark }) }),
    alpha.readByReference(`${mark} ${mark}`),
    alpha.read(mark),
    call(readStack().gateway, { path: `/${mark}?name=${mark}`, credential: mark }),
    call(readStack().gateway, { path: `${path}?external_reference=a&${mark}=${mark}` }),
    call(readStack().gateway, { path: `/%zz${mark}`, credential: `sss_test_${mark}` }),
    callRaw(readStack().gateway, ['GET / HTTP/1.1', `Host: ${mark} ${mark}`, `${mark}: ${mark}`]),
    callRaw(readStack().gateway, [`${mark} / HTTP/1.1`, 'Host: a']),
  ];
  const statuses = (await Promise.all(refused)).map(({ status }) => status);
  for (const status of statuses) expect(status).toBeGreaterThanOrEqual(400);
  expect(statuses).toEqual(expect.arrayContaining([400, 401, 403, 404, 413, 422, 429, 503]));
  for (const name of SERVICES) await junkRpc(name);
}

/** Makes a call with names in the wrong places: as a token, in the body, in a path. */
async function junkRpc(name: ServiceName): Promise<void> {
  const method = `/supplier.${name}.v1.${name[0]?.toUpperCase()}${name.slice(1)}Service/${mark}`;
  for (const authorization of [`Bearer ${mark}`, `Bearer ${readStack().staffToken}`]) {
    const headers = { 'content-type': 'application/json', authorization };
    const answer = await requestToService(name, method, {
      method: 'POST',
      headers,
      body: JSON.stringify({ [mark]: mark }),
    });
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    await answer.body.dump();
  }
}

describe('a customer’s data', () => {
  const forms = formsOf([mark, telephone.slice(3)]);
  beforeAll(async () => {
    await useEverything();
    await beRefusedInEveryWay();
  }, 120_000);

  // The local store keeps documents unencrypted.
  it.each(['logs', 'nats', 'key-rings'])('is in no file of %s', (folder) => {
    expect(filesWith(folder, forms)).toEqual([]);
  });

  it('is only sealed in databases, including that of the rate limits', async () => {
    const names = await databases();
    expect(names).toEqual(expect.arrayContaining([...SERVICES, 'limits']));
    const found = await Promise.all(names.map((name) => tablesWith(name, forms)));
    expect(found.flat()).toEqual([]);
  });

  it('is sealed in exactly the expected columns', async () => {
    expect(await sealedWith(forms)).toEqual([
      'document document.filename',
      'submission application.snapshot',
      'submission contact_correction.contact',
      'submission other_contact.contact',
      'submission promoted_keys.stated',
      'submission submission.contact',
      'submission submission.enquiry',
    ]);
  });

  it('is in no byte on PostgreSQL’s disk: no WAL, no deleted row, no temporary file', () => {
    expect(filesWith('postgres', forms)).toEqual([]);
  });

  it('is in no exported trace', async () => {
    // Spans are exported after a second or two.
    const last = traces();
    const { submission_id } = await created(supplier('alpha'), enquiry());
    await last.ofSubmission(submission_id, 'its webhook', (trace) =>
      trace.some(({ name }) => name === 'POST webhook'),
    );
    expect(filesWith('traces', formsOf([submission_id]))).toEqual(
      expect.arrayContaining(['requests.otlp', 'spans.jsonl']),
    );
    expect(filesWith('traces', forms)).toEqual([]);
  });

  it('is in no metric', async () => {
    expect(await metricsWith(forms)).toEqual([]);
  });

  // Otherwise all of the above would also pass with a search that finds nothing.
  it('is searched for effectively: non-secret values are found in files, tables and metrics', async () => {
    const body = enquiry();
    const external_reference = String(body.external_reference);
    const { requestId } = await supplier('alpha').create(body);
    expect(await tablesWith('submission', formsOf([external_reference]))).toContain(
      'submission public.submission',
    );
    await waitFor('the access log', async () => {
      if (filesWith('logs', formsOf([requestId])).length === 0) throw new NotYet('no line');
    });
    expect(filesWith('nats', formsOf(['supplier.submission']))).not.toEqual([]);
    expect(filesWith('postgres', formsOf([external_reference]))).not.toEqual([]);
    expect(await metricsWith(formsOf(['process_cpu_seconds_total']))).toContain('submission');
  });
});

describe('search forms', () => {
  const word = 'quetzalcoatl';
  const { texts, bytes } = formsOf([word]);
  it.each([
    ['plain', `x${word}x`],
    ['in hexadecimal', Buffer.from(`x${word}x`).toString('hex')],
    ['as UTF-16', Buffer.from(word, 'utf16le')],
    ['as UTF-16 in the other byte order', Buffer.from(word, 'utf16le').swap16()],
    ['in base64', Buffer.from(`${word}x`).toString('base64')],
    ['in base64 at an offset of one byte', Buffer.from(`x${word}xy`).toString('base64')],
    ['in base64 at an offset of two bytes', Buffer.from(`xy${word}`).toString('base64')],
    ['in base64 of UTF-16', Buffer.from(`x${word}`, 'utf16le').toString('base64')],
  ])('find a text %s', (_how, written) => {
    expect(bytes.some((form) => Buffer.from(written).includes(form))).toBe(true);
    if (typeof written === 'string') expect(texts.some((text) => written.includes(text))).toBe(true);
  });

  it('find a text in a URL', () => {
    expect(formsOf(['a b@c']).texts).toContain('a%20b%40c');
  });
});
