import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { type FieldCheck, fieldChecksOf } from './field-checks.ts';

export interface RuleViolation {
  /** Dotted proto field names; list items by index. */
  readonly path: string;
  readonly message: string;
}

const MAX_VIOLATIONS = 50;

/** Checks by message type, built on first use: contracts do not change while a process runs. */
const known = new Map<DescMessage, readonly FieldCheck[]>();

/** Checks a message against the `rules` in its proto and the known enum values. At most 50 violations. */
export function checkMessage<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): RuleViolation[] {
  const violations: RuleViolation[] = [];
  checkFields(schema, message, '', violations);
  return violations;
}

function checkFields(schema: DescMessage, message: object, prefix: string, found: RuleViolation[]): void {
  for (const { name, valueIn, problem, nested } of checksOf(schema)) {
    if (found.length >= MAX_VIOLATIONS) return;
    const value = valueIn(message);
    const wrong = problem(value);
    if (wrong) found.push({ path: prefix + name, message: wrong });
    descend(value, prefix + name, nested, found);
  }
}

function descend(value: unknown, path: string, nested: FieldCheck['nested'], found: RuleViolation[]): void {
  if (!nested || value === undefined) return;
  if (!Array.isArray(value)) {
    if (nested.schema && typeof value === 'object' && value !== null) {
      checkFields(nested.schema, value, `${path}.`, found);
    }
    return;
  }
  for (const [index, item] of value.entries()) {
    if (found.length >= MAX_VIOLATIONS) return;
    if (nested.schema) checkFields(nested.schema, item, `${path}.${index}.`, found);
    const wrong = nested.itemProblem?.(item);
    if (wrong) found.push({ path: `${path}.${index}`, message: wrong });
  }
}

function checksOf(schema: DescMessage): readonly FieldCheck[] {
  let checks = known.get(schema);
  if (!checks) {
    checks = fieldChecksOf(schema);
    known.set(schema, checks);
  }
  return checks;
}
