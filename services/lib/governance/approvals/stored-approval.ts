import { ApprovalState } from '@supplier/proto/approval/v1/approval';
import type { SqlSession } from '../../data/postgres/index.ts';
import type { Caller } from '../../rpc/rpc-server/index.ts';
import type { ActionLine } from './action-lines.ts';

export interface StoredApproval {
  readonly sequence: string;
  readonly id: string;
  readonly action: string;
  readonly target: string;
  /** The act's request as JSON. */
  readonly arguments: string;
  readonly purpose: string;
  readonly requested_by: string;
  readonly requested_issuer: string;
  readonly requested_at: Date;
  readonly expires_at: Date;
  readonly decided_by: string | null;
  readonly decided_issuer: string | null;
  readonly decided_at: Date | null;
  /** Null unless it was refused. */
  readonly refusal_reason: string | null;
  readonly used_at: Date | null;
  /** Why the act requires approval. */
  readonly reasons: readonly string[];
  /** The act's lines as JSON; null in a list if they are long. */
  readonly lines: string | null;
  /** The digest of the lines. */
  readonly sha256: string;
}

/** The columns that are empty in a new request. */
type Outcome = 'decided_by' | 'decided_issuer' | 'decided_at' | 'refusal_reason' | 'used_at';
type Person = Pick<Caller, 'subject' | 'issuer'>;

/** Returns whether a person requested the approval: the same subject and issuer mean the same person. */
export const isRequester = (row: StoredApproval, { subject, issuer }: Person): boolean =>
  row.requested_by === subject && row.requested_issuer === issuer;

/** Returns the whole act, line by line; empty if a list omits it. */
export const linesOf = ({ lines }: Pick<StoredApproval, 'lines'>): readonly ActionLine[] =>
  lines === null ? [] : JSON.parse(lines);

const MAX_LISTED = 5_000;
/** Lists omit an act's lines above this size, which bounds the size of a page. */
const MAX_LISTED_LINES = 16_384;
const COLUMNS_BUT_LINES = `sequence::text, id::text, action, target, arguments, purpose, requested_by, requested_issuer,
  requested_at, expires_at, decided_by, decided_issuer, decided_at, refusal_reason, used_at, reasons, sha256`;
const COLUMNS = `${COLUMNS_BUT_LINES}, lines`;
const INSERTED = `id, action, target, arguments, purpose, requested_by, requested_issuer, requested_at, expires_at,
  reasons, lines, sha256`;
const LISTED = `${COLUMNS_BUT_LINES},
  CASE WHEN octet_length(lines) <= ${MAX_LISTED_LINES} THEN lines END AS lines`;

export async function insertApproval(
  session: SqlSession,
  row: Omit<StoredApproval, 'sequence' | Outcome | 'lines'> & { readonly lines: readonly ActionLine[] },
): Promise<StoredApproval> {
  const {
    rows: [inserted],
  } = await session.query<StoredApproval>(
    `INSERT INTO approval (${INSERTED}) SELECT ${INSERTED} FROM jsonb_to_record($1::jsonb) AS g(
       id uuid, action text, target text, arguments text, purpose text, requested_by text, requested_issuer text,
       requested_at timestamptz, expires_at timestamptz, reasons text[], lines text, sha256 text)
     RETURNING ${COLUMNS}`,
    [JSON.stringify({ ...row, lines: JSON.stringify(row.lines) })],
  );
  if (!inserted) throw new Error('invariant violated: the approval that was inserted is not there');
  return inserted;
}

/** Returns an approval, without locking it. */
export async function findApproval(session: SqlSession, id: string): Promise<StoredApproval | undefined> {
  const { rows } = await session.query<StoredApproval>(
    `SELECT ${COLUMNS} FROM approval WHERE id = $1::uuid`,
    [id],
  );
  return rows[0];
}

/** Locks an approval until the transaction ends, so that of two simultaneous uses the second sees the first. */
export async function lockApproval(session: SqlSession, id: string): Promise<StoredApproval | undefined> {
  const { rows } = await session.query<StoredApproval>(
    `SELECT ${COLUMNS} FROM approval WHERE id = $1::uuid FOR UPDATE`,
    [id],
  );
  return rows[0];
}

/** Approves a locked request, or refuses it if a reason is given. */
export async function decideApproval(
  session: SqlSession,
  id: string,
  { by, at, refusal }: { readonly by: Person; readonly at: Date; readonly refusal?: string | undefined },
): Promise<StoredApproval> {
  const {
    rows: [row],
  } = await session.query<StoredApproval>(
    `UPDATE approval SET decided_by = $2, decided_issuer = $3, decided_at = $4::timestamptz,
            refusal_reason = nullif($5, '') WHERE id = $1::uuid RETURNING ${COLUMNS}`,
    [id, by.subject, by.issuer, at.toISOString(), refusal ?? ''],
  );
  if (!row) throw new Error('invariant violated: the approval that is decided is not there');
  return row;
}

export async function markUsed(session: SqlSession, id: string, at: Date): Promise<void> {
  await session.query('UPDATE approval SET used_at = $2::timestamptz WHERE id = $1::uuid', [
    id,
    at.toISOString(),
  ]);
}

/** A position in the list: pending approvals first, then newest first. */
export interface ApprovalPlace {
  readonly waits: boolean;
  readonly sequence: bigint;
}

/** Returns at most `limit` of the latest 5,000 approvals, after a position. An unspecified state matches all. */
export async function listApprovals(
  session: SqlSession,
  {
    now,
    state,
    after,
    limit,
  }: { now: Date; state: ApprovalState; after: ApprovalPlace | undefined; limit: number },
): Promise<(StoredApproval & { readonly waits: boolean })[]> {
  const { rows } = await session.query<StoredApproval & { readonly waits: boolean }>(
    `SELECT a.* FROM (
       SELECT ${LISTED}, a.sequence AS place, a.decided_at IS NULL AND a.expires_at > $1::timestamptz AS waits
         FROM approval a ORDER BY a.sequence DESC LIMIT ${MAX_LISTED}) AS a
      WHERE ${CONDITIONS[state]} AND (a.waits::int, a.place) < ($2::int, $3::bigint)
      ORDER BY a.waits DESC, a.place DESC LIMIT $4::int`,
    [now.toISOString(), after ? Number(after.waits) : 1, String(after?.sequence ?? 2n ** 63n - 1n), limit],
  );
  return rows;
}

/** The condition of each state on a row `a`. */
const CONDITIONS: Readonly<Record<ApprovalState, string>> = {
  [ApprovalState.UNSPECIFIED]: 'true',
  [ApprovalState.WAITING]: 'a.waits',
  [ApprovalState.APPROVED]:
    'a.decided_at IS NOT NULL AND a.refusal_reason IS NULL AND a.used_at IS NULL AND a.expires_at > $1::timestamptz',
  [ApprovalState.REFUSED]: 'a.refusal_reason IS NOT NULL',
  [ApprovalState.USED]: 'a.used_at IS NOT NULL',
  [ApprovalState.EXPIRED]:
    'a.refusal_reason IS NULL AND a.used_at IS NULL AND a.expires_at <= $1::timestamptz',
};

/** Returns the state of one row; matches CONDITIONS. */
export function stateOf(
  { used_at, refusal_reason, expires_at, decided_at }: StoredApproval,
  now: Date,
): ApprovalState {
  if (used_at) return ApprovalState.USED;
  if (refusal_reason !== null) return ApprovalState.REFUSED;
  if (expires_at <= now) return ApprovalState.EXPIRED;
  return decided_at ? ApprovalState.APPROVED : ApprovalState.WAITING;
}
