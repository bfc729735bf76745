import { readFileSync } from 'node:fs';
import { EXAMPLE_ENQUIRY } from './example-enquiry.ts';
import { type Operation, operations } from './operations.ts';
import { SANDBOX_URL } from './snippets.ts';

/** How a request takes what earlier ones have made, and what it keeps for later ones. Values are Postman variables. */
interface Step {
  /** Fields of the example body that have another value here. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** JavaScript that runs before the request is sent. */
  readonly before?: readonly string[];
  /** JavaScript that runs after a success; `answer` is its JSON. */
  readonly after?: readonly string[];
  /** Statuses of an answer that is as it should be; 200 unless stated. */
  readonly statuses?: readonly number[];
  readonly submissionId?: string;
  /** What a reader of the collection should know besides the operation's description. */
  readonly note?: string;
}

/** A file that is small enough to be part of the collection. */
const CSV = 'date,description,amount\n2026-10-01,Opening balance,1200.00\n';
const FRESH_KEY = { operation_idempotency_key: '{{$guid}}' };
const keep = (variable: string, value: string) => `pm.collectionVariables.set('${variable}', ${value});`;
const freshReference = (variable: string) => keep(variable, "'lead-' + pm.variables.replaceIn('{{$guid}}')");

const STEPS: Readonly<Record<string, Step>> = {
  createSubmission: {
    body: { external_reference: '{{externalReference}}', business_name: 'Sandbox Accept Ltd' },
    before: [freshReference('externalReference')],
    after: [keep('submissionId', 'answer.submission_id')],
    statuses: [202],
  },
  getSubmissionByReference: {},
  getSubmission: { submissionId: '{{submissionId}}' },
  createDeliverySubmission: {
    body: { ...JSON.parse(readFileSync(EXAMPLE_ENQUIRY, 'utf8')), external_reference: '{{basicReference}}' },
    before: [freshReference('basicReference')],
    after: [keep('basicSubmissionId', 'answer.submission_id'), keep('expectedRevision', '0')],
  },
  promoteSubmission: {
    body: FRESH_KEY,
    submissionId: '{{basicSubmissionId}}',
    statuses: [200, 409],
    note: 'If your account creates the Application on acceptance, this returns 409 `concurrent_promotion`: there is nothing left to promote.',
  },
  correctContact: {
    body: { ...FRESH_KEY, expected_revision: '{{expectedRevision}}' },
    submissionId: '{{basicSubmissionId}}',
    after: [keep('expectedRevision', "Number(pm.collectionVariables.get('expectedRevision')) + 1")],
  },
  createUploadUrl: {
    body: {
      external_reference: '{{externalReference}}',
      filename: 'statement-2026-10.csv',
      content_type: 'text/csv',
      byte_size: Buffer.byteLength(CSV),
    },
    after: [keep('documentId', 'answer.document_id'), keep('uploadUrl', 'answer.upload_url')],
  },
  finalizeUpload: {
    body: { external_reference: '{{externalReference}}', document_id: '{{documentId}}' },
  },
};

/** What is sent between the upload URL and its finalize: not to the API, and without a credential. */
const UPLOAD = {
  name: 'Upload the file',
  event: [event('test', ["pm.test('status is 200', () => pm.response.to.have.status(200));"])],
  request: {
    auth: { type: 'noauth' },
    method: 'PUT',
    description: 'Sends the bytes of the file, with the size and type that you announced.',
    url: '{{uploadUrl}}',
    header: [{ key: 'Content-Type', value: 'text/csv' }],
    body: { mode: 'raw', raw: CSV },
  },
};

/**
 * Every operation as a collection of Postman's version 2.1, in an order in which each request finds what the ones before
 * it have made. A run of the whole collection passes with nothing set but the credential.
 */
export function postmanCollection() {
  return {
    info: {
      name: 'Supplier submissions',
      description:
        'Set the variable `bearerToken` to your test credential, then run the whole collection or send single requests. Each create uses a new reference, and scripts pass IDs on to later requests.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{bearerToken}}', type: 'string' }] },
    event: [
      event('prerequest', [
        "if (!pm.variables.get('bearerToken')) throw new Error('Set the variable bearerToken to your test credential.');",
      ]),
    ],
    variable: [
      { key: 'baseUrl', value: SANDBOX_URL },
      { key: 'bearerToken', value: '' },
    ],
    item: operations().flatMap((operation) => {
      const item = itemOf(operation);
      return operation.id === 'createUploadUrl' ? [item, UPLOAD] : [item];
    }),
  };
}

function itemOf({ id, summary, description, method, path, body }: Operation) {
  const step = STEPS[id];
  if (!step) throw new Error(`the Postman collection has no step for ${id}`);
  const { before = [], after = [], statuses = [200], note } = step;
  const byReference =
    method === 'GET' && !path.includes('{') ? '?external_reference={{externalReference}}' : '';
  const url = `{{baseUrl}}${path.replace('{submission_id}', step.submissionId ?? '')}${byReference}`;
  const succeeded = [
    'if (pm.response.code < 300) {',
    '  const answer = pm.response.json();',
    ...after.map((line) => `  ${line}`),
    '}',
  ];
  return {
    name: summary,
    event: [
      ...(before.length > 0 ? [event('prerequest', before)] : []),
      event('test', [
        `pm.test('status is ${statuses.join(' or ')}', () => pm.expect(pm.response.code).to.be.oneOf([${statuses.join(', ')}]));`,
        ...(after.length > 0 ? succeeded : []),
      ]),
    ],
    request: {
      method,
      description: note === undefined ? description : `${description}\n\n${note}`,
      url,
      ...(body === undefined
        ? {}
        : {
            header: [{ key: 'Content-Type', value: 'application/json' }],
            body: { mode: 'raw', raw: rawOf({ ...body, ...step.body }) },
          }),
    },
  };
}

/** A variable that is a number has no quotes round it. */
const rawOf = (body: object) =>
  JSON.stringify(body, undefined, 2).replace('"{{expectedRevision}}"', '{{expectedRevision}}');

function event(listen: 'prerequest' | 'test', exec: readonly string[]) {
  return { listen, script: { type: 'text/javascript', exec } };
}
