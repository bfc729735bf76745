import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { type Refusal, RefusalCode, RefusalSchema } from '@supplier/proto/common/v1/refusal';

export { type Refusal, RefusalCode };

const RPC_CODES: Record<RefusalCode, Code> = {
  [RefusalCode.UNSPECIFIED]: Code.Internal,
  [RefusalCode.VALIDATION_ERROR]: Code.InvalidArgument,
  [RefusalCode.NOT_FOUND]: Code.NotFound,
  [RefusalCode.FORBIDDEN]: Code.PermissionDenied,
  [RefusalCode.EXTERNAL_REFERENCE_CONFLICT]: Code.AlreadyExists,
  [RefusalCode.REVISION_CONFLICT]: Code.Aborted,
  [RefusalCode.IDEMPOTENCY_CONFLICT]: Code.AlreadyExists,
  [RefusalCode.CONCURRENT_PROMOTION]: Code.Aborted,
  [RefusalCode.ALREADY_EXISTS]: Code.AlreadyExists,
  [RefusalCode.WRONG_STATE]: Code.FailedPrecondition,
  [RefusalCode.SERVICE_UNAVAILABLE]: Code.Unavailable,
  [RefusalCode.PAYLOAD_TOO_LARGE]: Code.InvalidArgument,
};

/**
 * An expected refusal, to be thrown by an RPC. `sentence` is public: plain English that repeats no value the caller
 * sent. What a program needs to act on goes into `details`.
 */
export function refuse(
  code: Exclude<RefusalCode, RefusalCode.UNSPECIFIED>,
  sentence: string,
  details: Omit<MessageInitShape<typeof RefusalSchema>, 'code' | '$typeName'> = {},
): ConnectError {
  return new ConnectError(sentence, RPC_CODES[code], undefined, [
    { desc: RefusalSchema, value: create(RefusalSchema, { ...details, code }) },
  ]);
}

/** The refusal an error carries, on either side of the wire; undefined for any other error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  for (const detail of error.details) {
    if ('desc' in detail && detail.desc.typeName === RefusalSchema.typeName) return detail.value as Refusal;
  }
  return error.findDetails(RefusalSchema)[0];
}
