import { findOnPath } from '../../programs/on-path.ts';

/** Where Debian puts it, which is on root's PATH only. */
const DEBIAN_FOLDER = '/usr/sbin';

/** The clamd that is installed on this machine; undefined where there is none. Nothing is ever downloaded. */
export const findClamd = (): string | undefined => findOnPath('clamd', [DEBIAN_FOLDER]);
