import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { type Refusal, RefusalCode, RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { parseId } from '../../text/ids/index.ts';

export { type Refusal, RefusalCode };

/** Every type that can be a detail of an error: clients learn them by reflection. */
export const ERROR_DETAILS: readonly DescMessage[] = [RefusalSchema];

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
 * An expected refusal, to be thrown by an RPC. `message` is public: plain English that repeats no value the caller
 * sent. What a program needs goes into `details`.
 */
export function refuse(
  code: Exclude<RefusalCode, RefusalCode.UNSPECIFIED>,
  message: string,
  details: Omit<MessageInitShape<typeof RefusalSchema>, 'code' | '$typeName'> = {},
): ConnectError {
  return new ConnectError(message, RPC_CODES[code], undefined, [
    { desc: RefusalSchema, value: create(RefusalSchema, { ...details, code }) },
  ]);
}

/** VALIDATION_ERROR about one field of a request; the message repeats nothing of its value. */
export function invalid(path: string, message: string): ConnectError {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The request is not valid.', {
    violations: [{ path, message }],
  });
}

/** The id in a request's field; throws VALIDATION_ERROR when it is none. */
export function requestedId<Id extends string>(path: string, text: string): Id {
  const id = parseId<Id>(text);
  if (!id) throw invalid(path, 'must be a UUID');
  return id;
}

/** The refusal an error carries, on either side of the wire; undefined for any other error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  for (const detail of error.details) {
    if ('desc' in detail && detail.desc.typeName === RefusalSchema.typeName) return detail.value as Refusal;
  }
  return error.findDetails(RefusalSchema)[0];
}
