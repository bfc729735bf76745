import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';

export function unknownAccount() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such account.');
}

export function wrongState(message: string) {
  return refuse(RefusalCode.WRONG_STATE, message);
}
