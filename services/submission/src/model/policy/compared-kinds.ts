import { parse } from '@bufbuild/cel';
import type { DescMessage } from '@bufbuild/protobuf';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { FactKind } from '@supplier/proto/submission/v1/timeline';
import type { Expr } from './check-condition.ts';
import { pathOf } from './explain-condition.ts';
import type { PolicyForm } from './policy.ts';
import { ENQUIRY_SIGHTS, type FieldSight, type KnownFactKind } from './seen-by-conditions.ts';

/**
 * Returns the kinds of facts that a condition compares, each once, in its order. They depend on the condition only, so
 * they disclose nothing about an applicant. The account's terms aren't facts.
 */
export function comparedKinds(condition: string, { factKinds }: Kinds): KnownFactKind[] {
  const { expr } = parse(condition);
  return expr ? [...new Set(kindsIn(expr, factKinds))] : [];
}

type Kinds = Pick<PolicyForm<unknown>, 'factKinds'>;

function kindsIn(part: Expr, factKinds: Kinds['factKinds']): KnownFactKind[] {
  const [root, ...fields] = pathOf(part)?.split('.') ?? [];
  const fact = factKinds[fields[0] ?? ''];
  if (root === 'facts' && fact) return [fact];
  if (root === 'enquiry') return kindsOf(ENQUIRY_SIGHTS, EnquirySchema, fields);
  return partsOf(part).flatMap((inner) => kindsIn(inner, factKinds));
}

/** Returns the kind of a field, or the kinds of all fields of a message. */
function kindsOf(
  sight: FieldSight | undefined,
  schema: DescMessage,
  [name, ...rest]: readonly string[],
): KnownFactKind[] {
  if (sight === 'label') return [FactKind.SUPPLIER_LABEL];
  if (typeof sight === 'number') return [sight];
  if (typeof sight !== 'object') return [];
  return schema.fields
    .filter((field) => name === undefined || field.name === name)
    .flatMap((field) => kindsOf(sight[field.localName], field.message ?? schema, rest));
}

function partsOf({ exprKind: { case: kind, value } }: Expr): Expr[] {
  switch (kind) {
    case 'selectExpr':
      return [value.operand].flatMap(present);
    case 'callExpr':
      return [value.target, ...value.args].flatMap(present);
    case 'listExpr':
      return value.elements;
    case 'comprehensionExpr':
      return [value.iterRange, value.accuInit, value.loopCondition, value.loopStep, value.result].flatMap(
        present,
      );
    default:
      return [];
  }
}

const present = (part: Expr | undefined): Expr[] => (part ? [part] : []);
