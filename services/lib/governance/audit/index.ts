export {
  type AuditAct,
  type AuditActor,
  type AuditEntry,
  type AuditSession,
  actorOf,
  appendAudit,
  auditEntry,
  onBehalfOf,
  type Requester,
  serviceActor,
} from './append-audit.ts';
export { auditRoutes, type ReasonsOf } from './audit-rpcs.ts';
export { purposeOf, refuseUnlessMasked } from './reading.ts';
export { sealEntries, startAuditSealing } from './seal-entries.ts';
export { runVerifyAuditCommand } from './verify-audit-command.ts';
