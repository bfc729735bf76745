import { type Documents, type Json, listOf, objectOf, resolved } from './json-document.ts';
import { type Direction, schemaChanges } from './schema-changes.ts';

/**
 * The changes of a document that break suppliers who use the old one. Empty when every change is an addition. Webhooks are compared
 * like responses, because suppliers read them.
 */
export function breakingChanges(oldDocument: unknown, newDocument: unknown): string[] {
  const documents = { oldDocument, newDocument };
  const changesOf = (prefix: string, section: 'paths' | 'webhooks', changes: Changes) =>
    removedOrChanged(prefix, operationsIn(oldDocument, section), operationsIn(newDocument, section), changes);
  return [
    ...changesOf('', 'paths', (where, ...pair) => operationChanges(where, ...pair, documents)),
    ...changesOf('webhook ', 'webhooks', (where, before, after) =>
      bodyChanges(`${where} body`, 'answer', before.requestBody, after.requestBody, documents),
    ),
  ];
}

function operationChanges(where: string, before: Json, after: Json, documents: Documents): string[] {
  return [
    ...scopeChanges(where, before, after),
    ...parameterChanges(where, before, after, documents),
    ...bodyChanges(`${where} body`, 'request', before.requestBody, after.requestBody, documents),
    ...removedOrChanged(
      `${where} `,
      objectOf(before.responses),
      objectOf(after.responses),
      (status, was, is) => answerChanges(status, was, is, documents),
    ),
  ];
}

function scopeChanges(where: string, before: Json, after: Json): string[] {
  const ways = listOf(after.security).map((way) => JSON.stringify(way));
  const lost = listOf(before.security).filter((way) => !ways.includes(JSON.stringify(way)));
  return lost.map((way) => `${where}: ${JSON.stringify(way)} no longer opens it`);
}

function parameterChanges(where: string, before: Json, after: Json, documents: Documents): string[] {
  const [was, is] = [parametersIn(before), parametersIn(after)];
  const demanded = Object.entries(is)
    .filter(([name, { required }]) => required === true && was[name]?.required !== true)
    .map(([name]) => `${where} ${name}: became required`);
  const changed = removedOrChanged(`${where} `, was, is, (name, one, other) =>
    schemaChanges(name, 'request', { before: one.schema, after: other.schema, ...documents }),
  );
  return [...demanded, ...changed];
}

function bodyChanges(
  where: string,
  direction: Direction,
  before: unknown,
  after: unknown,
  documents: Documents,
): string[] {
  const [was, is] = [contentOf(before), contentOf(after)];
  if (!was && is && direction === 'request') return [`${where}: became required`];
  if (was && !is) return [`${where}: was removed`];
  return was && is ? schemaChanges(where, direction, { before: was, after: is, ...documents }) : [];
}

function answerChanges(where: string, before: Json, after: Json, documents: Documents): string[] {
  const [was, is] = [resolved(before, documents.oldDocument), resolved(after, documents.newDocument)];
  const headers = Object.keys(objectOf(was.headers)).filter((name) => !(name in objectOf(is.headers)));
  return [
    ...headers.map((name) => `${where} header ${name}: was removed`),
    ...codeChanges(where, was, is, documents),
    ...bodyChanges(where, 'answer', single(was), single(is), documents),
  ];
}

function codeChanges(where: string, before: Json, after: Json, documents: Documents): string[] {
  const codes = codesIn(after, documents.newDocument);
  const lost = [...codesIn(before, documents.oldDocument)].filter((code) => !codes.has(code));
  return lost.map((code) => `${where}: the code ${code} was removed`);
}

function codesIn(answer: Json, document: unknown): Set<string> {
  const schema = resolved(contentOf(answer), document);
  const shapes = Array.isArray(schema.oneOf) ? schema.oneOf : [schema];
  const codes = shapes.map((shape) => {
    const error = resolved(objectOf(resolved(shape, document).properties).error, document);
    return objectOf(objectOf(error.properties).code).const;
  });
  return new Set(codes.filter((code) => typeof code === 'string'));
}

/** Responses with several shapes are compared by their codes only. */
function single(answer: Json): unknown {
  return Array.isArray(objectOf(contentOf(answer)).oneOf) ? undefined : answer;
}

function contentOf(holder: unknown): unknown {
  return objectOf(objectOf(objectOf(holder).content)['application/json']).schema;
}

function parametersIn(operation: Json): Record<string, Json> {
  const parameters = listOf(operation.parameters).map(objectOf);
  return Object.fromEntries(parameters.map((one) => [`${one.in} parameter ${one.name}`, one]));
}

function operationsIn(document: unknown, section: 'paths' | 'webhooks'): Record<string, Json> {
  const items = Object.entries(objectOf(objectOf(document)[section]));
  return Object.fromEntries(
    items.flatMap(([path, item]) =>
      Object.entries(objectOf(item)).map(([method, operation]): [string, Json] => [
        `${method.toUpperCase()} ${path}`,
        objectOf(operation),
      ]),
    ),
  );
}

type Changes = (where: string, before: Json, after: Json) => string[];

function removedOrChanged(prefix: string, before: Json, after: Json, changes: Changes): string[] {
  return Object.entries(before).flatMap(([name, was]) =>
    name in after
      ? changes(`${prefix}${name}`, objectOf(was), objectOf(after[name]))
      : [`${prefix}${name}: was removed`],
  );
}
