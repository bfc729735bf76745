import type { JsonSchema } from '../openapi/document-types.ts';

/** A field of a body, at any depth. */
export interface BodyField {
  /** Dotted path; the first item of a list is `list.0`. */
  readonly path: string;
  /** The part of the body's schema for this field. */
  readonly rule: JsonSchema;
  /** Whether the enclosing object requires the field. */
  readonly required: boolean;
}

/** Returns every field of a body, outer ones first, from the schema that validates it. */
export function fieldsOf(schema: object, prefix = ''): BodyField[] {
  const { properties = {}, required = [] } = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  return Object.entries(properties).flatMap(([name, rule]) => {
    const path = prefix + name;
    const item = rule.items ? [{ path: `${path}.0`, rule: rule.items, required: true }] : [];
    return [{ path, rule, required: required.includes(name) }, ...item, ...fieldsOf(rule, `${path}.`)];
  });
}

/**
 * Returns the JSON of `body` with the JSON text `raw` at a dotted path, or without that field if `raw` is undefined.
 * Works on text, because JSON can express values that no object can hold.
 */
export function textWith(body: object, path: string, raw: string | undefined): string {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const copy = structuredClone(body);
  const parent = names.reduce<object>((at, name) => Reflect.get(at, name) as object, copy);
  if (raw === undefined) {
    Reflect.deleteProperty(parent, last);
    return JSON.stringify(copy);
  }
  const marker = 'the value that is replaced';
  // Defines an own property for any name: assigning to `__proto__` would not create one.
  Object.defineProperty(parent, last, {
    value: marker,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return JSON.stringify(copy).replace(JSON.stringify(marker), () => raw);
}
