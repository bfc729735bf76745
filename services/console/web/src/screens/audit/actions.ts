import { auditedActions } from '@supplier/lib/rpc/staff-contracts';
import type { AuditSearch } from '../../searches.ts';

/** Returns what the actor of an entry did: "Viewed applicant details". Actions of other releases keep their names. */
export const didOf = (action: string): string => auditedActions.get(action)?.did ?? action;

/** The actions to choose from, in the order of the alphabet. */
export const ACTIONS = [...auditedActions]
  .map(([value, { did }]) => ({ value, label: did }))
  .toSorted((a, b) => a.label.localeCompare(b.label));

const DISCLOSING = [...auditedActions].flatMap(([name, { discloses }]) => (discloses ? [name] : []));

/** Returns the actions that the filters of the list leave; none for all. */
export const actionsFor = ({ action, views }: Pick<AuditSearch, 'action' | 'views'>): string[] =>
  views ? DISCLOSING : [...(action ?? [])];
