import type { ClientBase, Pool } from 'pg';
import type { SqlExecutor } from '../../data/postgres/index.ts';
import { callerOf, type RpcCall } from '../../rpc/rpc-server/index.ts';
import { currentContext } from '../../runtime/request-context/index.ts';

/** Who acts: a person or another service, known by their token, or the service itself. */
export interface AuditActor {
  /** Subject of the caller's token; `service:<name>` for what a service does on a schedule. */
  readonly actor: string;
  /** Issuer of that token; empty where the service acts by itself. */
  readonly issuer: string;
  readonly roles: readonly string[];
}

/** What was done. Holds no personal data of an applicant and no secret, neither in a field nor in a value. */
export interface AuditAct {
  readonly at: Date;
  /** Name of the RPC or of the sweep. */
  readonly action: string;
  /** Id of the thing that was acted on; empty where there is no single one. */
  readonly target: string;
  /** The supplier's account that it concerns, as a UUID. */
  readonly accountId?: string;
  /** What was replaced, as JSON. */
  readonly before?: unknown;
  /** What was set, or what the act was about, as JSON. */
  readonly after?: unknown;
  /** Why, in the caller's words, where the act asks for a purpose. */
  readonly purpose?: string;
}

/** One entry of the audit log. */
export type AuditEntry = AuditActor & AuditAct;

/** A connection or transaction, of `pg` or of Prisma. */
export type AuditSession = Pick<ClientBase | Pool, 'query'> | Pick<SqlExecutor, '$executeRawUnsafe'>;

/** Who makes a call. Throws UNAUTHENTICATED for an unauthenticated call. */
export function actorOf(call: Pick<RpcCall, 'values'>): AuditActor {
  const { subject, issuer, roles } = callerOf(call);
  return { actor: subject, issuer, roles };
}

/** A service that acts by itself, on a schedule. */
export function serviceActor(service: string): AuditActor {
  return { actor: `service:${service}`, issuer: '', roles: [] };
}

/** The audit entry of a call: its caller, and the name of its RPC. */
export function auditEntry(
  call: Pick<RpcCall, 'values' | 'method'>,
  act: Omit<AuditAct, 'action'>,
): AuditEntry {
  return { ...actorOf(call), action: call.method.name, ...act };
}

/** Who has a service make a call: a person, or that service itself on a schedule. */
export interface Requester {
  readonly subject: string;
  readonly issuer: string;
  readonly roles: readonly string[];
}

/**
 * The same entry, of a call that a service makes for `requester`: it names the requester, and the calling service as
 * `calledBy`. Unchanged without one: the service acts by itself.
 */
export function onBehalfOf(requester: Requester | undefined, entry: AuditEntry): AuditEntry {
  if (!requester) return entry;
  const { subject: actor, issuer, roles } = requester;
  return { ...entry, actor, issuer, roles, after: { ...Object(entry.after), calledBy: entry.actor } };
}

/**
 * Appends entries to the audit log in the transaction of what they record, in their order and in one statement, with the
 * request id of the current context. They can be neither changed nor removed.
 */
export async function appendAudit(session: AuditSession, ...entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const requestId = currentContext()?.requestId ?? '';
  const rows = JSON.stringify(entries.map((entry) => rowOf(entry, requestId)));
  if ('query' in session) await session.query({ name: 'append-audit', text: INSERT, values: [rows] });
  else await session.$executeRawUnsafe(INSERT, rows);
}

function rowOf({ accountId, purpose, ...entry }: AuditEntry, requestId: string) {
  return { ...entry, account_id: accountId, purpose: purpose ?? '', request_id: requestId };
}

const COLUMNS = 'at, actor, issuer, roles, action, target, account_id, before, after, purpose, request_id';
const INSERT = `
  INSERT INTO audit_entry (${COLUMNS})
  SELECT ${COLUMNS} FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS given(entry, place),
    jsonb_to_record(given.entry) AS e(at timestamptz, actor text, issuer text, roles text[], action text, target text,
      account_id uuid, before jsonb, after jsonb, purpose text, request_id text)
  ORDER BY place`;
