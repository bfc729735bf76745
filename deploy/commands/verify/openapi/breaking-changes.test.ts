import { readFileSync } from 'node:fs';
import { breakingChanges } from './breaking-changes.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests change any part.
type Anything = any;

const ok = (schema: object) => ({ description: 'd', content: { 'application/json': { schema } } });
const error = (code: string) => ({
  type: 'object',
  properties: { error: { type: 'object', properties: { code: { const: code } } } },
});
const base = () => ({
  paths: {
    '/things': {
      post: {
        security: [{ credential: ['create'] }],
        parameters: [
          { name: 'page', in: 'query', required: false, schema: { type: 'string', maxLength: 9 } },
        ],
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Body' } } },
        },
        responses: {
          200: {
            ...ok({ $ref: '#/components/schemas/Thing' }),
            headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
          },
          404: { $ref: '#/components/responses/NotFound' },
          409: ok({ oneOf: [error('one_conflict'), error('other_conflict')] }),
        },
      },
    },
  },
  webhooks: {
    changed: { post: { requestBody: ok({ $ref: '#/components/schemas/Thing' }), responses: {} } },
  },
  components: {
    responses: { NotFound: ok(error('not_found')) },
    schemas: {
      Body: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: 100, description: 'words' },
          kind: { type: 'string', enum: ['a', 'b'] },
          note: { type: 'string' },
          amount: { type: 'integer', minimum: 10 },
          since: { type: 'string', format: 'date-time', pattern: 'Z$' },
          list: { type: 'array', items: { enum: ['x', 'y'] } },
        },
        additionalProperties: false,
      },
      Thing: {
        type: 'object',
        required: ['id', 'status'],
        properties: {
          id: { type: 'string' },
          status: { enum: ['new', 'old'] },
          at: { type: ['string', 'null'] },
        },
      },
    },
  },
});

const after = (change: (document: Anything) => void): string[] => {
  const changed: Anything = base();
  change(changed);
  return breakingChanges(base(), changed);
};
const operation = (document: Anything) => document.paths['/things'].post;
const body = (document: Anything) => document.components.schemas.Body;
const thing = (document: Anything) => document.components.schemas.Thing;

describe('breakingChanges', () => {
  it('finds nothing when nothing changed', () => {
    expect(after(() => {})).toEqual([]);
  });

  it.each<[string, (document: Anything) => void]>([
    ['an operation', (d) => Object.assign(d.paths, { '/more': { get: { responses: {} } } })],
    ['a status', (d) => Object.assign(operation(d).responses, { 410: ok({}) })],
    [
      'a code under a status',
      (d) => operation(d).responses[409].content['application/json'].schema.oneOf.push(error('c')),
    ],
    ['an optional request field', (d) => Object.assign(body(d).properties, { more: { type: 'string' } })],
    ['a value that a request may have', (d) => body(d).properties.kind.enum.push('c')],
    [
      'a wider bound in a request',
      (d) => Object.assign(body(d).properties.name, { minLength: 0, maxLength: 200 }),
    ],
    ['no format where a request had one', (d) => delete body(d).properties.since.format],
    ['a field in a response', (d) => Object.assign(thing(d).properties, { more: { type: 'string' } })],
    ['a response field that is now always present', (d) => thing(d).required.push('at')],
    ['an optional parameter', (d) => operation(d).parameters.push({ name: 'q', in: 'query', schema: {} })],
    ['an alternative scope', (d) => operation(d).security.push({ credential: ['other'] })],
    [
      'a different description',
      (d) => Object.assign(body(d).properties.name, { description: 'better words' }),
    ],
    [
      'an inline schema instead of a reference',
      (d) => Object.assign(operation(d).responses, { 404: d.components.responses.NotFound }),
    ],
  ])('permits an addition: %s', (_what, change) => {
    expect(after(change)).toEqual([]);
  });

  it.each<[string, (document: Anything) => void, string]>([
    ['an operation is gone', (d) => delete d.paths['/things'], 'POST /things: was removed'],
    ['a status is gone', (d) => delete operation(d).responses[404], 'POST /things 404: was removed'],
    [
      'a code is gone',
      (d) => operation(d).responses[409].content['application/json'].schema.oneOf.pop(),
      'POST /things 409: the code other_conflict was removed',
    ],
    [
      'a header is gone',
      (d) => delete operation(d).responses[200].headers['X-Request-Id'],
      'POST /things 200 header X-Request-Id: was removed',
    ],
    [
      'a response loses a field',
      (d) => delete thing(d).properties.status,
      'POST /things 200.status: was removed',
    ],
    [
      'a response loses a value',
      (d) => thing(d).properties.status.enum.pop(),
      'POST /things 200.status: the value "old" was removed',
    ],
    [
      'a response field becomes optional',
      (d) => thing(d).required.pop(),
      'POST /things 200.status: is no longer always there',
    ],
    [
      'a response field may be null',
      (d) => Object.assign(thing(d).properties.id, { type: ['string', 'null'] }),
      'POST /things 200.id: the type null was added',
    ],
    [
      'a webhook loses a field',
      (d) => delete thing(d).properties.at,
      'webhook POST changed body.at: was removed',
    ],
    [
      'a request field becomes required',
      (d) => body(d).required.push('note'),
      'POST /things body.note: became required',
    ],
    [
      'a new request field is required',
      (d) => {
        body(d).properties.more = {};
        body(d).required.push('more');
      },
      'POST /things body.more: became required',
    ],
    ['a request field is gone', (d) => delete body(d).properties.note, 'POST /things body.note: was removed'],
    [
      'a request loses a value',
      (d) => body(d).properties.kind.enum.pop(),
      'POST /things body.kind: the value "b" was removed',
    ],
    [
      'a value inside a list is gone',
      (d) => body(d).properties.list.items.enum.pop(),
      'POST /things body.list[]: the value "y" was removed',
    ],
    [
      'a request field becomes closed',
      (d) => Object.assign(body(d).properties.note, { enum: ['z'] }),
      'POST /things body.note: only "z" is accepted now',
    ],
    [
      'a string becomes shorter',
      (d) => Object.assign(body(d).properties.name, { maxLength: 99 }),
      'POST /things body.name: maxLength became narrower, 99',
    ],
    [
      'a bound appears',
      (d) => Object.assign(body(d).properties.note, { minLength: 1 }),
      'POST /things body.note: minLength became narrower, 1',
    ],
    [
      'a minimum becomes larger',
      (d) => Object.assign(body(d).properties.amount, { minimum: 11 }),
      'POST /things body.amount: minimum became narrower, 11',
    ],
    [
      'a format appears',
      (d) => Object.assign(body(d).properties.note, { format: 'uuid' }),
      'POST /things body.note: format changed',
    ],
    [
      'a type changes',
      (d) => Object.assign(body(d).properties.note, { type: 'integer' }),
      'POST /things body.note: the type string was removed',
    ],
    [
      'a rule for several fields appears',
      (d) => Object.assign(body(d), { anyOf: [{ required: ['note'] }] }),
      'POST /things body: anyOf changed',
    ],
    [
      'a parameter becomes required',
      (d) => Object.assign(operation(d).parameters[0], { required: true }),
      'POST /things query parameter page: became required',
    ],
    [
      'a parameter becomes narrower',
      (d) => Object.assign(operation(d).parameters[0].schema, { maxLength: 8 }),
      'POST /things query parameter page: maxLength became narrower, 8',
    ],
    [
      'another scope is needed',
      (d) => Object.assign(operation(d), { security: [{ credential: ['other'] }] }),
      'POST /things: {"credential":["create"]} no longer opens it',
    ],
  ])('finds that %s', (_what, change, message) => {
    expect(after(change)).toContain(message);
  });
});

describe('the committed reference', () => {
  const text = readFileSync(new URL('../../../../docs/openapi/v1.json', import.meta.url), 'utf8');

  it('is compatible with itself', () => {
    expect(breakingChanges(JSON.parse(text), JSON.parse(text))).toEqual([]);
  });

  it.each<[string, (schemas: Anything, responses: Anything) => void]>([
    [
      'POST /v1/supplier-submissions 202.status: the value "duplicate_not_accepted" was removed',
      ({ CreatedSubmission }) => CreatedSubmission.properties.status.enum.splice(2, 1),
    ],
    [
      'POST /v2/supplier-submissions body.funding_amount: maximum became narrower, 999',
      ({ CreateDeliverySubmissionRequest: { properties } }) =>
        Object.assign(properties.funding_amount, { maximum: 999 }),
    ],
    [
      'POST /v1/supplier-submissions body.home_address.address_line_2: became required',
      ({ HomeAddress }) => HomeAddress.required.push('address_line_2'),
    ],
    [
      'GET /v1/supplier-submissions 429 header RateLimit-Reset: was removed',
      (_schemas, { RateLimited }) => delete RateLimited.headers['RateLimit-Reset'],
    ],
  ])('is compared completely: %s', (message, change) => {
    const changed = JSON.parse(text);
    change(changed.components.schemas, changed.components.responses);
    expect(breakingChanges(JSON.parse(text), changed)).toContain(message);
  });
});
