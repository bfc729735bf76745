import { refusalOf } from '@supplier/lib/rpc/refusal';

/** Returns how a call was refused; both fields are undefined when it was not. */
export async function refused(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return { error, refusal: refusalOf(error) };
}
