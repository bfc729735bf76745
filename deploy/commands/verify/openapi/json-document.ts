/** A JSON object with unknown contents. */
export type Json = Readonly<Record<string, unknown>>;

/** The two compared documents. */
export interface Documents {
  readonly oldDocument: unknown;
  readonly newDocument: unknown;
}

/** Returns the value as an object; an empty one if it isn't an object. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the target of a `$ref` in the document, or the value itself without one. */
export function resolved(value: unknown, document: unknown): Json {
  const { $ref, ...siblings } = objectOf(value);
  if (typeof $ref !== 'string') return objectOf(value);
  const names = $ref.replace(/^#\//, '').split('/');
  const target = names.reduce((at: unknown, name) => objectOf(at)[name], document);
  return { ...objectOf(target), ...siblings };
}
