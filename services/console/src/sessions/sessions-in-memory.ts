import { MAX_SESSIONS, MOST_OF_PERSON, type SessionContents, type SessionStore } from './session-store.ts';

interface Held extends SessionContents {
  readonly usedAt: number;
  readonly version: string;
}

/** Keeps sessions in this process: it must be the only one, and a restart logs everyone out. */
export function sessionsInMemory(idleMs: number, now: () => number): SessionStore {
  const held = new Map<string, Held>();
  let versions = 0;
  const newVersion = () => {
    versions += 1;
    return String(versions);
  };
  const change = (digest: string, by: Partial<Held>) => {
    const session = held.get(digest);
    if (session) held.set(digest, { ...session, ...by });
    return session !== undefined;
  };
  const dropBeyond = (most: number, among: readonly (readonly [string, Held])[]) => {
    const byUse = among.toSorted(([, a], [, b]) => b.usedAt - a.usedAt);
    for (const [digest] of byUse.slice(most)) held.delete(digest);
  };
  const isIdle = ({ usedAt }: Held) => usedAt <= now() - idleMs;
  const allOf = (subject: string) => [...held].filter(([, { person }]) => person.subject === subject);
  return {
    async add(digest, contents) {
      for (const [known, session] of held) if (isIdle(session)) held.delete(known);
      held.set(digest, { ...contents, usedAt: now(), version: newVersion() });
      dropBeyond(MOST_OF_PERSON, allOf(contents.person.subject));
      dropBeyond(MAX_SESSIONS, [...held]);
    },
    async read(digest) {
      const session = held.get(digest);
      return session && { ...session, unusedMs: now() - session.usedAt };
    },
    use: async (digest) => void change(digest, { usedAt: now() }),
    // Calls of one process share a renewal already.
    beginRenewal: async (digest, version) => (held.get(digest)?.version === version ? version : undefined),
    renew: async (digest, _lease, contents) => change(digest, { ...contents, version: newVersion() }),
    endRenewal: async () => {},
    remove: async (digest, version) =>
      (version === undefined || held.get(digest)?.version === version) && held.delete(digest),
    async removeAllOf(digest) {
      const session = held.get(digest);
      const all = session ? allOf(session.person.subject).map(([known]) => known) : [];
      for (const known of all) held.delete(known);
      return all;
    },
    existing: async (digests) => new Set(digests.filter((digest) => held.has(digest))),
    count: async () =>
      [...held.values()].filter((session) => !isIdle(session) && session.endsAt > now()).length,
  };
}
