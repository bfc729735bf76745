import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '@supplier/lib/data/postgres';
import type { Comparison } from '@supplier/lib/governance/reconciliation';
import { invalid } from '@supplier/lib/rpc/refusal';
import { type AccountId, type EventId, newId, parseId, type SubmissionId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import { type BilledState, linesOf } from '../model/ledger.ts';
import { canRepair, FAULTS, type Fault, faultOf } from '../model/reconciliation.ts';
import { findLinesOf, listBilledSubmissions, NO_ID, postLines } from '../store/ledger.sql.ts';
import { LISTED_AT_ONCE } from '../submission-client.ts';
import { compareStatements, FIRST_STATEMENT, type StatementPosition } from './compare-statements.sql.ts';

const SETTLES_WITHIN_MS = 5_000;

type Sources = Pick<Context, 'clock' | 'pool' | 'listChanged' | 'listBilled'>;
type Part = Awaited<ReturnType<Comparison>>;
type Settle = () => Promise<unknown>;

interface Difference {
  readonly fault: Fault;
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  /** Absent for an unknown submission. */
  readonly state?: BilledState;
}

/**
 * Compares the ledger with the status that suppliers see, in both directions and part by part: changes, whose lines may
 * be missing; then all lines, whose submissions may not explain them; then all closed statements with their lines. A
 * repair posts missing lines; other differences need a person. Implements docs/contract.md, section 6.
 */
export function compareLedger(sources: Sources, settle: Settle = () => pause(SETTLES_WITHIN_MS)): Comparison {
  return async ({ span, at, repair }) => {
    const position = positionOf(at);
    switch (position.part) {
      case 'lines':
        return compareLines(sources, position.after, repair, settle);
      case 'statements':
        return compareStatements(sources, position.after);
      case 'changes': {
        const page = await sources.listChanged(span, at);
        const submissionIds = [...new Set(page.submissionIds)];
        // A later part compares the submissions that have lines.
        const find = (ids: readonly SubmissionId[]) => findDifferences(sources, ids, 'not_charged');
        const differences = await lasting(await find(submissionIds), find, settle);
        const next = page.next || `lines ${NO_ID}`;
        return partOf(sources, { compared: submissionIds.length, differences, next }, repair);
      }
    }
  };
}

/** The month of a statement as the database writes it: a planted one can be any date. */
const DATE_TEXT = /^(?:-?infinity|\d{4,7}-(?:0[1-9]|1[0-2])-01(?: BC)?)$/;

type Position =
  | { readonly part: 'changes' }
  | { readonly part: 'lines'; readonly after: SubmissionId }
  | { readonly part: 'statements'; readonly after: StatementPosition };

function positionOf(at: string): Position {
  const [part, id, ...text] = at.split(' ');
  if (part !== 'lines' && part !== 'statements') return { part: 'changes' };
  const after = parseId<SubmissionId & AccountId>(id ?? '');
  if (after && part === 'lines') return { part, after };
  const month = DATE_TEXT.exec(text.join(' '))?.[0];
  if (after && month && part === 'statements') return { part, after: { accountId: after, month } };
  throw invalid('resume_token', 'must be the resume_token of an earlier call to this service');
}

/** Compares the lines of the next 1,000 submissions that have any. */
async function compareLines(
  sources: Sources,
  after: SubmissionId,
  repair: boolean,
  settle: Settle,
): Promise<Part> {
  const ids = await listBilledSubmissions(sources.pool, after, LISTED_AT_ONCE);
  const find = (some: readonly SubmissionId[]) => findDifferences(sources, some);
  const found = await find(ids);
  // Only a credit can be in flight: a line is later than what explains it.
  const isLate = ({ fault }: Difference) => fault === 'not_credited';
  const differences = [
    ...found.filter((difference) => !isLate(difference)),
    ...(await lasting(found.filter(isLate), find, settle)),
  ];
  const last = ids.length < LISTED_AT_ONCE ? undefined : ids.at(-1);
  const next = last ? `lines ${last}` : `statements ${FIRST_STATEMENT.accountId} ${FIRST_STATEMENT.month}`;
  return partOf(sources, { compared: ids.length, differences, next }, repair);
}

/** Returns the differences that remain once events in flight have arrived. */
async function lasting(
  suspects: readonly Difference[],
  find: (ids: readonly SubmissionId[]) => Promise<Difference[]>,
  settle: Settle,
): Promise<Difference[]> {
  if (suspects.length === 0) return [];
  await settle();
  return find(suspects.map(({ submissionId }) => submissionId));
}

/** Reads lines before states, because a submission explains its lines before they are posted. */
async function findDifferences(
  { pool, clock, listBilled }: Sources,
  submissionIds: readonly SubmissionId[],
  only?: Fault,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (let from = 0; from < submissionIds.length; from += LISTED_AT_ONCE) {
    const some = submissionIds.slice(from, from + LISTED_AT_ONCE);
    const lines = await findLinesOf({ pool, clock }, some);
    const states = new Map((await listBilled(some)).map((state) => [state.submissionId, state]));
    for (const submissionId of some) {
      const [state, posted] = [states.get(submissionId), lines.get(submissionId) ?? []];
      const fault = faultOf(state, posted);
      const accountId = posted[0]?.accountId ?? state?.accountId;
      if (fault && accountId && fault === (only ?? fault))
        differences.push({ fault, submissionId, accountId, ...(state && { state }) });
    }
  }
  return differences;
}

interface Compared {
  readonly compared: number;
  readonly differences: readonly Difference[];
  readonly next: string;
}

async function partOf(
  sources: Sources,
  { compared, differences, next }: Compared,
  repair: boolean,
): Promise<Part> {
  const repaired = repair ? differences.filter(({ fault }) => canRepair(fault)) : [];
  await postMissingLines(sources, repaired);
  return {
    compared,
    differences: differences.map((difference) => ({
      what: difference.fault,
      target: difference.submissionId,
      accountId: difference.accountId,
      explanation: FAULTS[difference.fault],
      repaired: repaired.includes(difference),
    })),
    next,
  };
}

/** Posts the lines that the consumer should have posted; changes nothing if it has posted them in the meantime. */
async function postMissingLines({ pool }: Sources, differences: readonly Difference[]): Promise<void> {
  const states = differences.flatMap(({ state }) => state ?? []);
  const lines = linesOf(states.map((state) => ({ ...state, eventId: newId<EventId>() })));
  if (lines.length > 0) await inTransaction(pool, async (tx) => postLines(tx, lines));
}
