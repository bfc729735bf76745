import { readFileSync } from 'node:fs';
import type {
  DescribedOperation,
  Examples,
  Header,
  JsonSchema,
  OpenApiDocument,
  Parameter,
  Response,
} from '../../../services/gateway/src/openapi/document-types.ts';
import { type Operation, operations } from './operations.ts';
import { snippetsOf } from './snippets.ts';

const DOCUMENT = new URL('../../openapi/v1.json', import.meta.url);
const document = (): OpenApiDocument => JSON.parse(readFileSync(DOCUMENT, 'utf8'));

/** A page of the reference in Markdown, by the name of its file below `reference/`. */
export function referencePages(): { name: string; title: string; content: string }[] {
  return [
    { name: 'docs', title: 'API reference', content: overview(document()) },
    ...operations().map((operation) => ({
      name: operation.id,
      title: operation.summary,
      content: operationPage(operation, document()),
    })),
  ];
}

/** Renders the overview. Each operation has a separate page. */
function overview(all: OpenApiDocument): string {
  const { info, components } = all;
  const schemes = Object.values(components.securitySchemes);
  const webhooks = Object.values(all.webhooks).flatMap(({ post }) => (post ? [post] : []));
  return paragraphs(
    '# API reference',
    `Version ${info.version}. Machine-readable: [openapi.json](/openapi.json){target="_self"}, OpenAPI 3.1.`,
    text(info.description),
    '## Authentication {#authentication}',
    ...schemes.map((scheme) => text('description' in scheme ? String(scheme.description) : '')),
    '## Operations {#operations}',
    ...operations().flatMap(({ id, summary, description, method, path }) => [
      `### [${summary}](/guides/reference/${id}) {#${id}}`,
      call(method, path),
      text(description.split('\n\n')[0] ?? ''),
    ]),
    '## Webhooks {#webhooks}',
    ...webhooks.flatMap((webhook) => webhookSection(webhook, all)),
    '## Objects {#objects}',
    ...answeredShapes(all).flatMap((name) => [
      `### ${name} {#${name}}`,
      fieldList(components.schemas[name] ?? {}, all),
    ]),
    '## Errors {#errors}',
    'See also [what to do about each error](/guides/errors).',
    ...Object.entries(errors(all)).flatMap(([code, { status, description, examples }]) => [
      `### \`${code}\` · ${status} {#${code}}`,
      text(description),
      exampleGroup(examples),
    ]),
    '## Headers {#headers}',
    definitions(Object.entries(components.headers).map(headerEntry)),
  );
}

function operationPage(operation: Operation, all: OpenApiDocument): string {
  const { id, summary, description, method, path } = operation;
  const item = all.paths[path];
  const described = method === 'GET' ? item?.get : item?.post;
  if (!described) throw new Error(`no operation for ${method} ${path}`);
  const body = described.requestBody?.content['application/json'].schema;
  const scopes = described.security.flatMap((way) => Object.values(way).flat());
  return paragraphs(
    `# ${summary}`,
    call(method, path),
    text(description),
    `Scope: ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`,
    '<div class="beside"><div>',
    '## Request {#request}',
    '::: code-group',
    ...snippetsOf(operation).map(
      ({ language, fence, program }) => `\`\`\`${fence} [${language}]\n${program}\n\`\`\``,
    ),
    ':::',
    ...(FRESH[id] ?? []),
    '</div><div>',
    '## Response {#response}',
    '::: code-group',
    ...operation.answers.map(
      ({ status, summary: what, body: value }) =>
        `\`\`\`json [${status} ${what}]\n${JSON.stringify(value, null, 2)}\n\`\`\``,
    ),
    ':::',
    '</div></div>',
    '## Parameters {#parameters}',
    definitions(described.parameters.map(parameterEntry)),
    ...(body ? ['## Request body {#body}', fieldList(body, all)] : []),
    '## Responses {#responses}',
    definitions(
      Object.entries(described.responses).map(([status, answer]) => answerEntry(status, answer, all)),
    ),
  );
}

/** What a reader who sends the example twice will wonder about. */
const FRESH: Readonly<Record<string, readonly string[]>> = {
  createSubmission: ofCreates(),
  createDeliverySubmission: ofCreates(),
};

function ofCreates(): readonly string[] {
  return [
    'If you send the example again, it is [the same request](/guides/recovery) and returns 200 with the current status. With another `external_reference`, it is another lead of the same customer: a [duplicate](/guides/lead#duplicates), if the first was accepted. For another customer, change the telephone number, the email address and the company number too.',
  ];
}

function webhookSection(webhook: DescribedOperation, all: OpenApiDocument): string[] {
  const { operationId, summary, description, parameters, requestBody } = webhook;
  const content = requestBody?.content['application/json'];
  return [
    `### ${summary} {#${operationId}}`,
    text(description),
    'See also [how to verify a webhook](/guides/webhooks#verify-the-signature).',
    definitions(parameters.map(parameterEntry)),
    ...(content ? [fieldList(content.schema, all), exampleGroup(content.examples)] : []),
  ];
}

interface PublicError {
  readonly status: string;
  readonly description: string;
  readonly examples: Examples;
}

/** Every error code that an operation can return, in the order of statuses. */
function errors(all: OpenApiDocument): Record<string, PublicError> {
  const found: Record<string, PublicError> = {};
  const responses = Object.values(all.paths)
    .flatMap((item) => Object.values(item))
    .flatMap((operation) => Object.entries(operation.responses))
    .filter(([status]) => Number(status) >= 400)
    .sort(([one], [other]) => Number(one) - Number(other));
  for (const [status, answer] of responses) {
    const { description, content } = resolved(answer, all);
    for (const [code, example] of Object.entries(content?.['application/json'].examples ?? {})) {
      const own = description.split('\n\n').find((part) => part.startsWith(`\`${code}\`: `)) ?? '';
      found[code] ??= {
        status,
        description: own.replace(`\`${code}\`: `, ''),
        examples: { [code]: example },
      };
    }
  }
  return found;
}

/** The names of the objects that a successful response holds, each once. */
function answeredShapes(all: OpenApiDocument): string[] {
  const answers = Object.values(all.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.values(responses));
  const names = answers.map((answer) =>
    'content' in answer ? nameOf(answer.content?.['application/json'].schema) : undefined,
  );
  return [...new Set(names.flatMap((name) => name ?? []))];
}

function answerEntry(status: string, answer: DescribedOperation['responses'][string], all: OpenApiDocument) {
  const { description, content } = resolved(answer, all);
  const json = content?.['application/json'];
  if (Number(status) >= 400) {
    const codes = Object.keys(json?.examples ?? {});
    return entry(
      status,
      '',
      codes.map((code) => `<a href="/docs#${code}"><code>${code}</code></a>`).join(', '),
    );
  }
  const shape = nameOf(json?.schema);
  const link = shape === undefined ? '' : `<a href="/docs#${shape}">${shape}</a>`;
  return entry(status, link, inline(description));
}

function resolved(
  answer: DescribedOperation['responses'][string],
  { components }: OpenApiDocument,
): Response {
  if (!('$ref' in answer)) return answer;
  const response = components.responses[answer.$ref.split('/').at(-1) ?? ''];
  if (!response) throw new Error(`nothing is at ${answer.$ref}`);
  return response;
}

const nameOf = (schema: JsonSchema | undefined) => schema?.$ref?.split('/').at(-1);

function parameterEntry({ name, in: place, required, description, schema, example }: Parameter): string {
  const about = `${place}, ${typeOf(schema)}${required ? REQUIRED : ''}`;
  return entry(name, about, `${inline(description)}${limitsOf(schema)}${exampleOf(example)}`);
}

function headerEntry([name, { description, schema, example }]: [string, Header]): string {
  return entry(name, typeOf(schema), `${inline(description)}${limitsOf(schema)}${exampleOf(example)}`);
}

const exampleOf = (example: unknown) =>
  example === undefined ? '' : `<br>Example: <code>${escaped(String(example))}</code>`;

const REQUIRED = ' · <strong>required</strong>';

/** Every field of an object and of the objects in it, under dotted paths, with its constraints. */
function fieldList(schema: JsonSchema, all: OpenApiDocument): string {
  const names = (whole(schema, all).anyOf ?? []).flatMap(({ required = [] }) => required);
  const rule = names.map((name) => `\`${name}\``).join(', ');
  return paragraphs(definitions(fieldEntries(schema, all)), rule && `At least one of ${rule} is required.`);
}

function fieldEntries(schema: JsonSchema, all: OpenApiDocument, prefix = ''): string[] {
  const { properties = {}, required = [] } = whole(schema, all);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const shape = { ...whole(property, all), ...property };
    const about = `${typeOf(shape)}${required.includes(name) ? REQUIRED : ''}`;
    const inner = shape.items ?? shape;
    return [
      entry(path, about, `${inline(shape.description ?? '')}${limitsOf(shape)}`),
      ...fieldEntries(inner, all, `${path}.`),
    ];
  });
}

/** The schema itself, or the named one that it points to. */
const whole = (schema: JsonSchema, { components }: OpenApiDocument): JsonSchema =>
  components.schemas[nameOf(schema) ?? ''] ?? schema;

function typeOf({ type = 'object', format, items }: JsonSchema): string {
  if (items) return `array of ${[items.type ?? 'object'].flat().join(' or ')}`;
  const types = [type].flat().join(' or ');
  return format === undefined ? types : `${types}, ${format}`;
}

function limitsOf(schema: JsonSchema): string {
  const limits = [...limitsIn(schema), ...(schema.items ? limitsIn(schema.items) : [])];
  return limits.length === 0 ? '' : `<br><span class="quiet">${limits.join('; ')}</span>`;
}

/** Patterns are left out: descriptions say in words what they mean. */
function limitsIn(schema: JsonSchema): string[] {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } = schema;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const codes = values?.map((value) => `<code>${escaped(String(value))}</code>`).join(', ');
  return [
    ...(codes === undefined ? [] : [`${values?.length === 1 ? 'always' : 'one of'} ${codes}`]),
    ...(maxLength === undefined ? [] : [`${minLength ?? 0} to ${maxLength} characters`]),
    ...(minimum === undefined ? [] : [`at least ${written(minimum)}`]),
    ...(exclusiveMinimum === undefined ? [] : [`greater than ${written(exclusiveMinimum)}`]),
    ...(maximum === undefined ? [] : [`at most ${written(maximum)}`]),
    ...(minItems === undefined ? [] : [`at least ${minItems} ${minItems === 1 ? 'item' : 'items'}`]),
    ...(maxItems === undefined ? [] : [`at most ${written(maxItems)} items`]),
  ];
}

const written = (amount: number) => amount.toLocaleString('en-GB');

const entry = (term: string, about: string, definition: string) =>
  `<dt><code>${escaped(term)}</code>${about && ` <span class="quiet">${about}</span>`}</dt><dd>${definition}</dd>`;

const definitions = (entries: readonly string[]) => `<dl class="fields">\n${entries.join('\n')}\n</dl>`;

const exampleGroup = (examples: Examples) =>
  paragraphs(
    '::: code-group',
    ...Object.values(examples).map(
      ({ summary, value }) => `\`\`\`json [${summary}]\n${JSON.stringify(value, null, 2)}\n\`\`\``,
    ),
    ':::',
  );

const call = (method: string, path: string) =>
  `<p class="call"><strong>${method}</strong> <code>${path}</code></p>`;

const paragraphs = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('\n\n');

/** Plain text with code between backquotes, as Markdown. */
const text = (plain: string) =>
  plain
    .split('`')
    .map((part, at) => (at % 2 === 0 ? escaped(part).replaceAll(/[*_[\]]/g, String.raw`\$&`) : `\`${part}\``))
    .join('');

/** The same as HTML. */
const inline = (plain: string) =>
  plain
    .split('`')
    .map((part, at) => (at % 2 === 0 ? escaped(part) : `<code>${escaped(part)}</code>`))
    .join('');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (plain: string) =>
  plain.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
