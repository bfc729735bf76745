import { type DescMethod, type DescService, getOption } from '@bufbuild/protobuf';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { access } from '@supplier/proto/common/v1/options';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';

/** The services that staff call, by the names of their processes. */
export const TARGETS = ['account', 'submission', 'document', 'billing', 'webhook'] as const;
export type Target = (typeof TARGETS)[number];

/** What each of them answers to. */
const CONTRACTS: Readonly<Record<Target, readonly DescService[]>> = {
  account: [AccountService, AuditService, ReconciliationService, ApprovalService],
  submission: [
    SubmissionService,
    PolicyService,
    PrivacyService,
    AuditService,
    ReconciliationService,
    ApprovalService,
  ],
  document: [DocumentService, AuditService, ReconciliationService],
  billing: [BillingService, AuditService, ReconciliationService],
  webhook: [WebhookService, AuditService, ReconciliationService],
};

/** A method that some role of staff may call, at one service. */
export interface StaffMethod {
  readonly target: Target;
  /** As it is called: `/package.Service/Method`. */
  readonly path: string;
  readonly isStream: boolean;
}

const isForStaff = (method: DescMethod) =>
  getOption(method, access).roles.some((role) => role.startsWith('staff:'));

/**
 * Every method that the console passes on, by target and path: those that name a role of staff, and no other. Which person
 * may call which is for the services to say.
 */
export const staffMethods: ReadonlyMap<string, StaffMethod> = new Map(
  TARGETS.flatMap((target) =>
    CONTRACTS[target]
      .flatMap((contract) => contract.methods)
      .filter(isForStaff)
      .map((method): [string, StaffMethod] => {
        const path = `/${method.parent.typeName}/${method.name}`;
        return [`${target}${path}`, { target, path, isStream: method.methodKind !== 'unary' }];
      }),
  ),
);
