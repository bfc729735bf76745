import { create } from '@bufbuild/protobuf';
import { isUuid } from '@supplier/lib/text/ids';
import { renderStatus } from '@supplier/lib/text/status-object';
import { isCalendarDate, parseTimestamp, toTimestamp } from '@supplier/lib/text/time';
import { SubmissionStatusSchema } from '@supplier/proto/common/v1/status';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_TABLE } from './errors/error-table.ts';
import { buildOpenApi } from './openapi/document.ts';
import type {
  DescribedOperation,
  JsonContent,
  JsonSchema,
  Reference,
  Response,
} from './openapi/document-types.ts';
import { operations } from './operations.ts';
import { submissionStatus as sampleStatus } from './testing/fake-gateway.ts';
import { compileValidator } from './validation/validator.ts';

const document = buildOpenApi(operations, 'the_provider');
const paths = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]): [string, DescribedOperation] => [
    `${method} ${path}`,
    operation,
  ]),
);
const webhooks = Object.values(document.webhooks).flatMap((item) => Object.values(item));

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: {
    uuid: isUuid,
    date: isCalendarDate,
    'date-time': (text: string) => parseTimestamp(text) !== undefined,
    uri: (text: string) => URL.canParse(text),
  },
});
ajv.addSchema(document, 'openapi');

function violations(schema: JsonSchema, value: unknown): unknown {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
  return ajv.validate(absolute, value) ? [] : ajv.errors;
}

const resolved = (answer: Response | Reference): Response =>
  '$ref' in answer ? document.components.responses[answer.$ref.split('/').at(-1) ?? '']! : answer;
const examplesOf = (content: JsonContent) => {
  const { schema, examples } = content['application/json'];
  return Object.values(examples).map(({ value }) => ({ schema, value }));
};

describe('the OpenAPI document', () => {
  it('describes exactly the operations of the table', () => {
    const expected = operations.map(
      ({ method, path }) => `${method.toLowerCase()} ${path.replace(':submission_id', '{submission_id}')}`,
    );
    expect(paths.map(([name]) => name).sort()).toEqual(expected.sort());
    expect(expected).toHaveLength(8);
  });

  it('gives every operation a unique name, a description, a scope and responses', () => {
    expect(new Set(paths.map(([, { operationId }]) => operationId)).size).toBe(8);
    for (const [, { summary, description, security, responses }] of paths) {
      expect(summary).toMatch(/^[A-Z].{5,60}$/);
      expect(description.length).toBeGreaterThan(40);
      expect(JSON.stringify(security)).toMatch(/supplier_submissions:\w+/);
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining(['200', '401', '403', '422', '429', '503']),
      );
    }
  });

  it('has valid examples for every body, success and error', () => {
    let count = 0;
    for (const operation of [...paths.map(([, described]) => described), ...webhooks]) {
      const answers = Object.values(operation.responses).map(resolved);
      const contents = [operation.requestBody?.content, ...answers.map(({ content }) => content)];
      for (const content of contents.filter((found) => found !== undefined)) {
        const examples = examplesOf(content);
        expect(examples).not.toHaveLength(0);
        for (const { schema, value } of examples) expect(violations(schema, value)).toEqual([]);
        count += examples.length;
      }
    }
    expect(count).toBeGreaterThan(60);
  });

  it("has body examples that the operation's validator accepts", () => {
    for (const { reference } of operations) {
      const { body, bodyExamples } = reference;
      expect(bodyExamples === undefined).toBe(body === undefined);
      if (!body || !bodyExamples) continue;
      const validate = compileValidator(body('the_provider'));
      for (const { value } of Object.values(bodyExamples('the_provider')))
        expect(() => validate(value)).not.toThrow();
    }
  });

  it('shows every body field in at least one example', () => {
    for (const { reference } of operations) {
      const { body, bodyExamples } = reference;
      if (!body || !bodyExamples) continue;
      const { properties = {} } = JSON.parse(JSON.stringify(body('p'))) as JsonSchema;
      const shown = Object.values(bodyExamples('p')).flatMap(({ value }) => Object.keys(value as object));
      expect(new Set(shown)).toEqual(new Set(Object.keys(properties)));
    }
  });

  it('has a schema that rejects what the contract rejects', () => {
    const [, operation] = paths[0]!;
    const { schema, examples } = operation.requestBody!.content['application/json'];
    const body = Object.values(examples)[0]!.value as object;
    for (const change of [
      { surprise: 1 },
      { level: 'basic' },
      { funding_amount: 999 },
      { capture_timestamp: '2026-02-03T00:00:00+00:00' },
      { first_name: '' },
      { marketing: undefined },
    ])
      expect(violations(schema, JSON.parse(JSON.stringify({ ...body, ...change })))).not.toEqual([]);
  });

  it('lists exactly the error codes of the contract, each under its status', () => {
    const seen = new Map<string, string>();
    for (const [, { responses }] of paths)
      for (const [status, answer] of Object.entries(responses))
        for (const { value } of Number(status) < 400 ? [] : examplesOf(resolved(answer).content!))
          seen.set((value as { error: { code: string } }).error.code, status);
    const table = Object.entries(ERROR_TABLE).map(([code, { status }]) => [code, String(status)]);
    expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(table));
  });

  it('lists the response headers', () => {
    for (const [, { responses }] of paths) {
      for (const answer of Object.values(responses))
        expect(resolved(answer).headers).toHaveProperty('X-Request-Id');
      const limited = ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
      for (const name of limited) expect(resolved(responses['429']!).headers).toHaveProperty(name);
      expect(resolved(responses['503']!).headers).toHaveProperty('Retry-After');
      expect(resolved(responses['401']!).headers).toHaveProperty('WWW-Authenticate');
    }
  });

  it('states the accepted screening provider', () => {
    const { CreditScreening } = document.components.schemas;
    expect(CreditScreening?.properties?.provider).toMatchObject({ const: 'the_provider' });
  });

  it('has no dangling reference', () => {
    for (const [, path = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = path
        .split('/')
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document);
      expect([path, typeof found]).toEqual([path, 'object']);
    }
  });

  it('describes every field', () => {
    for (const [name, { properties = {} }] of Object.entries(document.components.schemas))
      for (const [field, schema] of Object.entries(properties))
        expect([name, field, typeof schema.description]).toEqual([name, field, 'string']);
  });

  it('describes the status object as rendered', () => {
    const { SubmissionStatus = {}, CreatedSubmission = {} } = document.components.schemas;
    const at = toTimestamp(new Date('2026-11-20T10:00:00.001Z'));
    const submission = sampleStatus({
      decidedAt: at,
      handoff: { customerJourneyUrl: 'https://pages.example/h', expiresAt: at },
      return: { reasonCategory: 2, returnedAt: at },
    });
    for (const [name, schema, arrival] of [
      ['SubmissionStatus', SubmissionStatus, undefined],
      ['CreatedSubmission', CreatedSubmission, 'https://pages.example/a'],
    ] as const) {
      const full = renderStatus(create(SubmissionStatusSchema, submission), arrival);
      expect(Object.keys(full).sort()).toEqual(Object.keys(schema.properties ?? {}).sort());
      for (const one of [full, renderStatus(sampleStatus())])
        expect(violations({ $ref: `#/components/schemas/${name}` }, one)).toEqual([]);
    }
  });

  it('has arrival_screen_url only in responses to a create at application level', () => {
    const holders = Object.entries(document.components.schemas)
      .filter(([, { properties = {} }]) => 'arrival_screen_url' in properties)
      .map(([name]) => name);
    expect(holders).toEqual(['CreatedSubmission']);
    const users = paths.flatMap(([, { operationId, responses }]) =>
      Object.entries(responses)
        .filter(([, answer]) => JSON.stringify(answer).includes('/CreatedSubmission"'))
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(users).toEqual(['createSubmission 200', 'createSubmission 202']);
  });

  it('describes the items and maximum size of every array and has no unused component', () => {
    const text = JSON.stringify(document);
    for (const schema of schemasIn(document)) {
      if (schema.type !== 'array') continue;
      expect(schema).toHaveProperty('items');
      // An array with `contains` only constrains another one and has no bound itself.
      if (!('contains' in schema)) expect(schema.maxItems).toBeGreaterThan(0);
    }
    // Receivers generate their event type from WebhookEvent, although the webhook itself has it inline.
    for (const kind of ['schemas', 'responses', 'headers'] as const)
      for (const name of Object.keys(document.components[kind]).filter((one) => one !== 'WebhookEvent'))
        expect([name, text.includes(`"#/components/${kind}/${name}"`)]).toEqual([name, true]);
  });
});

/** Returns every object of a document, including its schemas. */
function schemasIn(value: unknown): JsonSchema[] {
  if (value === null || typeof value !== 'object') return [];
  const inside = Object.values(value).flatMap(schemasIn);
  return Array.isArray(value) ? inside : [value as JsonSchema, ...inside];
}
