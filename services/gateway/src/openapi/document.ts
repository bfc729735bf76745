import { Scope } from '@supplier/proto/common/v1/principal';
import { ERROR_TABLE, type PublicCode } from '../errors/error-table.ts';
import {
  type Components,
  errorResponse,
  errorResponses,
  errorSchemas,
  gatherComponents,
  responseRef,
} from './components.ts';
import type {
  DescribedOperation,
  OpenApiDocument,
  Parameter,
  PathItem,
  Reference,
  Response,
} from './document-types.ts';
import { FIELD_DESCRIPTIONS } from './field-descriptions.ts';
import { HEADERS, headersOf, REQUEST_ID_TEXT } from './headers.ts';
import type { DescribedRoute, OperationReference } from './operation-reference.ts';
import { toJsonSchema } from './to-json-schema.ts';
import { statusChanged } from './webhooks.ts';

/** Version of the interface, not of the software. */
const INTERFACE_VERSION = '1.0.0';

/** Introduction of the reference: paragraphs of plain text. */
const INTRODUCTION = `Send the enquiries of business finance customers, and follow each submission. Webhooks notify you of every change; use reads for recovery and reconciliation.

The sandbox and production each have their own host and credentials, and share nothing. The sandbox accepts test credentials, and production accepts live ones.

Requests and responses are JSON. Send bodies with Content-Type: application/json, uncompressed, in UTF-8 without a byte order mark, and no larger than 65,536 bytes. A body must not repeat a property name, nest deeper than 32 levels or have a field that is not listed here. Values are never trimmed or converted. Lengths count Unicode code points, and text must not contain NUL or an unpaired surrogate.

Times are in UTC and end in Z, with up to nine fractional digits; responses have three. Dates and months must exist.

You can send an X-Request-Id of 1 to 128 visible ASCII characters. Otherwise we generate one. Every response includes it.

A refused request changes nothing. After a 503, or without a response, the request may have been recorded: send the same request again. Each error has a code from the list below, which says what to do. An unknown path or method returns 404 not_found, and malformed HTTP returns 400 bad_request.`;

/** Public names of scopes. Implements docs/contract.md, section 4. */
const SCOPE_NAMES: Readonly<Record<Scope, string>> = {
  [Scope.UNSPECIFIED]: '',
  [Scope.CREATE_BASIC]: 'supplier_submissions:create:basic',
  [Scope.CREATE_APPLICATION]: 'supplier_submissions:create:application',
  [Scope.READ]: 'supplier_submissions:read',
  [Scope.CORRECT]: 'supplier_submissions:correct',
  [Scope.PROMOTE]: 'supplier_submissions:promote',
};

/**
 * Builds the OpenAPI 3.1 document of `operations` from the schemas that validate their bodies. Depends only on its
 * arguments. Implements docs/contract.md, section 1.
 */
export function buildOpenApi(
  operations: readonly DescribedRoute[],
  screeningProvider: string,
): OpenApiDocument {
  const components = gatherComponents();
  const paths: Record<string, PathItem> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    const method = operation.method === 'GET' ? 'get' : 'post';
    paths[path] = { ...paths[path], [method]: describe(operation, screeningProvider, components) };
  }
  const webhooks = { 'submission.status_changed': { post: statusChanged(components) } };
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Supplier submissions', version: INTERFACE_VERSION, description: INTRODUCTION },
    servers: [
      {
        url: '{base_url}',
        description: 'The host of the environment, which you receive when we open your account.',
        variables: { base_url: { default: 'https://sandbox.supplier.example' } },
      },
    ],
    security: [{ credential: [] }],
    tags: [
      { name: 'submissions', description: 'Send, complete and read submissions.' },
      { name: 'documents', description: 'Attach documents from the customer.' },
      { name: 'webhooks', description: 'Events that we send to your endpoint.' },
    ],
    paths,
    webhooks,
    components: {
      securitySchemes: { credential: CREDENTIAL },
      headers: HEADERS,
      responses: errorResponses(paths),
      schemas: { ...components.schemas, ...errorSchemas() },
    },
  };
}

const CREDENTIAL = {
  type: 'http',
  scheme: 'bearer',
  description:
    'Send your credential in exactly one header, Authorization: Bearer. Test credentials contain _test_ and work in the sandbox; live credentials contain _live_ and work in production. Your account, the credential and the environment must all allow a request.',
};

function describe(
  { path, anyScope, reference }: DescribedRoute,
  screeningProvider: string,
  components: Components,
): DescribedOperation {
  const { id, summary, description, body, bodyExamples } = reference;
  return {
    operationId: id,
    summary,
    description,
    tags: [path.includes('/documents/') ? 'documents' : 'submissions'],
    security: anyScope.map((scope) => ({ credential: [SCOPE_NAMES[scope]] })),
    parameters: [...pathParameters(path, reference), ...queryParameters(reference), REQUEST_ID],
    ...(body
      ? {
          requestBody: {
            required: true as const,
            content: {
              'application/json': {
                schema: components.schema(`${capitalised(id)}Request`, body(screeningProvider), 'request'),
                examples: bodyExamples?.(screeningProvider) ?? {},
              },
            },
          },
        }
      : {}),
    responses: { ...answersOf(reference, components), ...refusalsOf(reference.errors) },
  };
}

const REQUEST_ID: Parameter = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'Your id for this request, in visible ASCII. We replace anything else.',
  schema: REQUEST_ID_TEXT,
};

function pathParameters(path: string, reference: OperationReference): Parameter[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) =>
    parameter('path', name, { type: 'string', format: 'uuid' }, reference),
  );
}

function queryParameters(reference: OperationReference): Parameter[] {
  if (!reference.query) return [];
  const { properties = {} } = toJsonSchema(reference.query, 'request');
  return Object.entries(properties).map(([name, schema]) => parameter('query', name, schema, reference));
}

function parameter(
  place: 'path' | 'query',
  name: string,
  { description = FIELD_DESCRIPTIONS[name] ?? '', ...schema }: Parameter['schema'],
  { parameterExamples = {} }: OperationReference,
): Parameter {
  return { name, in: place, required: true, description, schema, example: parameterExamples[name] };
}

function answersOf({ answers }: OperationReference, components: Components): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, schemaName, examples }]) => [
      status,
      {
        description,
        headers: headersOf(),
        content: {
          'application/json': { schema: components.schema(schemaName, schema, 'answer'), examples },
        },
      },
    ]),
  );
}

/** Returns one response per status: a reference if the status has a single code. */
function refusalsOf(codes: readonly PublicCode[]): Record<string, Response | Reference> {
  const byStatus = Map.groupBy(codes, (code) => ERROR_TABLE[code].status);
  return Object.fromEntries(
    Array.from(byStatus, ([status, [first, ...others]]) => [
      String(status),
      first && others.length === 0
        ? { $ref: responseRef(first) }
        : errorResponse([...(first ? [first] : []), ...others]),
    ]),
  );
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
