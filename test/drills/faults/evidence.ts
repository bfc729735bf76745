/** What a run leaves behind: what clients, staff and receivers saw, and what the databases contain. Times are in ms since 1970. */
export interface Evidence {
  readonly accounts: readonly Account[];
  readonly requests: readonly ClientRequest[];
  readonly deliveries: readonly Delivery[];
  /** Webhooks without a status object: event ids. */
  readonly unreadable: readonly string[];
  readonly secrets: readonly SecretPeriod[];
  readonly erasures: readonly Erasure[];
  readonly statements: readonly StatementTotal[];
  readonly submissions: readonly Submission[];
  readonly applications: readonly Application[];
  readonly changes: readonly Change[];
  readonly ledger: readonly LedgerLine[];
  readonly events: readonly WebhookEvent[];
  /** Work left in each queue when recovery ended or was given up; empty queues are left out. */
  readonly queues: readonly { readonly name: string; readonly rows: number }[];
  /** Places outside sealed columns where an erased person's name was found. */
  readonly namesFound: readonly string[];
  /** Places where data of an erased or held submission's applicant is stored. */
  readonly traces: readonly { readonly submissionId: string; readonly place: string }[];
  readonly approvals: readonly UsedApproval[];
  /** The time that a sent request may take until its receiver sees it, and the difference between their clocks. */
  readonly inFlightMs: number;
}

export type Status = 'received' | 'accepted' | 'duplicate_not_accepted' | 'rejected' | 'returned';
export type BillingStatus = 'pending' | 'billable' | 'not_billable';

/** A supplier of the run. */
export interface Account {
  readonly id: string;
  /** The maximum number of accepted submissions per day; null without a cap. */
  readonly dailyCap: number | null;
  /** Whether a change of each submission is reported to its endpoint during the whole run. */
  readonly hasEndpoint: boolean;
}

/** A status object as a client or a receiver saw it. */
export interface SeenStatus {
  readonly submissionId: string;
  readonly reference: string;
  readonly status: Status;
  readonly billing: BillingStatus;
  readonly applicationReference: string | null;
}

/** One request of a supplier, with its response. */
export interface ClientRequest {
  readonly accountId: string;
  /** `changed` repeats a reference with another body; `invalid` fails validation. */
  readonly kind: 'create' | 'changed' | 'invalid' | 'read';
  readonly reference: string;
  /** The customer in the body; equal numbers match. */
  readonly customer: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** The HTTP status; 0 without a response. */
  readonly answer: number;
  readonly seen: SeenStatus | null;
}

/** One request at a receiver. */
export interface Delivery {
  readonly accountId: string;
  readonly eventId: string;
  readonly body: string;
  readonly seen: SeenStatus;
  readonly occurredAt: number;
  readonly at: number;
  /** The signing secrets that the signature matches. */
  readonly signedWith: readonly string[];
}

/** The time from the request for a secret until it was replaced. */
export interface SecretPeriod {
  readonly accountId: string;
  /** Empty while the outcome of a rotation is unknown. */
  readonly secret: string;
  readonly from: number;
  /** When the rotation that replaced it was confirmed; null for the last one. */
  readonly until: number | null;
}

/** An erasure request of staff. */
export interface Erasure {
  readonly submissionId: string;
  readonly held: boolean;
}

/** An approval of one erasure, used for another one. */
export interface UsedApproval {
  readonly approvedFor: string;
  readonly usedFor: string;
  readonly isAccepted: boolean;
}

/** A statement that staff read at the end. */
export interface StatementTotal {
  readonly accountId: string;
  readonly charges: number;
  readonly credits: number;
}

export interface Submission {
  readonly id: string;
  readonly accountId: string;
  readonly reference: string;
  readonly status: Status;
  readonly billing: BillingStatus;
  readonly receivedAt: number;
  readonly duplicateOf: string | null;
  readonly applicationReference: string | null;
  readonly version: number;
  readonly hasEnquiry: boolean;
}

export interface Application {
  readonly submissionId: string;
  readonly reference: string;
}

/** A domain event of a submission's status. */
export interface Change {
  readonly eventId: string;
  readonly submissionId: string;
  readonly accountId: string;
  readonly version: number;
  readonly status: Status;
  readonly billing: BillingStatus;
  readonly occurredAt: number;
}

export interface LedgerLine {
  readonly submissionId: string;
  readonly accountId: string;
  readonly kind: 'charge' | 'credit';
}

/** A webhook event as the webhook service recorded it. */
export interface WebhookEvent {
  readonly id: string;
  readonly submissionId: string;
  readonly occurredAt: number;
  readonly state: 'pending' | 'delivered' | 'exhausted' | 'superseded' | 'expired' | 'dropped';
  readonly supersededBy: string | null;
  readonly attempts: number;
}
