import type { BillingObject, StatusObject } from '../harness/schemas.ts';
import type { Environment } from '../harness/suppliers.ts';

export type Status = StatusObject['status'];
/** The category of a return. */
export type Reason = string;

/** What a decision compares. Equal numbers are equal values. */
export interface Customer {
  readonly company: number | null;
  readonly telephone: number;
  readonly email: number | null;
}

/** Findings that a supplier can state, with the reason of the return that each of them leads to. */
export const FINDINGS = {
  none: null,
  dissolved: 'company_dissolved_or_insolvent',
  judgments: 'outstanding_ccjs',
  adverse: 'adverse_credit_profile',
  overdue: 'weak_financial_position',
} as const satisfies Readonly<Record<string, Reason | null>>;
export type Finding = keyof typeof FINDINGS;

export interface Enquiry extends Customer {
  readonly level: StatusObject['level'];
  readonly businessName: string;
  readonly amount: number;
  readonly finding: Finding;
}

interface Played {
  readonly status: Status;
  /** Of the return that follows. */
  readonly reason: Reason | null;
}

/** The business names that the sandbox plays. */
export const PLAYED: Readonly<Record<string, Played>> = {
  'Sandbox Accept Ltd': { status: 'accepted', reason: null },
  'Sandbox Reject Ltd': { status: 'rejected', reason: null },
  'Sandbox Duplicate Ltd': { status: 'duplicate_not_accepted', reason: null },
  'Sandbox Pending Ltd': { status: 'received', reason: null },
  'Sandbox Return overdue_filings Ltd': { status: 'accepted', reason: 'overdue_filings' },
  'Sandbox PU Fail Ltd': { status: 'accepted', reason: 'pre_underwriting_criteria_not_met' },
};

export interface Terms {
  readonly billing: BillingObject['billing_model'];
  readonly decidedByStaff: boolean;
  readonly mintedOnPromotion: boolean;
  readonly failuresQueue: boolean;
  readonly minimumAmount: number | null;
  readonly dailyCap: number | null;
  readonly arrivalScreen: boolean;
  readonly documentFirst: boolean;
}

export interface Supplier {
  readonly environment: Environment;
  readonly terms: Terms;
  readonly isSuspended: boolean;
  /** Whether its webhook endpoint is enabled. */
  readonly listens: boolean;
  readonly accepted: number;
}

/** What a supplier sees, without ids and times. */
export interface View {
  readonly level: StatusObject['level'];
  readonly status: Status;
  readonly hasApplication: boolean;
  readonly billing: BillingObject['billing_status'];
  readonly notBillable: BillingObject['not_billable_reason'];
  readonly model: BillingObject['billing_model'];
  readonly returned: Reason | null;
  readonly handoff: boolean;
}

export type Change = 'decided' | 'billing' | 'returned' | 'handoff' | 'test';
export type Link = 'none' | 'works' | 'used' | 'ended';

export interface Submission extends Omit<View, 'handoff'> {
  readonly supplier: number;
  readonly enquiry: Enquiry;
  /** The supplier's terms at receipt. */
  readonly terms: Terms;
  /** What the sandbox plays because of the business name. */
  readonly played: Played | null;
  /** What later submissions are compared with once it is accepted: the enquiry, then a promotion. */
  readonly compared: readonly Customer[];
  readonly underwriting: 'none' | 'queued' | 'cleared' | 'failed';
  readonly contact: Pick<Customer, 'telephone' | 'email'>;
  readonly revision: number;
  readonly isHeld: boolean;
  readonly isErased: boolean;
  readonly handoff: Link;
  readonly arrival: Link;
  readonly events: readonly {
    readonly change: Change;
    readonly isDropped: boolean;
    readonly view: View;
  }[];
  readonly ledger: readonly ('charge' | 'credit')[];
}

export interface Promotion extends Customer {
  readonly finding: Finding;
}

export interface Correction {
  readonly expectedRevision: number;
  /** The new telephone number; null to prefer email instead. */
  readonly telephone: number | null;
}

export type FileContent = 'clean' | 'infected' | 'mistyped';

export interface Document {
  readonly submission: number;
  readonly content: FileContent;
  readonly state: 'reserved' | 'uploaded' | 'finalized';
}

export interface Approval {
  readonly state: 'waiting' | 'approved' | 'refused' | 'used';
  /** The decision and whether the requester made it. */
  readonly decision: { readonly approves: boolean; readonly isRequester: boolean } | null;
}

export interface State {
  readonly suppliers: readonly Supplier[];
  readonly submissions: readonly Submission[];
  /** The body of each idempotency key in use. */
  readonly keys: Readonly<Record<string, string>>;
  readonly documents: readonly Document[];
  readonly approvals: readonly Approval[];
}

/** What the service must answer, and the state that follows; unchanged after a refusal. */
export interface Outcome {
  readonly answer: string;
  readonly state: State;
  /** The submission as the response shows it, if that differs from the state that follows. */
  readonly response?: View;
}

export const submissionAt = ({ submissions }: Pick<State, 'submissions'>, at: number): Submission =>
  submissions[at]!;
export const supplierAt = ({ suppliers }: Pick<State, 'suppliers'>, at: number): Supplier => suppliers[at]!;

export const changed = (state: State, at: number, changes: Partial<Submission>): State => ({
  ...state,
  submissions: state.submissions.with(at, { ...submissionAt(state, at), ...changes }),
});
export const changedSupplier = (state: State, at: number, changes: Partial<Supplier>): State => ({
  ...state,
  suppliers: state.suppliers.with(at, { ...supplierAt(state, at), ...changes }),
});

export const viewOf = (s: Submission): View => {
  const { level, status, hasApplication, billing, notBillable, model, returned } = s;
  const handoff = s.handoff === 'works';
  return { level, status, hasApplication, billing, notBillable, model, returned, handoff };
};
