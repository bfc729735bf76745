import type { JsonSchema } from '../openapi/document-types.ts';

/** A field of a body, at any depth. */
export interface BodyField {
  /** Dotted; the first item of a list is `list.0`. */
  readonly path: string;
  /** The part of the body's schema that is about this field. */
  readonly rule: JsonSchema;
  /** Whether the object around it must have it. */
  readonly required: boolean;
}

/** Every field of a body, outer ones first, read from the very schema that validates it. */
export function fieldsOf(schema: object, prefix = ''): BodyField[] {
  const { properties = {}, required = [] } = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  return Object.entries(properties).flatMap(([name, rule]) => {
    const path = prefix + name;
    const item = rule.items ? [{ path: `${path}.0`, rule: rule.items, required: true }] : [];
    return [{ path, rule, required: required.includes(name) }, ...item, ...fieldsOf(rule, `${path}.`)];
  });
}

/**
 * The text of `body` with the JSON text `raw` at a dotted path, or without that field where `raw` is undefined: text,
 * because JSON can say what no object holds.
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
  // An own property whatever its name: assigning to `__proto__` would not make one.
  Object.defineProperty(parent, last, {
    value: marker,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return JSON.stringify(copy).replace(JSON.stringify(marker), () => raw);
}
