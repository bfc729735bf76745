import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refusalOf } from '../rpc/refusal/index.ts';

/** Returns how a call was refused: the names of its codes and the rejected fields. Throws if it succeeded. */
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
