import { createClient } from '@connectrpc/connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Certificates } from '../identity/make-certificates.ts';
import { staffTransport } from '../seed/staff-clients.ts';

/** What the sample data needs to know about a running stack: a part of stack.json. */
export interface StackAddresses {
  readonly gateway: string;
  readonly production: string;
  /** Connect over HTTP/1.1, by service. */
  readonly rpcHttp1: Readonly<Record<string, string>>;
  readonly tls?: Certificates | undefined;
  readonly receiver: { readonly url: string };
}

export type Staff = ReturnType<typeof staffWith>;

/** Returns the RPCs that the sample data needs, called with the token of one person. */
export function staffWith({ rpcHttp1, tls }: StackAddresses, token: string) {
  const to = (service: string) => staffTransport(rpcHttp1[service] ?? '', () => token, tls);
  return {
    account: createClient(AccountService, to('account')),
    accountApprovals: createClient(ApprovalService, to('account')),
    billing: createClient(BillingService, to('billing')),
    submission: createClient(SubmissionService, to('submission')),
    submissionApprovals: createClient(ApprovalService, to('submission')),
    policies: createClient(PolicyService, to('submission')),
    privacy: createClient(PrivacyService, to('submission')),
    webhook: createClient(WebhookService, to('webhook')),
  };
}
