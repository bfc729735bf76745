import { Environment, ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import type { DecidedStatus } from './policy/decision-policy.ts';

/** The sandbox simulation selected by a business name. */
export type Simulation =
  | { readonly kind: 'decide'; readonly status: DecidedStatus }
  | { readonly kind: 'await-staff' }
  | { readonly kind: 'return'; readonly category: ReturnReasonCategory }
  | { readonly kind: 'unavailable' };

const RETURN_CATEGORIES = {
  company_dissolved_or_insolvent: ReturnReasonCategory.COMPANY_DISSOLVED_OR_INSOLVENT,
  outstanding_ccjs: ReturnReasonCategory.OUTSTANDING_CCJS,
  adverse_credit_profile: ReturnReasonCategory.ADVERSE_CREDIT_PROFILE,
  weak_financial_position: ReturnReasonCategory.WEAK_FINANCIAL_POSITION,
  overdue_filings: ReturnReasonCategory.OVERDUE_FILINGS,
  pre_underwriting_criteria_not_met: ReturnReasonCategory.PRE_UNDERWRITING_CRITERIA_NOT_MET,
};

const SIMULATIONS: ReadonlyMap<string, Simulation> = new Map<string, Simulation>([
  ['Sandbox Accept Ltd', { kind: 'decide', status: Status.ACCEPTED }],
  ['Sandbox Reject Ltd', { kind: 'decide', status: Status.REJECTED }],
  ['Sandbox Duplicate Ltd', { kind: 'decide', status: Status.DUPLICATE_NOT_ACCEPTED }],
  ['Sandbox Pending Ltd', { kind: 'await-staff' }],
  [
    'Sandbox PU Fail Ltd',
    { kind: 'return', category: ReturnReasonCategory.PRE_UNDERWRITING_CRITERIA_NOT_MET },
  ],
  ['Sandbox Unavailable Ltd', { kind: 'unavailable' }],
  ...Object.entries(RETURN_CATEGORIES).map(([name, category]): [string, Simulation] => [
    `Sandbox Return ${name} Ltd`,
    { kind: 'return', category },
  ]),
]);

/** Returns the simulation for a business name; undefined in production and for any other name. */
export function simulationOf(
  environment: Environment,
  businessName: string | undefined,
): Simulation | undefined {
  return environment === Environment.SANDBOX && businessName !== undefined
    ? SIMULATIONS.get(businessName)
    : undefined;
}
