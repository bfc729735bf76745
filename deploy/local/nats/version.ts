/** Major, minor and patch of a nats-server. */
export type Version = readonly [major: number, minor: number, patch: number];

/** Reads the answer to `nats-server --version`, such as `nats-server: v2.12.3`. Undefined for anything else. */
export function parseVersion(text: string): Version | undefined {
  const found = /^nats-server: v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?:[-+][\w.+-]*)?\s*$/.exec(text);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : undefined;
}

export function atLeast(version: Version, wanted: Version): boolean {
  for (const [index, part] of wanted.entries()) {
    const own = version[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}

export function formatVersion(version: Version): string {
  return version.join('.');
}

/** The oldest one that is taken from PATH before anything is downloaded or built. */
export const WANTED: Version = [2, 10, 0];

/** What older servers lack that this system would use, oldest requirement last. */
const milestones: readonly { readonly since: Version; readonly brings: string }[] = [
  { since: [2, 10, 0], brings: 'sync_interval: always (a message is acknowledged before it is on disk)' },
  { since: [2, 10, 0], brings: 'filter_subjects and metadata of consumers' },
];

/** What a server of this version lacks, one phrase each; empty when it lacks nothing. */
export function lacking(version: Version): string[] {
  return milestones.filter(({ since }) => !atLeast(version, since)).map(({ brings }) => brings);
}
