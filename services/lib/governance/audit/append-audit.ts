import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { audited } from '@supplier/proto/common/v1/options';
import type { SqlSession } from '../../data/postgres/index.ts';
import { callerOf, type RpcCall } from '../../rpc/rpc-server/index.ts';
import type { AuditedJob } from '../../rpc/staff-contracts/index.ts';
import { currentContext } from '../../runtime/request-context/index.ts';
import type { Brand } from '../../text/ids/index.ts';

/** The actor: a person or another service, known by token, or the service itself. */
export interface AuditActor {
  /** The subject of the caller's token; `service:<name>` for scheduled work of a service. */
  readonly actor: string;
  /** The token's issuer; empty for the service itself. */
  readonly issuer: string;
  readonly roles: readonly string[];
}

/** The recorded act. Neither its fields nor its values contain secrets or an applicant's personal data. */
export interface AuditedAction {
  readonly at: Date;
  readonly action: Brand<'AuditedRpc'> | AuditedJob;
  /** The id of the affected object; empty if there is no single one. */
  readonly target: string;
  /** The affected supplier's account, as a UUID. */
  readonly accountId?: string;
  /** The replaced values, as JSON. */
  readonly before?: unknown;
  /** The new values, or the subject of the act, as JSON. */
  readonly after?: unknown;
  /** The reason in the caller's words, if the act requires a purpose. */
  readonly purpose?: string;
}

export type AuditEntry = AuditActor & AuditedAction;

/** Returns the caller. Throws UNAUTHENTICATED for an unauthenticated call. */
export function actorOf(call: Pick<RpcCall, 'values'>): AuditActor {
  const { subject, issuer, roles } = callerOf(call);
  return { actor: subject, issuer, roles };
}

/** Returns the actor for a service's own scheduled work. */
export function serviceActor(service: string): AuditActor {
  return { actor: `service:${service}`, issuer: '', roles: [] };
}

/** Returns the name of an RPC whose contract says how the audit log describes it. Throws for another. */
export function auditedRpc(method: DescMethod): Brand<'AuditedRpc'> {
  if (getOption(method, audited).did === '')
    throw new Error(`invariant violated: the contract doesn't describe ${method.name} for the audit log`);
  return method.name as Brand<'AuditedRpc'>;
}

/** Returns the audit entry of a call, with its caller and the name of its RPC. */
export function auditEntry(
  call: Pick<RpcCall, 'values' | 'method'>,
  act: Omit<AuditedAction, 'action'>,
): AuditEntry {
  return { ...actorOf(call), action: auditedRpc(call.method), ...act };
}

/** The party that causes a service to make a call: a person, or the service itself on a schedule. */
export interface Requester {
  readonly subject: string;
  readonly issuer: string;
  readonly roles: readonly string[];
}

/** Makes `requester`, if any, the actor of an entry, and records the calling service as `calledBy`. */
export function onBehalfOf(requester: Requester | undefined, entry: AuditEntry): AuditEntry {
  if (!requester) return entry;
  const { subject: actor, issuer, roles } = requester;
  return { ...entry, actor, issuer, roles, after: { ...Object(entry.after), calledBy: entry.actor } };
}

/** Appends entries in the transaction of the recorded changes, in order. They cannot be changed. */
export async function appendAudit(session: SqlSession, ...entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const requestId = currentContext()?.requestId ?? '';
  const rows = JSON.stringify(entries.map((entry) => rowOf(entry, requestId)));
  await session.query(INSERT, [rows]);
}

/** Appends the entry of one call, as above. */
export function auditCall(session: SqlSession, ...act: Parameters<typeof auditEntry>): Promise<void> {
  return appendAudit(session, auditEntry(...act));
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
