import { type DescService, getOption } from '@bufbuild/protobuf';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { type Audited, AuditTarget, audited } from '@supplier/proto/common/v1/options';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';

/** The services that staff call, by process name, which is also the token audience. */
export const STAFF_SERVICES = ['account', 'submission', 'document', 'billing', 'webhook'] as const;
export type StaffService = (typeof STAFF_SERVICES)[number];

const EVERY: readonly DescService[] = [AuditService, ReconciliationService];

/** The contracts that each service implements. */
export const staffContracts: Readonly<Record<StaffService, readonly DescService[]>> = {
  account: [AccountService, ApprovalService, ...EVERY],
  submission: [SubmissionService, PolicyService, PrivacyService, ApprovalService, ...EVERY],
  document: [DocumentService, ...EVERY],
  billing: [BillingService, ...EVERY],
  webhook: [WebhookService, ...EVERY],
};

/** The audited actions of services that are not RPCs. */
const AUDITED_JOBS = {
  Retention: { did: 'Deleted expired data', discloses: false, target: AuditTarget.UNSPECIFIED },
  EraseSubmission: { did: 'Erased a submission', discloses: false, target: AuditTarget.SUBMISSION },
  TakeOverTerms: { did: 'Applied scheduled terms', discloses: false, target: AuditTarget.TERMS },
} as const;
export type AuditedJob = keyof typeof AUDITED_JOBS;

export type AuditedAction = Pick<Audited, 'did' | 'discloses' | 'target'>;

/** How the audit log describes each action, by the name in its entries. */
export const auditedActions: ReadonlyMap<string, AuditedAction> = new Map([
  ...Object.values(staffContracts)
    .flat()
    .flatMap(({ methods }) => methods)
    .map((method): [string, AuditedAction] => [method.name, getOption(method, audited)])
    .filter(([, { did }]) => did !== ''),
  ...Object.entries(AUDITED_JOBS).map(([name, job]): [string, AuditedAction] => [name, job]),
]);
