import { getOption } from '@bufbuild/protobuf';
import { AccountService } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { access } from '@supplier/proto/common/v1/options';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';

const methods = [AccountService, BillingService, DocumentService, SubmissionService, WebhookService].flatMap(
  (service) => service.methods,
);

/** Every role of people that some RPC names. */
export const staffRoles: readonly string[] = [
  ...new Set(methods.flatMap((method) => getOption(method, access).roles)),
]
  .filter((role) => role.startsWith('staff:'))
  .sort();
