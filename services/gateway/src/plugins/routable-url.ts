import type { RawRequestDefaultExpression } from 'fastify';

/** A path that nothing is at, on any listener. */
const NOWHERE = '//';
const ABSOLUTE = /^https?:\/\/[^/?#]+(?=\/)/i;
const PATH_END = /[?#]/;

/**
 * The address of a request as it is routed. The router cannot decode some, and no check would run for them: they go to
 * where nothing is, in the same order of checks as every other request. Implements docs/contract.md, section 1.
 */
export function routableUrl({ url = NOWHERE }: RawRequestDefaultExpression): string {
  if (url.startsWith('/') && !url.includes('%')) return url;
  const path = url.startsWith('/') ? url : url.replace(ABSOLUTE, '');
  if (!path.startsWith('/')) return NOWHERE;
  try {
    decodeURI(path.split(PATH_END, 1)[0] ?? '');
    return path;
  } catch {
    return NOWHERE;
  }
}
