import { refusalOf } from '@supplier/lib/rpc/refusal';

/** How a call was refused; both are undefined when it was not. */
export async function refused(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  return { error, refusal: refusalOf(error) };
}
