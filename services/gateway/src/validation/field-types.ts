import Type from 'typebox';

/** Neither NUL nor half of a surrogate pair: PostgreSQL stores neither, and no receiver could read the latter. */
const STORABLE = '^[^\\u0000\\p{Cs}]*$';

/** Text of `least` to `most` Unicode code points. */
export function text(least: number, most: number) {
  return Type.String({ minLength: least, maxLength: most, pattern: STORABLE });
}

/** A whole number within inclusive bounds; `1000.0` is one, `1000.5` and `"1000"` are not. */
export function whole(least: number, most: number) {
  return Type.Integer({ minimum: least, maximum: most });
}

/** One of a closed set of texts. */
export function oneOf<Values extends string[]>(values: readonly [...Values]) {
  return Type.Enum(values);
}

/** A boolean that the contract fixes to true. */
export function mustBeTrue() {
  return Type.Literal(true);
}

/** A calendar-valid UTC timestamp that ends in `Z`, with an optional fraction of one to nine digits. */
export function timestamp() {
  return Type.String({ format: 'utc-timestamp' });
}

/** A day that exists, YYYY-MM-DD. */
export function calendarDate() {
  return Type.String({ format: 'calendar-date' });
}

/** A month that exists, YYYY-MM. */
export function calendarMonth() {
  return Type.String({ format: 'calendar-month' });
}

/** A UUID of any version, in either case. */
export function uuid() {
  return Type.String({ format: 'uuid' });
}

/** JSON Schema that an object has a property, to be a part of the rules of {@link closed}. */
export function having(property: string) {
  return { properties: { [property]: {} }, required: [property] };
}

/** An object that has no other properties than these; `rules` is JSON Schema on how they depend on one another. */
export function closed<Properties extends Type.TProperties>(properties: Properties, rules: object = {}) {
  return Type.Object(properties, { ...rules, additionalProperties: false });
}
