/** A JSON object with unknown contents. */
type Json = Readonly<Record<string, unknown>>;

/** Who reads a shape: the service (requests must stay acceptable) or the supplier (responses must stay readable). */
type Direction = 'request' | 'answer';

/** Deeper than any shape of the contract: stops at a recursive schema. */
const DEEPEST = 20;
const FLOORS = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems'];
const CEILINGS = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems'];
/** Constraints that are compared only for equality: whether a pattern is narrower can't be determined. */
const EXACT = ['format', 'pattern', 'if', 'then', 'else', 'not', 'oneOf', 'anyOf', 'allOf'];

/** What breaks suppliers when it is gone, or when it is new or narrower, at a place that both documents have. */
interface Fact {
  readonly place: string;
  readonly message: string;
}
interface Limit extends Fact {
  isNarrower(before: Limit | undefined): boolean;
  readonly value?: unknown;
}

/**
 * The changes of a document that break suppliers who use the old one. Empty when every change is an addition. Webhooks are
 * compared like responses, because suppliers read them.
 */
export function breakingChanges(oldDocument: unknown, newDocument: unknown): string[] {
  const [before, after] = [factsOf(oldDocument), factsOf(newDocument)];
  const keyOf = ({ place, message }: Fact) => `${place} ${message}`;
  const kept = new Set(after.promises.map(keyOf));
  const lost = before.promises.filter((one) => after.places.has(one.place) && !kept.has(keyOf(one)));
  const narrower = [...after.limits].filter(
    ([key, limit]) => before.places.has(limit.place) && limit.isNarrower(before.limits.get(key)),
  );
  return [...new Set([...lost, ...narrower.map(([, limit]) => limit)].map(({ message }) => message))];
}

function factsOf(document: unknown) {
  const places = new Set(['']);
  const promises: Fact[] = [];
  const limits = new Map<string, Limit>();
  const promise = (place: string, message: string) => void promises.push({ place, message });
  const limit = (place: string, message: string, isNarrower: Limit['isNarrower'], value?: unknown) =>
    void limits.set(message, { place, message, isNarrower, value });
  const isNew = (before: Limit | undefined) => before === undefined;
  const resolve = (value: unknown) => resolved(value, document);

  const schema = (where: string, direction: Direction, raw: unknown, depth = 0): void => {
    if (depth > DEEPEST) return;
    const { type, properties, items, required, ...rest } = resolve(raw);
    const isRequest = direction === 'request';
    places.add(where);
    for (const name of [type].flat().filter((one) => typeof one === 'string')) {
      promise(where, `${where}: the type ${name} was removed`);
      if (!isRequest) limit(where, `${where}: the type ${name} was added`, isNew);
    }
    const values = 'const' in rest ? [rest.const] : Array.isArray(rest.enum) ? rest.enum : undefined;
    if (values) {
      places.add(`${where} values`);
      for (const value of values)
        promise(`${where} values`, `${where}: the value ${JSON.stringify(value)} was removed`);
    }
    for (const name of listOf(required))
      if (isRequest) limit(where, `${where}.${name}: became required`, isNew);
      else promise(`${where}.${name}`, `${where}.${name}: is no longer always there`);
    if (isRequest) narrowings(where, rest, values);
    for (const [name, field] of Object.entries(objectOf(properties))) {
      promise(where, `${where}.${name}: was removed`);
      schema(`${where}.${name}`, direction, field, depth + 1);
    }
    if (items === undefined) return;
    promise(where, `${where}[]: was removed`);
    schema(`${where}[]`, direction, items, depth + 1);
  };

  const narrowings = (where: string, rest: Json, values: readonly unknown[] | undefined): void => {
    const bound = (key: string, isWithin: (before: number, after: number) => boolean) => {
      const value = rest[key];
      if (typeof value !== 'number') return;
      const message = `${where}: ${key} became narrower, ${value}`;
      const isNarrower: Limit['isNarrower'] = (before) => !isWithin(Number(before?.value), value);
      limits.set(`${where} ${key}`, { place: where, message, isNarrower, value });
    };
    for (const key of FLOORS) bound(key, (before, after) => before >= after);
    for (const key of CEILINGS) bound(key, (before, after) => before <= after);
    for (const key of EXACT.filter((one) => one in rest)) {
      const text = withoutWords(rest[key]);
      limit(where, `${where}: ${key} changed`, (before) => before?.value !== text, text);
    }
    if (rest.additionalProperties === false) limit(where, `${where}: unknown fields are refused now`, isNew);
    if (!values) return;
    const message = `${where}: only ${values.map((value) => JSON.stringify(value)).join(', ')} is accepted now`;
    limits.set(`${where} values`, { place: where, message, isNarrower: isNew });
  };

  const body = (owner: string, where: string, direction: Direction, holder: unknown): void => {
    const content = contentOf(holder);
    if (content === undefined) return;
    promise(owner, `${where}: was removed`);
    if (direction === 'request') limit(owner, `${where}: became required`, isNew);
    schema(where, direction, content);
  };

  const answer = (where: string, raw: unknown): void => {
    const { headers, ...response } = resolve(raw);
    const place = `${where} status`;
    places.add(place);
    for (const name of Object.keys(objectOf(headers))) promise(place, `${where} header ${name}: was removed`);
    const { oneOf, ...single } = resolve(contentOf(response));
    for (const shape of Array.isArray(oneOf) ? oneOf : [single]) {
      const error = resolve(objectOf(resolve(shape).properties).error);
      const code = objectOf(objectOf(error.properties).code).const;
      if (typeof code === 'string') promise(place, `${where}: the code ${code} was removed`);
    }
    // Responses with several shapes are compared by their codes only.
    if (!Array.isArray(oneOf)) body(place, where, 'answer', response);
  };

  const operation = (where: string, { security, parameters, requestBody, responses }: Json): void => {
    for (const way of listOf(security)) promise(where, `${where}: ${JSON.stringify(way)} no longer opens it`);
    for (const parameter of listOf(parameters).map(objectOf)) {
      const name = `${where} ${parameter.in} parameter ${parameter.name}`;
      promise(where, `${name}: was removed`);
      if (parameter.required === true) limit(where, `${name}: became required`, isNew);
      schema(name, 'request', parameter.schema);
    }
    body(where, `${where} body`, 'request', requestBody);
    for (const [status, response] of Object.entries(objectOf(responses))) {
      promise(where, `${where} ${status}: was removed`);
      answer(`${where} ${status}`, response);
    }
  };

  const { paths, webhooks } = objectOf(document);
  const each = (items: unknown, prefix: string, visit: (where: string, one: Json) => void) => {
    for (const [path, item] of Object.entries(objectOf(items)))
      for (const [method, one] of Object.entries(objectOf(item))) {
        const where = `${prefix}${method.toUpperCase()} ${path}`;
        places.add(where);
        promise('', `${where}: was removed`);
        visit(where, objectOf(one));
      }
  };
  each(paths, '', operation);
  each(webhooks, 'webhook ', (where, { requestBody }) => body(where, `${where} body`, 'answer', requestBody));
  return { places, promises, limits };
}

/** Returns the value as an object; an empty one if it isn't an object. */
function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const contentOf = (holder: unknown): unknown =>
  objectOf(objectOf(objectOf(holder).content)['application/json']).schema;

/** Returns the target of a `$ref` in the document, or the value itself without one. */
function resolved(value: unknown, document: unknown): Json {
  const { $ref, ...siblings } = objectOf(value);
  if (typeof $ref !== 'string') return objectOf(value);
  const names = $ref.replace(/^#\//, '').split('/');
  const target = names.reduce((at: unknown, name) => objectOf(at)[name], document);
  return { ...objectOf(target), ...siblings };
}

/** Compares schemas without descriptions, which don't affect what is accepted. */
const withoutWords = (value: unknown): string =>
  JSON.stringify(value, (key, inner) => (key === 'description' ? undefined : inner)) ?? '';
