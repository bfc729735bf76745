import { isUtf8 } from 'node:buffer';
import { type DescField, type Message, ScalarType } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { visible } from '@supplier/lib/text/visible';

/** Path suffix after the name of a oneof: the content of the message that is set. */
export const DETAILS = 'details';

/** Shown for an empty value. */
export const EMPTY = '-';

const TIMESTAMP = 'google.protobuf.Timestamp';
const PENCE = /(?:^|_)pence$/;

/** Returns the displayed name of a field. Amounts are shown in pounds, so no label says pence. */
export const labelOf = (name: string): string => (name === 'pence' ? 'amount' : name.replace(PENCE, ''));
const POUNDS = /(?:_gbp|^(?:minimum_|maximum_)?funding_amount)$/;

/** Formats the value at a dotted path of a message for people: UTC times, £, words instead of constants. */
export function formatAt(message: Message, schema: ReflectMessage['desc'], path: string): string {
  let at = reflect(schema, message);
  const names = path.split('.');
  const choice = schema.oneofs.find(({ name }) => name === names[0]);
  if (choice) {
    const chosen = at.oneofCase(choice);
    return chosen ? (names[1] === DETAILS ? formatDetails(at, chosen) : chosen.name) : EMPTY;
  }
  for (const name of names.slice(0, -1)) {
    const field = fieldNamed(at, name);
    if (field.fieldKind !== 'message') throw new Error(`${path} is not a path: ${name} has no fields`);
    if (!at.isSet(field)) return EMPTY;
    at = at.get(field);
  }
  return formatField(at, fieldNamed(at, names.at(-1) ?? ''));
}

/** Formats the content of a message in a oneof on one line: `decision accepted, rule thresholds`. */
function formatDetails(message: ReflectMessage, chosen: DescField): string {
  if (chosen.fieldKind !== 'message') return formatField(message, chosen);
  const inside = message.get(chosen);
  const pairs = inside.fields.map((field) => [field.name, formatField(inside, field)] as const);
  return (
    pairs
      .filter(([, text]) => text !== EMPTY)
      .map((pair) => pair.join(' '))
      .join(', ') || EMPTY
  );
}

/** Formats a plain field, a list of plain values, or a time. */
export function formatField(message: ReflectMessage, field: DescField): string {
  switch (field.fieldKind) {
    case 'scalar':
      if (field.proto.proto3Optional && !message.isSet(field)) return EMPTY;
      return formatScalar(field, field.scalar, message.get(field));
    case 'enum':
      return formatEnum(field.enum, message.get(field) as number);
    case 'message':
      if (!message.isSet(field)) return EMPTY;
      return field.message.typeName === TIMESTAMP ? formatTime(message.get(field)) : 'set';
    case 'list':
      return formatList(message, field);
    case 'map':
      return `${message.get(field).size}`;
  }
}

function formatList(message: ReflectMessage, field: DescField & { fieldKind: 'list' }): string {
  const items = [...message.get(field)];
  if (items.length === 0) return EMPTY;
  switch (field.listKind) {
    case 'scalar':
      return items.map((item) => formatScalar(field, field.scalar, item)).join(', ');
    case 'enum':
      return items.map((item) => formatEnum(field.enum, item as number)).join(', ');
    case 'message':
      return `${items.length}`;
  }
}

function formatScalar(field: DescField, scalar: ScalarType, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (scalar === ScalarType.BYTES && value instanceof Uint8Array) return formatBytes(value);
  if (typeof value === 'string') return value === '' ? EMPTY : visible(value);
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
    if (PENCE.test(field.name)) return formatPence(BigInt(value));
    if (POUNDS.test(field.name)) return `£${BigInt(value).toLocaleString('en-GB')}`;
    return `${value}`;
  }
  return typeof value === 'number' ? `${Math.round(value * 10) / 10}` : String(value);
}

/** Formats bytes as text if they are UTF-8, otherwise as hex digits. */
function formatBytes(value: Uint8Array): string {
  if (value.length === 0) return EMPTY;
  const bytes = Buffer.from(value);
  return isUtf8(bytes) ? visible(bytes.toString('utf8')) : bytes.toString('hex');
}

function formatEnum(
  schema: { readonly value: Readonly<Record<number, Parameters<typeof spellEnumValue>[0]>> },
  number: number,
): string {
  if (number === 0) return EMPTY;
  const value = schema.value[number];
  // From a service that is newer than this command line.
  return value ? spellEnumValue(value) : `unknown (${number})`;
}

/** Formats pence as pounds: `£1,234.56`, `−£0.05`. */
export function formatPence(pence: bigint): string {
  const [sign, size] = pence < 0n ? ['−', -pence] : ['', pence];
  return `${sign}£${(size / 100n).toLocaleString('en-GB')}.${(size % 100n).toString().padStart(2, '0')}`;
}

/** Formats a time to the second, in UTC: `2026-11-20 09:30:00Z`. */
function formatTime(time: unknown): string {
  const seconds = reflectedSeconds(time);
  if (seconds === undefined) return EMPTY;
  const at = new Date(Number(seconds) * 1_000);
  return Number.isNaN(at.getTime()) ? `${seconds}` : `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

function reflectedSeconds(time: unknown): bigint | undefined {
  const message = (time as Partial<ReflectMessage>).message ?? time;
  const { seconds } = message as { readonly seconds?: bigint };
  return seconds;
}

function fieldNamed(message: ReflectMessage, name: string): DescField {
  const field = message.fields.find((candidate) => candidate.name === name);
  if (!field) throw new Error(`${message.desc.typeName} has no field ${name}`);
  return field;
}
