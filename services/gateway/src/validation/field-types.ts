import Type from 'typebox';

/** Neither NUL nor an unpaired surrogate: PostgreSQL stores neither, and no receiver can read the latter. */
const STORABLE = '^[^\\u0000\\p{Cs}]*$';

/** Returns a field's description for the published reference; validation ignores it. */
const meaning = (description: string | undefined) => (description === undefined ? {} : { description });

/** Defines text of `min` to `max` Unicode code points. */
export function text(min: number, max: number, description?: string) {
  return Type.String({ minLength: min, maxLength: max, pattern: STORABLE, ...meaning(description) });
}

/** Defines a whole number within inclusive bounds; `1000.0` is valid, `1000.5` and `"1000"` are not. */
export function whole(min: number, max: number, description?: string) {
  return Type.Integer({ minimum: min, maximum: max, ...meaning(description) });
}

/** Defines one of a closed set of texts. */
export function oneOf<Values extends string[]>(values: readonly [...Values], description?: string) {
  return Type.Enum(values, meaning(description));
}

/** Defines a boolean that the contract fixes to true. */
export function mustBeTrue(description?: string) {
  return Type.Literal(true, meaning(description));
}

/** Defines a valid UTC timestamp that ends in `Z`, with an optional fraction of one to nine digits. */
export function timestamp(description?: string) {
  return Type.String({ format: 'utc-timestamp', ...meaning(description) });
}

/** Defines an existing day, YYYY-MM-DD. */
export function calendarDate(description?: string) {
  return Type.String({ format: 'calendar-date', ...meaning(description) });
}

/** Defines an existing month, YYYY-MM. */
export function calendarMonth(description?: string) {
  return Type.String({ format: 'calendar-month', ...meaning(description) });
}

/** Defines a UUID of any version, in either case. */
export function uuid() {
  return Type.String({ format: 'uuid' });
}

/** Defines the supplier's own name for a submission. */
export function externalReference() {
  return text(1, 128);
}

/** Defines the supplier's key for one attempt at an operation, under which it can be repeated. */
export function operationIdempotencyKey() {
  return text(8, 128);
}

/** Returns a JSON Schema that requires a property, for the rules of {@link closed}. */
export function having(property: string) {
  return { properties: { [property]: {} }, required: [property] };
}

/** Defines an object without any other properties; `rules` is JSON Schema for the object as a whole. */
export function closed<Properties extends Type.TProperties>(properties: Properties, rules: object = {}) {
  return Type.Object(properties, { ...rules, additionalProperties: false });
}
