import { type Documents, type Json, listOf, objectOf, resolved } from './json-document.ts';

/** A shape before and after. */
export interface Shapes extends Documents {
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * The reader of the shape: the service (requests must stay acceptable) or the supplier (responses must stay readable).
 */
export type Direction = 'request' | 'answer';

/** Deeper than any shape of the contract: stops at a recursive schema. */
const DEEPEST = 20;

const FLOORS = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems'];
const CEILINGS = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems'];
/** Constraints that are compared only for equality: whether a pattern is narrower can't be determined. */
const EXACT = ['format', 'pattern', 'if', 'then', 'else', 'not', 'oneOf', 'anyOf', 'allOf'];

/**
 * The changes of a schema that break suppliers. In requests: fields removed or newly required, values no longer accepted. In
 * responses: fields removed or no longer certain, values removed, types added.
 */
export function schemaChanges(where: string, direction: Direction, shapes: Shapes, depth = 0): string[] {
  if (depth > DEEPEST) return [];
  const before = resolved(shapes.before, shapes.oldDocument);
  const after = resolved(shapes.after, shapes.newDocument);
  return [
    ...valueChanges(where, direction, before, after),
    ...requiredChanges(where, direction, before, after),
    ...(direction === 'request' ? narrowings(where, before, after) : []),
    ...fieldChanges(where, direction, { ...shapes, before, after }, depth),
  ];
}

function valueChanges(where: string, direction: Direction, before: Json, after: Json): string[] {
  const changes: string[] = [];
  const [oldTypes, newTypes] = [typesOf(before), typesOf(after)];
  const gone = oldTypes.filter((type) => !newTypes.includes(type));
  const fresh = newTypes.filter((type) => !oldTypes.includes(type));
  if (gone.length > 0) changes.push(`${where}: the type ${gone.join(', ')} was removed`);
  if (fresh.length > 0 && direction === 'answer')
    changes.push(`${where}: the type ${fresh.join(', ')} was added`);

  const [oldValues, newValues] = [valuesOf(before), valuesOf(after)];
  if (oldValues && newValues) {
    const lost = oldValues.filter((value) => !newValues.includes(value));
    if (lost.length > 0) changes.push(`${where}: the value ${lost.join(', ')} was removed`);
  }
  if (!oldValues && newValues && direction === 'request')
    changes.push(`${where}: only ${newValues.join(', ')} is accepted now`);
  return changes;
}

function requiredChanges(where: string, direction: Direction, before: Json, after: Json): string[] {
  const [was, is] = [listOf(before.required).map(String), listOf(after.required).map(String)];
  if (direction === 'request')
    return is.filter((name) => !was.includes(name)).map((name) => `${where}.${name}: became required`);
  const kept = objectOf(after.properties);
  return was
    .filter((name) => !is.includes(name) && name in kept)
    .map((name) => `${where}.${name}: is no longer always there`);
}

function narrowings(where: string, before: Json, after: Json): string[] {
  const raised = FLOORS.filter((key) => isNumber(after[key]) && !(Number(before[key]) >= Number(after[key])));
  const lowered = CEILINGS.filter(
    (key) => isNumber(after[key]) && !(Number(before[key]) <= Number(after[key])),
  );
  const replaced = EXACT.filter((key) => key in after && !equal(before[key], after[key]));
  const closed = after.additionalProperties === false && before.additionalProperties !== false;
  return [
    ...[...raised, ...lowered].map((key) => `${where}: ${key} became narrower, ${String(after[key])}`),
    ...replaced.map((key) => `${where}: ${key} changed`),
    ...(closed && 'type' in before ? [`${where}: unknown fields are refused now`] : []),
  ];
}

function fieldChanges(where: string, direction: Direction, shapes: Shapes, depth: number): string[] {
  const [before, after] = [objectOf(shapes.before), objectOf(shapes.after)];
  const [was, is] = [objectOf(before.properties), objectOf(after.properties)];
  const inside = Object.entries(was).flatMap(([name, schema]) =>
    name in is
      ? schemaChanges(
          `${where}.${name}`,
          direction,
          { ...shapes, before: schema, after: is[name] },
          depth + 1,
        )
      : [`${where}.${name}: was removed`],
  );
  if (!before.items) return inside;
  const items = { ...shapes, before: before.items, after: after.items };
  return [...inside, ...schemaChanges(`${where}[]`, direction, items, depth + 1)];
}

function typesOf({ type }: Json): string[] {
  return [type].flat().filter((name) => typeof name === 'string');
}

/** Returns the closed set of values, as JSON; undefined when any value of the type is accepted. */
function valuesOf(schema: Json): string[] | undefined {
  if ('const' in schema) return [JSON.stringify(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)) : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Compares schemas without descriptions, which don't affect what is accepted. */
function equal(one: unknown, other: unknown): boolean {
  return withoutWords(one) === withoutWords(other);
}

function withoutWords(value: unknown): string {
  return JSON.stringify(value, (key, inner) => (key === 'description' ? undefined : inner)) ?? '';
}
