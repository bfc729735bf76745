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

/** Every service that staff may call, by the name of its process, which is also the audience of its tokens. */
export const services = {
  account: AccountService,
  submission: SubmissionService,
  document: DocumentService,
  billing: BillingService,
  webhook: WebhookService,
} as const;

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as ServiceName[];

/** Contracts that several services answer to, beside their own, with those: their commands say which they mean. */
const shared: readonly (readonly [DescService, readonly ServiceName[]])[] = [
  [AuditService, serviceNames],
  [ReconciliationService, serviceNames],
  [ApprovalService, ['account', 'submission']],
];
export const sharedContracts: readonly DescService[] = shared.map(([contract]) => contract);

/** Contracts that a service answers to beside the one of its name. */
export const furtherContracts: readonly (readonly [DescService, ServiceName])[] = [
  [PrivacyService, 'submission'],
  [PolicyService, 'submission'],
];

/** The processes that answer to a contract that several share; none for any other. */
export const sharersOf = (contract: DescService): readonly ServiceName[] =>
  shared.find(([{ typeName }]) => typeName === contract.typeName)?.[1] ?? [];

/** The process that serves a contract alone; undefined for what several serve. Throws for an unlisted contract. */
export function ownerOf(contract: DescService): ServiceName | undefined {
  if (sharedContracts.some(({ typeName }) => typeName === contract.typeName)) return undefined;
  const further = furtherContracts.find(([{ typeName }]) => typeName === contract.typeName)?.[1];
  const name =
    further ?? serviceNames.find((candidate) => services[candidate].typeName === contract.typeName);
  if (name === undefined)
    throw new Error(`cannot find the service of ${contract.typeName}: name it in services.ts`);
  return name;
}
