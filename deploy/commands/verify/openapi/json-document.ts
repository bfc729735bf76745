/** A JSON object, read with care: nothing is known of what is inside. */
export type Json = Readonly<Record<string, unknown>>;

/** The two documents that are compared. */
export interface Documents {
  readonly oldDocument: unknown;
  readonly newDocument: unknown;
}

/** The value as an object; an empty one when it is none. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What a `$ref` points to within the document, or the value itself when it is none. */
export function resolved(value: unknown, document: unknown): Json {
  const { $ref, ...siblings } = objectOf(value);
  if (typeof $ref !== 'string') return objectOf(value);
  const names = $ref.replace(/^#\//, '').split('/');
  const target = names.reduce((at: unknown, name) => objectOf(at)[name], document);
  return { ...objectOf(target), ...siblings };
}
