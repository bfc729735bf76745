import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { enquiry } from '../../harness/enquiries.ts';
import { type Answer, CREATE_PATH } from '../../harness/http.ts';
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

/** What is wrong with an answer, by the published document. */
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
    const codes = Object.values<Anything>(document.components.responses).flatMap(({ content }) =>
      Object.values<Anything>(content['application/json'].examples).map(({ value }) => value.error.code),
    );
    expect(codes.sort()).toEqual([...CODES].sort());
  });

  it('is true of what the API answers', async () => {
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
    'has examples for POST %s that the API takes as they are',
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
