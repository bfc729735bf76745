import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { mayCall } from '../calls.ts';

/**
 * The screens in the navigation, in their groups. A screen is offered to people who may make the call that fills it,
 * and the overview to everyone.
 */
export const SCREEN_GROUPS = [
  {
    name: 'Work',
    screens: [
      { path: '/', name: 'Overview', call: undefined },
      { path: '/submissions', name: 'Submissions', call: SubmissionService.method.listSubmissions },
      { path: '/approvals', name: 'Approvals', call: ApprovalService.method.listApprovals },
    ],
  },
  {
    name: 'Suppliers',
    screens: [
      { path: '/suppliers', name: 'Suppliers', call: AccountService.method.listAccounts },
      { path: '/webhooks', name: 'Webhooks', call: WebhookService.method.listEndpoints },
      { path: '/billing', name: 'Billing', call: SubmissionService.method.listPendingBilling },
    ],
  },
  {
    name: 'Decisions',
    screens: [
      { path: '/policies', name: 'Policies', call: PolicyService.method.listPolicies },
      { path: '/reports', name: 'Reports', call: BillingService.method.getBillableValue },
    ],
  },
  {
    name: 'Compliance',
    screens: [
      { path: '/data-requests', name: 'Data requests', call: PrivacyService.method.findPerson },
      { path: '/audit', name: 'Audit log', call: AuditService.method.listAudit },
      { path: '/reconciliation', name: 'Reconciliation', call: ReconciliationService.method.reconcile },
    ],
  },
] as const;

/**
 * The screens below those in the navigation: the call that fills each, and the screen in the navigation that it belongs
 * to. The first match counts.
 */
const DETAILS = [
  { path: /^\/submissions\/./, of: '/submissions', call: SubmissionService.method.getSubmission },
  { path: /^\/suppliers\/[^/]+\/statements\//, of: '/billing', call: BillingService.method.getStatement },
  { path: /^\/suppliers\/./, of: '/suppliers', call: AccountService.method.getAccount },
  { path: /^\/policies\/./, of: '/policies', call: PolicyService.method.getPolicy },
] as const;
const detailAt = (pathname: string) => DETAILS.find(({ path }) => path.test(pathname));

export type Screen = (typeof SCREEN_GROUPS)[number]['screens'][number];

/** Returns the groups with the screens that the roles may open. */
export const screenGroupsFor = (roles: readonly string[]) =>
  SCREEN_GROUPS.map(({ name, screens }) => ({
    name,
    screens: screens.filter(({ call }): boolean => call === undefined || mayCall(roles, call)),
  })).filter(({ screens }) => screens.length > 0);

/** Returns the screen in the navigation that a path belongs to. */
export const screenAt = (pathname: string): Screen | undefined =>
  SCREEN_GROUPS.flatMap(({ screens }): readonly Screen[] => screens).find(
    ({ path }) => path === (detailAt(pathname)?.of ?? pathname),
  );

/** Returns whether one of the roles may make the call that fills the screen at a path. */
export function mayOpen(roles: readonly string[], pathname: string): boolean {
  const call = (detailAt(pathname) ?? screenAt(pathname))?.call;
  return call === undefined || mayCall(roles, call);
}
