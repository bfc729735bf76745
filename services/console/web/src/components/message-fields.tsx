import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { visible } from '@supplier/lib/text/visible';
import type { ReactNode } from 'react';
import { capitalize, enumLabel, formatTime, spaced } from '../format.ts';
import { Facts } from './facts.tsx';

/** Shows all set fields of a message, with the contract's names in words. */
export const MessageFields = ({
  schema,
  message,
}: {
  readonly schema: DescMessage;
  readonly message: Message;
}) => <Fields of={reflect(schema, message)} />;

const Fields = ({ of }: { readonly of: ReflectMessage }) => (
  <Facts
    facts={of.fields
      .filter((field) => of.isSet(field))
      .map((field) => [nameOf(field), ofField(field, of), hasFields(field)] as const)}
  />
);

/** Amounts are whole pounds. The currency is beside the number. */
const isAmount = ({ name, fieldKind }: DescField) => fieldKind === 'scalar' && /_(gbp|amount)$/.test(name);
const nameOf = ({ name }: DescField) => capitalize(spaced(name.replace(/_gbp$/, '')));

/** Whether a value is a list of fields, which needs the whole width. */
const hasFields = ({ message }: DescField) =>
  message !== undefined && message.typeName !== TimestampSchema.typeName;

function ofField(field: DescField, of: ReflectMessage): ReactNode {
  switch (field.fieldKind) {
    case 'scalar':
      return `${isAmount(field) ? '£' : ''}${inWords(of.get(field))}`;
    case 'enum':
      return enumLabel(field.enum, of.get(field));
    case 'message':
      return ofMessage(of.get(field));
    case 'list':
      return (
        <ul className="items">
          {[...of.get(field)].map((item, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what a list holds has no id, and stays as it is
            <li key={place}>{ofItem(field, item)}</li>
          ))}
        </ul>
      );
    case 'map':
      throw new Error(`cannot show ${field.name}: it is a map`);
  }
}

function ofItem(field: DescField & { fieldKind: 'list' }, item: unknown): ReactNode {
  if (field.listKind === 'message') return ofMessage(item as ReflectMessage);
  return field.listKind === 'enum' ? enumLabel(field.enum, item as number) : inWords(item);
}

const ofMessage = (of: ReflectMessage): ReactNode =>
  of.desc.typeName === TimestampSchema.typeName ? formatTime(of.message as Timestamp) : <Fields of={of} />;

const inWords = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number' || typeof value === 'bigint') return value.toLocaleString('en-GB');
  return visible(String(value));
};
