import { Code, ConnectError } from '@connectrpc/connect';
import { refusalOf } from '@supplier/lib/refusal';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';

/** How a call was refused, in words; throws when it was not. */
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
