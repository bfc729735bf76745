import {
  type Approval,
  type Change,
  type Correction,
  type Customer,
  changed,
  changedSupplier,
  type Enquiry,
  FINDINGS,
  type FileContent,
  type Link,
  type Outcome,
  PLAYED,
  type Promotion,
  type Reason,
  type State,
  type Status,
  type Submission,
  submissionAt,
  supplierAt,
  viewOf,
} from './state.ts';

export const OK = 'ok';
export const WRONG_STATE = 'FailedPrecondition';
const WRONG_SUBMISSION = '422 validation_error submission_id';

const refused = (state: State, answer: string): Outcome => ({ answer, state });
/** A new reference: recorded, and decided unless staff decide. */
export function create(state: State, by: number, enquiry: Enquiry): Outcome {
  const { environment, terms } = supplierAt(state, by);
  const at = state.submissions.length;
  const isSandbox = environment === 'sandbox';
  const { level, company, telephone, email } = enquiry;
  const played = (isSandbox && PLAYED[enquiry.businessName]) || null;
  const received: Submission = {
    ...{ supplier: by, enquiry, terms, played, level, status: 'received', model: terms.billing },
    ...{ hasApplication: false, returned: null, underwriting: 'none', revision: 0 },
    billing: isSandbox ? 'not_billable' : 'pending',
    notBillable: isSandbox ? 'sandbox' : null,
    compared: played ? [] : [{ company, telephone, email }],
    contact: { telephone, email },
    ...{ isHeld: false, isErased: false, handoff: 'none', events: [], ledger: [] },
    arrival: level === 'application' && terms.arrivalScreen ? 'works' : 'none',
  };
  const recorded = { ...state, submissions: [...state.submissions, received] };
  const status = played?.status ?? (terms.decidedByStaff ? 'received' : policyOf(recorded, at));
  const next = status === 'received' ? recorded : decided(recorded, at, status);
  // An Application at level basic follows after the response.
  const shown = level === 'basic' && status !== 'received' ? withDecision(received, status, true) : received;
  return { answer: level === 'basic' ? '200' : '202', state: next, response: viewOf(shown) };
}

/** A suspended supplier is refused before anything else is looked at. */
export const bySupplier = (state: State, by: number, rule: () => Outcome): Outcome =>
  supplierAt(state, by).isSuspended ? refused(state, '403 forbidden') : rule();

/** A repeat of a create, with the same body or another. */
export function repeat(state: State, at: number, sameBody: boolean): Outcome {
  const isKnown = sameBody && !submissionAt(state, at).isErased;
  return refused(state, isKnown ? '200' : `409 external_reference_conflict #${at}`);
}

/** A read by id, which replaces a handoff link that no longer works. */
export function read(state: State, at: number): Outcome {
  const { status, handoff, isErased } = submissionAt(state, at);
  const isReplaced = handoff === 'used' && status === 'accepted' && !isErased;
  return { answer: '200', state: isReplaced ? changed(state, at, { handoff: 'works' }) : state };
}

function policyOf(state: State, at: number): Status {
  const { supplier, enquiry, terms } = submissionAt(state, at);
  const { minimumAmount, dailyCap } = terms;
  if (isDuplicate(state, at)) return 'duplicate_not_accepted';
  if (enquiry.finding === 'dissolved') return 'rejected';
  if (minimumAmount !== null && enquiry.amount < minimumAmount) return 'rejected';
  if (dailyCap !== null && supplierAt(state, supplier).accepted >= dailyCap) return 'rejected';
  return 'accepted';
}

/** Whether another submission of the same customer was accepted: in production of any supplier. */
function isDuplicate(state: State, at: number): boolean {
  const { supplier, compared } = submissionAt(state, at);
  const { environment } = supplierAt(state, supplier);
  const [own] = compared;
  return state.submissions.some(
    (other, place) =>
      own !== undefined &&
      place !== at &&
      (other.status === 'accepted' || other.status === 'returned') &&
      supplierAt(state, other.supplier).environment === environment &&
      (environment === 'production' || other.supplier === supplier) &&
      isSameCustomer(own, other.compared),
  );
}

function isSameCustomer(own: Customer, stated: readonly Customer[]): boolean {
  const companies = stated.map(({ company }) => company).filter((company) => company !== null);
  if (own.company !== null && companies.length > 0) return companies.includes(own.company);
  return stated.some(
    ({ telephone, email }) => telephone === own.telephone || (email !== null && email === own.email),
  );
}

function decided(state: State, at: number, status: Status): State {
  const submission = submissionAt(state, at);
  const { supplier, played, terms } = submission;
  const { accepted, listens } = supplierAt(state, supplier);
  const next = withDecision(submission, status, listens);
  if (status !== 'accepted') return changed(state, at, next);
  const counted = played ? state : changedSupplier(state, supplier, { accepted: accepted + 1 });
  if (next.level === 'application') return changed(counted, at, withReturn(next, reasonOf(next), listens));
  const waits = terms.mintedOnPromotion && !played?.reason;
  return changed(counted, at, waits ? next : minted(next, reasonOf(next), listens));
}

/** The decision, with an Application at level application. A failed pre-underwriting returns it after that. */
function withDecision(submission: Submission, status: Status, listens: boolean): Submission {
  const isAccepted = status === 'accepted';
  const hasHandoff = isAccepted && submission.terms.documentFirst;
  const next: Submission = { ...submission, status, handoff: hasHandoff ? 'works' : 'none' };
  const isMinted = isAccepted && submission.level === 'application';
  const assessed = isMinted ? underwritten({ ...next, hasApplication: true }, reasonOf(next)) : next;
  return notified(billed(assessed), hasHandoff ? 'handoff' : 'decided', listens);
}

/** The reason why the enquiry fails pre-underwriting. */
const reasonOf = ({ played, enquiry }: Submission): Reason | null =>
  played?.reason ?? FINDINGS[enquiry.finding];

function underwritten(submission: Submission, reason: Reason | null): Submission {
  const isQueued = submission.terms.failuresQueue && !submission.played?.reason;
  return { ...submission, underwriting: reason === null ? 'cleared' : isQueued ? 'queued' : 'failed' };
}

function minted(submission: Submission, reason: Reason | null, listens: boolean): Submission {
  const created = withBilling({ ...submission, hasApplication: true }, listens);
  const assessed = underwritten(created, reason);
  return assessed.underwriting === 'failed'
    ? withReturn(assessed, reason, listens)
    : withBilling(assessed, listens);
}

function withReturn(submission: Submission, reason: Reason | null, listens: boolean): Submission {
  return submission.underwriting === 'failed' && reason ? returned(submission, reason, listens) : submission;
}

const ends = (link: Link): Link => (link === 'works' ? 'ended' : link);

function returned(submission: Submission, reason: Reason, listens: boolean): Submission {
  const next: Submission = {
    ...submission,
    ...{ status: 'returned', returned: reason, underwriting: 'failed' },
    ...{ handoff: ends(submission.handoff), arrival: ends(submission.arrival) },
  };
  return notified(billed(next), 'returned', listens);
}

/** The billing state that follows from the rest, and the line that the ledger gets. */
function billed(submission: Submission): Submission {
  const { billing, status, notBillable, ledger } = submission;
  if (notBillable === 'sandbox') return submission;
  if (status === 'returned') {
    const credit = billing === 'billable' ? (['credit'] as const) : [];
    const lines = [...ledger, ...credit];
    return { ...submission, billing: 'not_billable', notBillable: 'returned', ledger: lines };
  }
  if (billing !== 'pending') return submission;
  if (status === 'rejected') return { ...submission, billing: 'not_billable', notBillable: 'rejected' };
  if (status === 'duplicate_not_accepted')
    return { ...submission, billing: 'not_billable', notBillable: 'duplicate' };
  const isBillable = {
    accepted_submission: status === 'accepted',
    application_created: submission.hasApplication,
    pre_underwriting_cleared: submission.underwriting === 'cleared',
  }[submission.model];
  return isBillable ? { ...submission, billing: 'billable', ledger: [...ledger, 'charge'] } : submission;
}

function withBilling(submission: Submission, listens: boolean): Submission {
  const next = billed(submission);
  return next.billing === submission.billing ? next : notified(next, 'billing', listens);
}

function notified(submission: Submission, change: Change, listens: boolean): Submission {
  const event = { change, isDropped: !listens, view: viewOf(submission) };
  return { ...submission, events: [...submission.events, event] };
}

const listensTo = (state: State, at: number): boolean =>
  supplierAt(state, submissionAt(state, at).supplier).listens;

export function decideByStaff(state: State, at: number, status: Status, acceptDuplicate: boolean): Outcome {
  if (acceptDuplicate && status !== 'accepted') return refused(state, 'InvalidArgument');
  if (submissionAt(state, at).status !== 'received') return refused(state, WRONG_STATE);
  if (status === 'accepted' && !acceptDuplicate && isDuplicate(state, at)) return refused(state, WRONG_STATE);
  return { answer: OK, state: decided(state, at, status) };
}

export function returnByStaff(state: State, at: number, reason: Reason): Outcome {
  const submission = submissionAt(state, at);
  if (submission.status !== 'accepted') return refused(state, WRONG_STATE);
  return { answer: OK, state: changed(state, at, returned(submission, reason, listensTo(state, at))) };
}

/** Clears a failed pre-underwriting that staff review, or returns it if there is a reason. */
export function review(state: State, at: number, reason: Reason | null): Outcome {
  const submission = submissionAt(state, at);
  if (submission.status !== 'accepted' || submission.underwriting !== 'queued')
    return refused(state, WRONG_STATE);
  const listens = listensTo(state, at);
  const next = reason
    ? returned(submission, reason, listens)
    : withBilling({ ...submission, underwriting: 'cleared' }, listens);
  return { answer: OK, state: changed(state, at, next) };
}

/** Ends the billing of an accepted submission that gets no Application. */
export function closeBilling(state: State, at: number): Outcome {
  const submission = submissionAt(state, at);
  const { status, billing, hasApplication } = submission;
  if (status !== 'accepted' || billing !== 'pending' || hasApplication) return refused(state, WRONG_STATE);
  const closed: Submission = { ...submission, billing: 'not_billable', notBillable: 'rejected' };
  return { answer: OK, state: changed(state, at, notified(closed, 'billing', listensTo(state, at))) };
}

export function testEvent(state: State, at: number): Outcome {
  const submission = submissionAt(state, at);
  if (!listensTo(state, at)) return refused(state, WRONG_STATE);
  return { answer: OK, state: changed(state, at, notified(submission, 'test', true)) };
}

/** What comes before the rules of an operation with an idempotency key; undefined if none applies. */
function claimed(state: State, at: number, key: string, body: string): Outcome | undefined {
  if (submissionAt(state, at).isErased) return refused(state, WRONG_SUBMISSION);
  const used = state.keys[key];
  if (used === undefined) return undefined;
  return refused(state, used === body ? '200' : '409 idempotency_conflict');
}

export function promote(state: State, at: number, key: string, promotion: Promotion): Outcome {
  const submission = submissionAt(state, at);
  const slot = `promotion ${submission.supplier} ${key}`;
  const body = JSON.stringify([at, promotion]);
  const before = claimed(state, at, slot, body);
  if (before) return before;
  const { level, status, hasApplication, notBillable, compared } = submission;
  if (level !== 'basic' || status !== 'accepted') return refused(state, WRONG_SUBMISSION);
  if (hasApplication) return refused(state, `409 concurrent_promotion #${at}`);
  if (notBillable === 'rejected') return refused(state, WRONG_SUBMISSION);
  const { finding, ...customer } = promotion;
  const listens = listensTo(state, at);
  const stated: Submission = {
    ...submission,
    contact: { telephone: customer.telephone, email: customer.email },
    // The sandbox's own names are never compared.
    compared: compared.length > 0 ? [...compared, customer] : [],
  };
  const response = viewOf(billed({ ...stated, hasApplication: true }));
  const next = minted(stated, FINDINGS[finding], listens);
  const keys = { ...state.keys, [slot]: body };
  return { answer: '200', state: { ...changed(state, at, next), keys }, response };
}

export function correct(state: State, at: number, key: string, correction: Correction): Outcome {
  const submission = submissionAt(state, at);
  const slot = `correction ${submission.supplier} ${key}`;
  const body = JSON.stringify([at, correction]);
  const before = claimed(state, at, slot, body);
  if (before) return before;
  const { level, status, revision, contact } = submission;
  if (level !== 'basic' || (status !== 'received' && status !== 'accepted'))
    return refused(state, WRONG_SUBMISSION);
  if (correction.expectedRevision !== revision) return refused(state, `409 revision_conflict ${revision}`);
  const { telephone } = correction;
  if (telephone === null && contact.email === null) return refused(state, '422 validation_error email');
  const corrected = { ...contact, telephone: telephone ?? contact.telephone };
  const next = changed(state, at, { contact: corrected, revision: revision + 1 });
  return { answer: '200', state: { ...next, keys: { ...state.keys, [slot]: body } } };
}

/** The button on a journey page, which uses the link once. */
export function useLink(state: State, at: number, kind: 'handoff' | 'arrival'): Outcome {
  const isWorking = submissionAt(state, at)[kind] === 'works';
  return isWorking
    ? { answer: '200', state: changed(state, at, { [kind]: 'used' }) }
    : refused(state, submissionAt(state, at).isErased ? '404' : '410');
}

export function hold(state: State, at: number, isHeld: boolean): Outcome {
  if (isHeld && submissionAt(state, at).isErased) return refused(state, WRONG_STATE);
  return { answer: OK, state: changed(state, at, { isHeld }) };
}

/** Erases the applicant. A submission that awaits staff is rejected. */
export function erase(state: State, at: number): Outcome {
  const { isHeld, status } = submissionAt(state, at);
  if (isHeld) return refused(state, WRONG_STATE);
  const ended = status === 'received' ? decided(state, at, 'rejected') : state;
  const { handoff, arrival } = submissionAt(ended, at);
  const links = { handoff: ends(handoff), arrival: ends(arrival) };
  return { answer: OK, state: changed(ended, at, { isErased: true, compared: [], ...links }) };
}

export function reserveUpload(state: State, at: number, content: FileContent): Outcome {
  if (submissionAt(state, at).isErased) return refused(state, '422 validation_error external_reference');
  const documents = [...state.documents, { submission: at, content, state: 'reserved' as const }];
  return { answer: '200', state: { ...state, documents } };
}

export const upload = (state: State, place: number): State => {
  const document = state.documents[place]!;
  return { ...state, documents: state.documents.with(place, { ...document, state: 'uploaded' }) };
};

export function finalize(state: State, place: number): Outcome {
  const document = state.documents[place]!;
  if (submissionAt(state, document.submission).isErased) return refused(state, '404 not_found');
  if (document.state === 'reserved') return refused(state, '422 validation_error document_id');
  const documents = state.documents.with(place, { ...document, state: 'finalized' });
  return { answer: '200', state: { ...state, documents } };
}

const withApproval = (state: State, place: number, changes: Partial<Approval>): Outcome => {
  const next = { ...state.approvals[place]!, ...changes };
  return { answer: OK, state: { ...state, approvals: state.approvals.with(place, next) } };
};

export const requestApproval = (state: State): Outcome => ({
  answer: OK,
  state: { ...state, approvals: [...state.approvals, { state: 'waiting', decision: null }] },
});

/** Only another person can approve a request, and anyone can refuse it. Repeating a decision changes nothing. */
export function decideApproval(
  state: State,
  place: number,
  approves: boolean,
  isRequester: boolean,
): Outcome {
  const { state: stage, decision } = state.approvals[place]!;
  if (approves && isRequester) return refused(state, 'PermissionDenied');
  if (decision?.approves === approves && decision.isRequester === isRequester) return refused(state, OK);
  if (stage !== 'waiting') return refused(state, WRONG_STATE);
  const next = approves ? 'approved' : 'refused';
  return withApproval(state, place, { state: next, decision: { approves, isRequester } });
}

/** The approved action: once, by the person who requested it, and as it was requested. */
export function useApproval(
  state: State,
  place: number,
  isRequester: boolean,
  isAsRequested: boolean,
): Outcome {
  if (!isRequester) return refused(state, 'PermissionDenied');
  if (state.approvals[place]!.state !== 'approved' || !isAsRequested) return refused(state, WRONG_STATE);
  return withApproval(state, place, { state: 'used' });
}
