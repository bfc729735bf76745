import type { DescService } from '@bufbuild/protobuf';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
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
