import { RefusalCode, refuse } from '../../rpc/refusal/index.ts';
import { callerOf, type RpcCall } from '../../rpc/rpc-server/index.ts';

export {
  type AuditActor,
  type AuditEntry,
  type AuditedAction,
  actorOf,
  appendAudit,
  auditCall,
  auditEntry,
  auditedRpc,
  onBehalfOf,
  type Requester,
  serviceActor,
} from './append-audit.ts';
export { auditRoutes, type BesideEntries } from './audit-rpcs.ts';
export { sealEntries, startAuditSealing } from './seal-entries.ts';
export { runVerifyAuditCommand } from './verify-audit-command.ts';

/** Roles that may see an applicant's full data; viewers see it masked. */
const MAY_READ_ALL = ['staff:operator', 'staff:privacy', 'staff:admin'];

/** Throws PERMISSION_DENIED (FORBIDDEN) if the caller may only see masked applicants but requests unmasked data. */
export function refuseUnlessMasked(
  { masked }: { readonly masked: boolean },
  call: Pick<RpcCall, 'values'>,
): void {
  if (masked || callerOf(call).roles.some((role) => MAY_READ_ALL.includes(role))) return;
  throw refuse(RefusalCode.FORBIDDEN, 'Your role can only read masked details: set masked.');
}
