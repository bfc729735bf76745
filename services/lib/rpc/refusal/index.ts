import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { type Refusal, RefusalCode, RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { parseId } from '../../text/ids/index.ts';

export { type Refusal, RefusalCode };

/** Every type that can be an error detail: clients discover them by reflection. */
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

/** Creates a refusal to throw. `message` is public and repeats no value the caller sent. */
export function refuse(
  code: Exclude<RefusalCode, RefusalCode.UNSPECIFIED>,
  message: string,
  details: Omit<MessageInitShape<typeof RefusalSchema>, 'code' | '$typeName'> = {},
): ConnectError {
  return new ConnectError(message, RPC_CODES[code], undefined, [
    { desc: RefusalSchema, value: create(RefusalSchema, { ...details, code }) },
  ]);
}

/** Creates a VALIDATION_ERROR about one request field; the message must not repeat its value. */
export function invalid(path: string, message: string): ConnectError {
  return refuse(RefusalCode.VALIDATION_ERROR, 'The request is invalid.', {
    violations: [{ path, message }],
  });
}

/** Parses the id in a request field. Throws VALIDATION_ERROR if it is malformed. */
export function requestedId<Id extends string>(path: string, text: string): Id {
  const id = parseId<Id>(text);
  if (!id) throw invalid(path, 'must be a UUID');
  return id;
}

/** Returns the refusal that an error carries, on either side of the wire; undefined for any other error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  for (const detail of error.details) {
    if ('desc' in detail && detail.desc.typeName === RefusalSchema.typeName) return detail.value as Refusal;
  }
  return error.findDetails(RefusalSchema)[0];
}
