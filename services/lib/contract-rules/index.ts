import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { type FieldRules, rules } from '@supplier/proto/common/v1/options';
import { checkText } from './check-text.ts';

export interface RuleViolation {
  /** Dotted, in the field names of the proto; list items by index. */
  readonly path: string;
  readonly message: string;
}

const MAX_VIOLATIONS = 50;

/**
 * Checks a message, and all messages in it, against the `rules` that its proto declares. Enum values that the contract
 * does not know are violations too. Returns at most 50 violations, none for a good message.
 */
export function checkMessage<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): RuleViolation[] {
  const violations: RuleViolation[] = [];
  checkFields(reflect(schema, message as MessageShape<Desc> & Message), '', violations);
  return violations.slice(0, MAX_VIOLATIONS);
}

function checkFields(message: ReflectMessage, prefix: string, found: RuleViolation[]): void {
  for (const field of message.fields) {
    if (found.length >= MAX_VIOLATIONS) return;
    const path = prefix + field.name;
    const declared = hasOption(field, rules) ? getOption(field, rules) : undefined;
    const problem = declared ? checkField(message, field, declared) : undefined;
    if (problem) found.push({ path, message: problem });
    descend(message, field, path, found);
  }
}

function checkField(message: ReflectMessage, field: DescField, declared: FieldRules): string | undefined {
  const present = message.isSet(field);
  if (declared.required && !present) return 'is required';
  // Presence is tracked for messages and `optional` fields only: an absent one has nothing to check.
  if (!present && field.presence !== FeatureSet_FieldPresence.IMPLICIT) return undefined;
  switch (field.fieldKind) {
    case 'scalar':
      return checkScalar(message.get(field), declared);
    case 'list': {
      const size = message.get(field).size;
      return checkSize(size, declared, 'item');
    }
    case 'enum':
    case 'message':
    case 'map':
      return undefined;
  }
}

function checkScalar(value: unknown, declared: FieldRules): string | undefined {
  if (typeof value === 'string') return checkText(value, declared);
  if (typeof value === 'boolean') return declared.mustBeTrue && !value ? 'must be true' : undefined;
  if (value instanceof Uint8Array) return checkSize(value.byteLength, declared, 'byte');
  if (typeof value === 'number' || typeof value === 'bigint') {
    const { minimum, maximum } = declared;
    if (minimum === 0n && maximum === 0n) return undefined;
    return value < minimum || value > maximum ? `must be between ${minimum} and ${maximum}` : undefined;
  }
  return undefined;
}

function checkSize(size: number, { minItems, maxItems }: FieldRules, unit: string): string | undefined {
  if (size < minItems) return `must have at least ${minItems} ${unit}${minItems === 1 ? '' : 's'}`;
  if (maxItems > 0 && size > maxItems)
    return `must have at most ${maxItems} ${unit}${maxItems === 1 ? '' : 's'}`;
  return undefined;
}

function descend(message: ReflectMessage, field: DescField, path: string, found: RuleViolation[]): void {
  if (field.fieldKind === 'message' && message.isSet(field)) {
    if (!field.message.file.proto.package.startsWith('google.'))
      checkFields(message.get(field), `${path}.`, found);
  } else if (field.fieldKind === 'enum') {
    if (!isKnown(field, message.get(field))) found.push({ path, message: 'is not a known value' });
  } else if (field.fieldKind === 'list') {
    let index = 0;
    for (const item of message.get(field)) {
      if (found.length >= MAX_VIOLATIONS) return;
      if (field.listKind === 'message') checkFields(item as ReflectMessage, `${path}.${index}.`, found);
      if (field.listKind === 'enum' && (item === 0 || field.enum.value[item as number] === undefined)) {
        found.push({ path: `${path}.${index}`, message: 'is not a known value' });
      }
      index += 1;
    }
  }
}

function isKnown(field: DescField & { fieldKind: 'enum' }, value: unknown): boolean {
  return typeof value === 'number' && field.enum.value[value] !== undefined;
}
