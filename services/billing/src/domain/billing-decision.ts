/** Whether a lead is charged for, as the supplier reads it. */
export type BillingStatus = 'pending' | 'billable' | 'not_billable';

/** What has to happen before a lead is charged for. The account's, copied when the submission was received. */
export type BillingModel = 'accepted_submission' | 'application_created' | 'pre_underwriting_cleared';

export type NotBillableReason = 'duplicate' | 'rejected' | 'sandbox' | 'returned';

export type Environment = 'sandbox' | 'production';

export type EntryKind = 'charge' | 'credit';

/** Something that happened to a submission and that billing may care about. */
export type FactKind = BillingTrigger | 'rejected' | 'duplicate' | 'returned' | 'closed' | 'ended_by_staff';

/** The facts of which one, chosen by the billing model, makes a lead billable. */
export type BillingTrigger = 'accepted' | 'application_created' | 'pre_underwriting_cleared';

/** A fact and when it came about. */
export interface LeadFact {
  readonly kind: FactKind;
  readonly at: Date;
}

/** The billing state of one lead. `billableAt` is set exactly when billable, the reason exactly when not billable. */
export interface BillingState {
  readonly billingStatus: BillingStatus;
  readonly billableAt: Date | null;
  readonly notBillableReason: NotBillableReason | null;
}

/** One move of a lead: its new state, the ledger line that goes with it, and whether BillingChanged is emitted. */
export interface BillingMove {
  readonly state: BillingState;
  readonly entry: LineOfMove | null;
  readonly emit: boolean;
}

/** The ledger line of a move. `pricedAt` is the time whose price it has: a credit has that of the charge it takes back. */
export interface LineOfMove {
  readonly kind: EntryKind;
  readonly occurredAt: Date;
  readonly pricedAt: Date;
}

/** The fact that makes a lead billable under each model. */
const BILLABLE_WHEN: Readonly<Record<BillingModel, BillingTrigger>> = {
  accepted_submission: 'accepted',
  application_created: 'application_created',
  pre_underwriting_cleared: 'pre_underwriting_cleared',
};

/**
 * Every move there is. A state that is not listed for a fact does not move, so each move happens once and a late event
 * of an earlier stage changes nothing. The submission service shows the new billing state of a lead that it returns at
 * once: that move is entered in the ledger and nothing is emitted.
 */
const MOVES: readonly Move[] = [
  { from: 'pending', when: 'billing_trigger', to: 'billable', entry: 'charge', emit: true },
  { from: 'pending', when: 'rejected', to: 'rejected', entry: null, emit: true },
  { from: 'pending', when: 'duplicate', to: 'duplicate', entry: null, emit: true },
  // Its Application was not cleared, too late for a return: what its model waits for will not come.
  { from: 'pending', when: 'trigger_lost', to: 'rejected', entry: null, emit: true },
  // Its Application never came, and staff have stopped waiting for it.
  { from: 'pending', when: 'ended_by_staff', to: 'rejected', entry: null, emit: true },
  { from: 'pending', when: 'returned', to: 'returned', entry: null, emit: false },
  { from: 'billable', when: 'returned', to: 'returned', entry: 'credit', emit: false },
];

interface Move {
  readonly from: BillingStatus;
  readonly when: 'billing_trigger' | 'trigger_lost' | Exclude<FactKind, BillingTrigger | 'closed'>;
  readonly to: 'billable' | NotBillableReason;
  readonly entry: EntryKind | null;
  readonly emit: boolean;
}

/**
 * The state of a lead that nothing has happened to yet. A sandbox lead is never billable and never moves.
 * Implements docs/contract.md, section 6.
 */
export function openingState(environment: Environment): BillingState {
  return environment === 'sandbox'
    ? notBillable('sandbox')
    : { billingStatus: 'pending', billableAt: null, notBillableReason: null };
}

/**
 * The move that `fact` causes, or undefined when it causes none. Facts may come in any order and more than once: a
 * lead is charged for at most once, credited only after a charge, and never charged for after a return.
 * Implements docs/contract.md, section 6.
 */
export function decideBilling(
  model: BillingModel,
  state: BillingState,
  fact: LeadFact,
): BillingMove | undefined {
  const when = fact.kind === BILLABLE_WHEN[model] ? 'billing_trigger' : lossOf(model, fact.kind);
  const move = MOVES.find((candidate) => candidate.from === state.billingStatus && candidate.when === when);
  if (!move) return undefined;
  return {
    state: move.to === 'billable' ? billable(fact.at) : notBillable(move.to),
    // A billable lead became so when it was charged for.
    entry: move.entry
      ? { kind: move.entry, occurredAt: fact.at, pricedAt: state.billableAt ?? fact.at }
      : null,
    emit: move.emit,
  };
}

/** A lead that was closed is billed for what had happened before, under the models that wait for that. */
function lossOf(model: BillingModel, kind: FactKind) {
  return kind === 'closed' && model === 'pre_underwriting_cleared' ? 'trigger_lost' : kind;
}

/** Whether the move to `state` emitted BillingChanged. */
export function isEmitted({ billingStatus, notBillableReason }: BillingState): boolean {
  const reached = notBillableReason ?? billingStatus;
  return MOVES.some(({ to, emit }) => emit && to === reached);
}

function billable(at: Date): BillingState {
  return { billingStatus: 'billable', billableAt: at, notBillableReason: null };
}

function notBillable(reason: NotBillableReason): BillingState {
  return { billingStatus: 'not_billable', billableAt: null, notBillableReason: reason };
}
