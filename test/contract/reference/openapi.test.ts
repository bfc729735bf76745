import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { enquiry } from '../../harness/enquiries.ts';
import { type Answer, CREATE_PATH } from '../../harness/http.ts';
import { asEnvelope, asStatusObject } from '../../harness/schemas.ts';
import { readStack } from '../../harness/stack.ts';
import { created, supplier } from '../../harness/suppliers.ts';
import { CODES, OPERATIONS } from './operations.ts';

// biome-ignore lint/suspicious/noExplicitAny: a foreign document, read as it comes.
type Anything = any;

const alpha = supplier('alpha');
const anyText = () => true;
const formats = { uuid: anyText, date: anyText, 'date-time': anyText, uri: anyText };

let document: Anything;
let ajv: Ajv2020;
beforeAll(async () => {
  const answer = await fetch(`${readStack().pages}/openapi.json`);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  document = await answer.json();
  ajv = new Ajv2020({ strict: false, allErrors: true, formats });
  ajv.addSchema(document, 'openapi');
});

/** Returns every response that the document describes, with its status. */
function answersOf({ paths, components }: Anything): [number, Anything][] {
  const operations = Object.values<Anything>(paths).flatMap((item) => Object.values<Anything>(item));
  return operations.flatMap(({ responses }) =>
    Object.entries<Anything>(responses).map(([status, answer]): [number, Anything] => [
      Number(status),
      answer.$ref ? components.responses[answer.$ref.split('/').at(-1)] : answer,
    ]),
  );
}

/** Returns the differences between a response and the published document. */
function complaints(method: string, path: string, { status, headers, json }: Answer): unknown {
  const answers = document.paths[path][method.toLowerCase()].responses;
  const named = answers[status]?.$ref?.split('/').at(-1);
  const answer = named ? document.components.responses[named] : answers[status];
  if (!answer) return `${status} is not published`;
  const lacking = Object.keys(answer.headers).filter((name) => headers[name.toLowerCase()] === undefined);
  if (lacking.length > 0) return `${status} lacks ${lacking.join()}`;
  const { schema } = answer.content['application/json'];
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
  return ajv.validate(absolute, json) ? undefined : ajv.errors;
}

describe('/openapi.json', () => {
  it('publishes exactly the eight operations, with their statuses and codes', () => {
    const published = Object.entries<Anything>(document.paths).flatMap(([path, item]) =>
      Object.entries<Anything>(item).map(([method, { responses }]) => [
        method.toUpperCase(),
        path,
        Object.keys(responses).map(Number),
      ]),
    );
    const inOrder = (list: readonly Anything[]) => list.map((entry) => JSON.stringify(entry)).sort();
    expect(inOrder(published)).toEqual(inOrder(OPERATIONS));
    const codes = answersOf(document)
      .filter(([status]) => status >= 400)
      .flatMap(([, { content }]) => Object.values<Anything>(content['application/json'].examples))
      .map(({ value }) => value.error.code);
    expect([...new Set(codes)].sort()).toEqual([...CODES].sort());
  });

  it('shows realistic submissions with realistic links', () => {
    const bodies = document.webhooks['submission.status_changed'].post.requestBody.content;
    const events = Object.values<Anything>(bodies['application/json'].examples).map(({ value }) => value);
    const answers = answersOf(document)
      .filter(([status]) => status < 300)
      .flatMap(([, { content }]) => Object.values<Anything>(content['application/json'].examples))
      .map(({ value }) => value)
      .filter((value) => 'submission_id' in value);
    expect(answers.length).toBeGreaterThan(10);
    for (const answer of answers) {
      const from = 'arrival_screen_url' in answer ? 'create' : 'read';
      const { handoff, arrival_screen_url, billing, decided_at, received_at } = asStatusObject(answer, from);
      for (const link of [handoff?.customer_journey_url, arrival_screen_url]) {
        if (link !== undefined) expect(link).toMatch(/^https:\/\/[a-z.]+\/journey\/[\w-]{43}$/);
      }
      if (decided_at !== null) expect(Date.parse(decided_at)).toBeGreaterThan(Date.parse(received_at));
      if (billing.billable_at !== null) expect(billing.billable_at >= String(decided_at)).toBe(true);
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    for (const event of events) {
      const { occurred_at, data } = asEnvelope(event);
      expect(occurred_at >= String(data.decided_at)).toBe(true);
    }
    expect(new Set(events.map(({ data }) => data.status))).toEqual(
      new Set(['accepted', 'rejected', 'duplicate_not_accepted', 'returned']),
    );
  });

  it('matches the API’s responses', async () => {
    const one = '/v1/supplier-submissions/{submission_id}';
    const body = enquiry();
    const { submission_id: id } = await created(alpha, body);
    const answers: [string, string, Answer, number][] = [
      ['POST', CREATE_PATH, await alpha.create(enquiry()), 202],
      ['POST', CREATE_PATH, await alpha.create(body), 200],
      ['POST', CREATE_PATH, await alpha.create({ ...body, first_name: 'Other' }), 409],
      ['POST', CREATE_PATH, await alpha.create({}), 422],
      ['POST', CREATE_PATH, await alpha.create('{'), 400],
      ['POST', CREATE_PATH, await alpha.create(' '.repeat(70_000)), 413],
      ['POST', CREATE_PATH, await alpha.create(body, { credential: 'none' }), 401],
      ['GET', one, await alpha.read(id), 200],
      ['GET', one, await alpha.read(randomUUID()), 404],
      ['GET', one, await alpha.read('none'), 422],
      ['GET', CREATE_PATH, await alpha.readByReference(String(body.external_reference)), 200],
      ['GET', CREATE_PATH, await alpha.call({ path: CREATE_PATH }), 400],
    ];
    for (const [method, path, answer, status] of answers) {
      expect([method, path, answer.status]).toEqual([method, path, status]);
      expect(complaints(method, path, answer)).toBeUndefined();
    }
  });

  it.each([CREATE_PATH, '/v2/supplier-submissions'])(
    'has examples for POST %s that the API accepts verbatim',
    async (path) => {
      const { examples } = document.paths[path].post.requestBody.content['application/json'];
      for (const { value } of Object.values<Anything>(examples)) {
        const body = { ...value, external_reference: `example-${randomUUID()}` };
        const answer = await alpha.call({ method: 'POST', path, body });
        expect({ accepted: [200, 202].includes(answer.status), json: answer.json }).toMatchObject({
          accepted: true,
        });
        expect(complaints('POST', path, answer)).toBeUndefined();
      }
    },
  );
});
