import { delimiter } from 'node:path';
import { findOnPath } from '../nats/source.ts';

/** Where Debian puts it, which is on root's PATH only. */
const DEBIAN_FOLDER = '/usr/sbin';

/** The clamd that is installed on this machine; undefined where there is none. Nothing is ever downloaded. */
export function findClamd(
  path = [process.env.PATH ?? '', DEBIAN_FOLDER].join(delimiter),
): string | undefined {
  return findOnPath('clamd', path);
}
