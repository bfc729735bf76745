import { randomBytes } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Level, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { ContactSchema } from '@supplier/proto/submission/v1/submission';
import { type EnquiryInit, sampleEnquiry } from './sample-enquiry.ts';
import type { SubmitOptions, TestService } from './test-service.ts';

export interface BasicSubmission {
  readonly id: SubmissionId;
  readonly accountId: AccountId;
  /** Production unless stated. */
  readonly environment?: SubmitOptions['environment'];
  readonly submission: SubmissionStatus;
}

interface OperationOptions {
  readonly key?: string;
  readonly body?: Uint8Array;
  readonly accountId?: AccountId;
}

/** Returns helpers for basic submissions and the operations of their suppliers. */
export function basicSubmissions(service: TestService) {
  const supplierOf = (
    { environment, ...submitted }: Pick<BasicSubmission, 'accountId' | 'environment'>,
    { accountId }: OperationOptions,
  ) =>
    service.onBehalfOf({
      accountId: accountId ?? submitted.accountId,
      ...(environment ? { environment } : {}),
    });
  return {
    async submit(options: SubmitOptions = {}): Promise<BasicSubmission> {
      const accountId = options.accountId ?? newId<AccountId>();
      const { id, submission } = await service.submit({ ...options, accountId, level: Level.BASIC });
      return { id, accountId, submission };
    },
    promote(
      submitted: Pick<BasicSubmission, 'id' | 'accountId' | 'environment'>,
      options: OperationOptions & { enquiry?: EnquiryInit } = {},
    ): Promise<SubmissionStatus> {
      return supplierOf(submitted, options).promoteSubmission({
        submissionId: submitted.id,
        operationIdempotencyKey: options.key ?? newId(),
        enquiry: sampleEnquiry(options.enquiry),
        bodyFingerprint: options.body ?? randomBytes(32),
      });
    },
    correct(
      submitted: Pick<BasicSubmission, 'id' | 'accountId' | 'environment'>,
      expectedRevision: number,
      contact: Exclude<MessageInitShape<typeof ContactSchema>, { $typeName: string; $unknown?: unknown }>,
      options: OperationOptions = {},
    ): Promise<SubmissionStatus> {
      return supplierOf(submitted, options).correctContact({
        submissionId: submitted.id,
        operationIdempotencyKey: options.key ?? newId(),
        expectedRevision: BigInt(expectedRevision),
        contact,
        bodyFingerprint: options.body ?? randomBytes(32),
      });
    },
    mint: () => service.work(),
  };
}
