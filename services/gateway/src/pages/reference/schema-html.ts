import type { JsonSchema } from '../../openapi/document-types.ts';
import { type Html, html, nothing } from './html.ts';

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** One field of an object, under its dotted path. */
interface Field {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** Every field of an object and of the objects in it, with its constraints, as a list of definitions. */
export function fieldList(schema: JsonSchema, schemas: Schemas): Html {
  return html`<dl>${fieldsOf(schema, schemas).map(fieldEntry)}</dl>${ruleOver(schema)}`;
}

function fieldEntry({ path, schema, required }: Field): Html {
  const must = required ? html` <span class="must">required</span>` : nothing;
  return html`<dt><code>${path}</code> <span class="quiet">${typeOf(schema)}</span>${must}</dt>
<dd>${schema.description ?? ''}${limitsOf(schema)}</dd>
`;
}

/** Depth first, in the schema's order. The shapes of the contract do not contain themselves. */
function fieldsOf(schema: JsonSchema, schemas: Schemas, prefix = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const shape = { ...resolve(property, schemas), ...property };
    const field = { path, schema: shape, required: required.includes(name) };
    const inner = shape.items ? resolve(shape.items, schemas) : shape;
    return [field, ...fieldsOf(inner, schemas, `${path}.`)];
  });
}

/** The schema itself, or the named one that it points to. */
export function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? schema);
}

function typeOf({ type = 'object', format, items }: JsonSchema): string {
  const types = [type].flat().join(' or ');
  if (items) return `array of ${[items.type ?? 'object'].flat().join(' or ')}`;
  return format === undefined ? types : `${types}, ${format}`;
}

/** The constraints that the type does not say, as words. */
export function limitsOf(schema: JsonSchema): Html {
  const limits = [...limitsIn(schema), ...(schema.items ? limitsIn(schema.items) : [])];
  return limits.length === 0 ? nothing : html`<br><span class="quiet">${limits.map(separate)}</span>`;
}

const separate = (limit: Html, at: number): Html => (at === 0 ? limit : html`; ${limit}`);

function limitsIn(schema: JsonSchema): Html[] {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems, pattern, format } =
    schema;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  return [
    ...(values ? [html`${values.length === 1 ? 'always' : 'one of'} ${values.map(valueCode)}`] : []),
    ...(maxLength === undefined ? [] : [html`${minLength ?? 0} to ${maxLength} characters`]),
    ...(minimum === undefined ? [] : [html`at least ${minimum}`]),
    ...(exclusiveMinimum === undefined ? [] : [html`greater than ${exclusiveMinimum}`]),
    ...(maximum === undefined ? [] : [html`at most ${maximum}`]),
    ...(minItems === undefined ? [] : [html`at least ${minItems} ${minItems === 1 ? 'item' : 'items'}`]),
    ...(maxItems === undefined ? [] : [html`at most ${maxItems} items`]),
    ...(pattern === undefined || format !== undefined ? [] : [html`pattern <code>${pattern}</code>`]),
  ];
}

const valueCode = (value: unknown, at: number): Html =>
  html`${at === 0 ? '' : ', '}<code>${value === null ? 'null' : String(value)}</code>`;

/** Rules over several fields are told in words by the operation; here only that there must be one of them. */
function ruleOver({ anyOf = [] }: JsonSchema): Html {
  const names = anyOf.flatMap(({ required = [] }) => required);
  return names.length === 0 ? nothing : html`<p>At least one of ${names.map(valueCode)} must be there.</p>`;
}
