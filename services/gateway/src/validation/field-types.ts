import Type from 'typebox';

/** Neither NUL nor half of a surrogate pair: PostgreSQL stores neither, and no receiver could read the latter. */
const STORABLE = '^[^\\u0000\\p{Cs}]*$';

/** What a field means, for the published reference; validation takes no notice of it. */
const meaning = (description: string | undefined) => (description === undefined ? {} : { description });

/** Text of `min` to `max` Unicode code points. */
export function text(min: number, max: number, description?: string) {
  return Type.String({ minLength: min, maxLength: max, pattern: STORABLE, ...meaning(description) });
}

/** A whole number within inclusive bounds; `1000.0` is one, `1000.5` and `"1000"` are not. */
export function whole(min: number, max: number, description?: string) {
  return Type.Integer({ minimum: min, maximum: max, ...meaning(description) });
}

/** One of a closed set of texts. */
export function oneOf<Values extends string[]>(values: readonly [...Values], description?: string) {
  return Type.Enum(values, meaning(description));
}

/** A boolean that the contract fixes to true. */
export function mustBeTrue(description?: string) {
  return Type.Literal(true, meaning(description));
}

/** A calendar-valid UTC timestamp that ends in `Z`, with an optional fraction of one to nine digits. */
export function timestamp(description?: string) {
  return Type.String({ format: 'utc-timestamp', ...meaning(description) });
}

/** A day that exists, YYYY-MM-DD. */
export function calendarDate(description?: string) {
  return Type.String({ format: 'calendar-date', ...meaning(description) });
}

/** A month that exists, YYYY-MM. */
export function calendarMonth(description?: string) {
  return Type.String({ format: 'calendar-month', ...meaning(description) });
}

/** A UUID of any version, in either case. */
export function uuid() {
  return Type.String({ format: 'uuid' });
}

/** The supplier's own name for a submission. */
export function externalReference() {
  return text(1, 128);
}

/** The supplier's name for one attempt at an operation, under which it may be repeated. */
export function operationIdempotencyKey() {
  return text(8, 128);
}

/** JSON Schema that an object has a property, to be a part of the rules of {@link closed}. */
export function having(property: string) {
  return { properties: { [property]: {} }, required: [property] };
}

/** An object that has no other properties than these; `rules` is JSON Schema on the object as a whole. */
export function closed<Properties extends Type.TProperties>(properties: Properties, rules: object = {}) {
  return Type.Object(properties, { ...rules, additionalProperties: false });
}
