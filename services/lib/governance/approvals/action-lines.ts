import { createHash } from 'node:crypto';
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { spellEnumValue } from '../../text/enum-spelling/index.ts';

/** One value that an act states or changes, or a fact it was judged by: `ApprovalLine` of the contract. */
export interface ActionLine {
  readonly name: string;
  /** The current value; empty for none. Absent if nothing is replaced. */
  readonly before?: string;
  /** The new value; empty for none. Absent if the act changes nothing. */
  readonly after?: string;
}

/** Values by name; empty for none. */
export type Spelled = Readonly<Record<string, string>>;

const TIMESTAMP = 'google.protobuf.Timestamp';

/** Returns every value of a message by path, empty if unset. Lists count as sets. */
export function spelled<Schema extends DescMessage>(
  schema: Schema,
  message: MessageShape<Schema>,
  prefix = '',
): Spelled {
  return Object.fromEntries(valuesOf(reflect<DescMessage>(schema, message), prefix));
}

function valuesOf(message: ReflectMessage, prefix: string): (readonly [string, string])[] {
  return message.fields.flatMap((field) => {
    const name = `${prefix}${field.name}`;
    if (field.fieldKind === 'message' && field.message.typeName !== TIMESTAMP)
      return valuesOf(message.get(field), `${name}.`);
    return [[name, spellField(message, field)] as const];
  });
}

function spellField(message: ReflectMessage, field: DescField): string {
  switch (field.fieldKind) {
    case 'enum':
      return spellEnum(field.enum, message.get(field));
    case 'scalar':
      return field.proto.proto3Optional && !message.isSet(field) ? '' : `${message.get(field)}`;
    case 'message': {
      if (!message.isSet(field)) return '';
      const { desc, message: time } = message.get(field);
      return String(toJson(desc, time));
    }
    case 'list': {
      if (field.listKind === 'message')
        throw new Error(`${field.name}: a list of messages cannot be approved`);
      const items = [...message.get(field)].map((item) =>
        field.listKind === 'enum' ? spellEnum(field.enum, item) : `${item}`,
      );
      return [...new Set(items)].sort().join(', ');
    }
    case 'map':
      throw new Error(`${field.name}: a map cannot be approved`);
  }
}

/** Returns empty text for no value, and the number for a value that only a later release knows. */
function spellEnum({ value }: DescEnum, number: unknown): string {
  const known = value[Number(number)];
  if (number === 0) return '';
  return known ? spellEnumValue(known) : `${number}`;
}

/** Returns the values of a request, each with the value it replaces if `before` contains one. */
export function requestLines(stated: Spelled, before: Spelled): ActionLine[] {
  return Object.entries(stated)
    .map(([name, after]) => ({ name, ...(name in before && { before: before[name] ?? '' }), after }))
    .filter(({ before: was = '', after }) => was !== '' || after !== '');
}

/** Returns lines for facts that an act was judged by but does not change. */
export const factLines = (facts: Spelled): ActionLine[] =>
  Object.entries(facts).map(([name, before]) => ({ name, before }));

/** Returns the SHA-256, in hexadecimal, of the act and everything that it was judged by. */
export function digestOf(action: string, lines: readonly ActionLine[]): string {
  const whole = lines.map(({ name, before, after }) => [name, before ?? null, after ?? null]);
  return createHash('sha256')
    .update(JSON.stringify([action, whole]))
    .digest('hex');
}

/** Returns the names that two acts set differently, and the facts they were judged by that differ. */
export function differences(
  approved: readonly ActionLine[],
  asked: readonly ActionLine[],
): { readonly done: readonly string[]; readonly upon: readonly string[] } {
  const names = [...new Set([...approved, ...asked].map(({ name }) => name))];
  const at = (lines: readonly ActionLine[], name: string) => lines.find((line) => line.name === name);
  const differs = (name: string, part: 'before' | 'after') =>
    at(approved, name)?.[part] !== at(asked, name)?.[part];
  const upon = names.filter((name) => differs(name, 'before'));
  return { upon, done: names.filter((name) => differs(name, 'after') && !upon.includes(name)) };
}
