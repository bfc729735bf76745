/** Returns whether an error is a system error with this code, such as `ENOENT`. */
export function isSystemError(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
