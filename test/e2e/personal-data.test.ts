import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { request } from 'undici';
import { newSupplier } from '../harness/accounts.ts';
import { submissionOf } from '../harness/answers.ts';
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
import { rowsOf } from '../harness/processes.ts';
import { callRaw } from '../harness/raw-http.ts';
import { requestToService, staff } from '../harness/rpc.ts';
import { readStack, type ServiceName, stackFile } from '../harness/stack.ts';
import { created, createdBasic, decided, isBilled, settled, supplier } from '../harness/suppliers.ts';
import { traces } from '../harness/traces.ts';
import { announced, documentOf, finalize, put } from '../harness/uploads.ts';
import { delivered } from '../harness/webhooks.ts';

const SERVICES: readonly ServiceName[] = ['account', 'submission', 'document', 'billing', 'webhook'];
/** No two runs, and no text of ours, have it. */
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

/** Everything that a customer's data passes through, and every way in which it is refused. */
async function useEverything(): Promise<void> {
  const alpha = supplier('alpha', 'production');
  const body = fullEnquiry({ ...person, home_address });
  const first = await created(alpha, body);
  await settled(alpha, first.submission_id, 'billed', isBilled);
  await delivered(alpha, first, 'accepted and billed', isBilled);
  await staff
    .submission()
    .getApplication({ purpose: 'looked at by a test', submissionId: first.submission_id });
  // The same customer once more, and a replay with other words.
  expect((await decided(alpha, enquiry(person))).status).toBe('duplicate_not_accepted');
  expect((await alpha.create({ ...body, first_name: `Bob ${mark}` })).status).toBe(409);
  const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
  await staff.submission().returnSubmission({ submissionId: first.submission_id, reasonCategory });

  const other = await newSupplier();
  const names = {
    first_name: person.first_name,
    last_name: person.last_name,
    email: person.email,
    telephone,
  };
  const basic = await createdBasic(other, fullDelivery({ ...names, notes: `Ask for ${mark}` }));
  submissionOf(await other.correct(basic.submission_id, correction(names)), 200);
  await other.promote(basic.submission_id, fullPromotion({ ...person, home_address }));

  const text = Buffer.from(`date,name\n2026-11-20,${mark}\n`);
  const file = await announced(alpha, {
    external_reference: first.external_reference,
    filename: `${mark}.csv`,
    content_type: 'text/csv',
    byte_size: text.length,
  });
  expect((await put(file, { bytes: text })).status).toBe(200);
  documentOf(await finalize(alpha, file));

  const arriving = supplier('journey');
  const { arrival_screen_url } = await created(arriving, fullEnquiry({ ...person, home_address }));
  await (await request(arrival_screen_url ?? '', { method: 'POST' })).body.dump();
}

async function beRefusedInEveryWay(): Promise<void> {
  const alpha = supplier('alpha');
  const path = '/v1/supplier-submissions';
  const refused = [
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
  for (const { status } of await Promise.all(refused)) expect(status).toBeGreaterThanOrEqual(400);
  for (const name of SERVICES) await junkRpc(name);
}

/** A call with names where they do not belong: as a token, in the body, in a path. */
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

/** Files below `folder` that hold one of `needles`. */
function filesWith(folder: string, needles: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => needles.some((needle) => contentOf(path).includes(needle)))
    .map((path) => path.slice(folder.length + 1));
}

/** Files of a running stack come and go. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Tables of a service's database with a row that holds one of `needles`, in clear or as the hexadecimal of bytes. */
async function tablesWith(service: ServiceName, needles: readonly string[]): Promise<string[]> {
  const pattern = needles.flatMap((needle) => [needle, Buffer.from(needle).toString('hex')]).join('|');
  const listed = `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`;
  const tables = (await rowsOf(service, listed, [])) as { name: string }[];
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await rowsOf(service, `SELECT 1 FROM ${name} AS row WHERE row::text ~* $1 LIMIT 1`, [
      pattern,
    ]);
    if (rows.length > 0) found.push(`${service}.${name}`);
  }
  return found;
}

describe('a customer’s data', () => {
  const needles = [mark, telephone.slice(3)];
  const state = dirname(stackFile());
  beforeAll(async () => {
    await useEverything();
    await beRefusedInEveryWay();
  }, 120_000);

  it('is in no log of any process', () => {
    expect(filesWith(join(state, 'logs'), needles)).toEqual([]);
  });

  it('is in no event of any stream', () => {
    expect(filesWith(join(state, 'nats'), needles)).toEqual([]);
  });

  it('is in no database but sealed', async () => {
    const found = await Promise.all(SERVICES.map((service) => tablesWith(service, needles)));
    expect(found.flat()).toEqual([]);
  });

  it('is in no stored file but encrypted', () => {
    expect(filesWith(join(state, 'documents'), needles)).toEqual([]);
  });

  it('is in no exported trace', async () => {
    // Spans are on their way for a second or two.
    const last = traces();
    const { submission_id } = await created(supplier('alpha'), enquiry());
    await last.ofSubmission(submission_id, 'its decision', (trace) =>
      trace.some(({ name }) => name === 'decide'),
    );
    expect(filesWith(join(state, 'traces'), [submission_id])).toEqual(
      expect.arrayContaining(['requests.otlp', 'spans.jsonl']),
    );
    expect(filesWith(join(state, 'traces'), needles)).toEqual([]);
  });

  it('is in no metric', async () => {
    for (const url of Object.values(readStack().metrics)) {
      const page = await (await request(url)).body.text();
      expect(page).toContain('process_cpu_seconds_total');
      expect(page.toLowerCase()).not.toContain(mark);
    }
  });

  it('would be found where it is in clear', () => {
    expect(filesWith(dirname(import.meta.filename), ['would be found where it is in clear'])).toEqual([
      'personal-data.test.ts',
    ]);
  });
});
