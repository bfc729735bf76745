import { Code, ConnectError } from '@connectrpc/connect';
import { refusalOf } from '@supplier/lib/refusal';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';

/** The refusal of a call, with the names of its codes; throws when the call was not refused. */
export async function refused(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const refusal = refusalOf(error);
    return {
      code: Code[error.code],
      ...(refusal ? { refusal: RefusalCode[refusal.code], currentRevision: refusal.currentRevision } : {}),
      paths: refusal?.violations.map(({ path }) => path) ?? [],
    };
  }
  throw new Error('the call was not refused');
}
