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

/** One thing that an act states, changes or was judged by: `ApprovalLine` of the contract. */
export interface ActLine {
  readonly name: string;
  /** As it is; empty for nothing. Absent where nothing is replaced. */
  readonly before?: string;
  /** As it is to be; empty for nothing. Absent where the act changes nothing. */
  readonly after?: string;
}

/** Values by their names; empty for nothing. */
export type Spelled = Readonly<Record<string, string>>;

const TIMESTAMP = 'google.protobuf.Timestamp';

/**
 * Every value of a message by its path. An unset field is listed as empty, and an absent message like an empty one.
 * Lists count as sets: order and duplicates make no difference.
 */
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

/** Empty for no value; a value that only a later release knows is shown as its number. */
function spellEnum({ value }: DescEnum, number: unknown): string {
  const known = value[Number(number)];
  if (number === 0) return '';
  return known ? spellEnumValue(known) : `${number}`;
}

/** What a request says, each beside what it replaces, where `before` has that. */
export function requestLines(stated: Spelled, before: Spelled): ActLine[] {
  return Object.entries(stated)
    .map(([name, after]) => ({ name, ...(name in before && { before: before[name] ?? '' }), after }))
    .filter(({ before: was = '', after }) => was !== '' || after !== '');
}

/** What an act was judged by and does not change. */
export const factLines = (facts: Spelled): ActLine[] =>
  Object.entries(facts).map(([name, before]) => ({ name, before }));

/** SHA-256 of what is to be done and of everything that it was judged by; hexadecimal. */
export function digestOf(action: string, lines: readonly ActLine[]): string {
  const whole = lines.map(({ name, before, after }) => [name, before ?? null, after ?? null]);
  return createHash('sha256')
    .update(JSON.stringify([action, whole]))
    .digest('hex');
}

/**
 * Names of what differs between two acts: values that are set differently although they replace the same ones, and
 * facts that the acts were judged by.
 */
export function differences(
  approved: readonly ActLine[],
  asked: readonly ActLine[],
): { readonly done: readonly string[]; readonly upon: readonly string[] } {
  const names = [...new Set([...approved, ...asked].map(({ name }) => name))];
  const at = (lines: readonly ActLine[], name: string) => lines.find((line) => line.name === name);
  const differs = (name: string, part: 'before' | 'after') =>
    at(approved, name)?.[part] !== at(asked, name)?.[part];
  const upon = names.filter((name) => differs(name, 'before'));
  return { upon, done: names.filter((name) => differs(name, 'after') && !upon.includes(name)) };
}
