import { useSyncExternalStore } from 'react';

/** Who uses the console, as its process knows them. */
export interface Session {
  readonly subject: string;
  readonly roles: readonly string[];
  /** When the login ends, whatever is done. */
  readonly endsAt: string;
}

let session: Session | undefined;
let isOver = false;
const watchers = new Set<() => void>();
const tell = () => {
  for (const watcher of watchers) watcher();
};

/** Asks who is logged in; sends the browser to the login when nobody is. Rejects when the console does not answer. */
export async function openSession(): Promise<Session> {
  const found = await askSession();
  if (!found) {
    const { pathname, search } = window.location;
    window.location.assign(`/login?path=${encodeURIComponent(pathname + search)}`);
    return new Promise(() => {});
  }
  session = found;
  return found;
}

/** Looks again, after somebody has logged in beside this page. Resolves to whether the login goes on. */
export async function resumeSession(): Promise<boolean> {
  const found = await askSession();
  // Somebody else must not go on with what the first has typed.
  if (found && session && found.subject !== session.subject) {
    window.location.assign('/');
    // Until this page is gone it stays the first one's, whose login is over.
    return new Promise(() => {});
  }
  if (found) session = found;
  newest = undefined;
  isOver = !found;
  tell();
  return found !== undefined;
}

/** Whom this page takes its reader for: calls say so, and are refused once somebody else is logged in. */
export const person = (): string => encodeURIComponent(session?.subject ?? '');

let newest: readonly string[] | undefined;
/** How many are in the middle of something. */
let busy = 0;

/** Called with the roles that an answer came with: one may have been given or taken since the page was opened. */
export function rolesAre(roles: readonly string[]): void {
  newest = roles;
  takeRoles();
}

/**
 * Keeps what is offered as it is, until the function that is given back is called: nobody loses what they have typed, or are
 * being told, with a role. The services judge each call all the same.
 */
export function keepRoles(): () => void {
  busy += 1;
  return () => {
    busy -= 1;
    takeRoles();
  };
}

function takeRoles(): void {
  if (busy > 0 || !session || !newest || session.roles.join() === newest.join()) return;
  session = { ...session, roles: newest };
  tell();
}

/** Called when a call was refused because the login is over: what is on the page stays. */
export function sessionIsOver(): void {
  if (isOver) return;
  isOver = true;
  tell();
}

/** Ends all logins of this person, and leaves. Rejects when the console does not answer: they are logged in still. */
export async function logOut(): Promise<void> {
  const answer = await fetch('/logout', { method: 'POST' });
  if (!answer.ok) throw new Error(`cannot log out: the console answered ${answer.status}`);
  window.location.assign('/logged-out');
}

/** The session; the application is shown with one alone. */
export function useSession(): Session & { readonly isOver: boolean } {
  const over = useSyncExternalStore(watch, () => isOver);
  const found = useSyncExternalStore(watch, () => session);
  if (!found) throw new Error('cannot show the console: nobody is logged in');
  return { ...found, isOver: over };
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

async function askSession(): Promise<Session | undefined> {
  const answer = await fetch('/session', { headers: { accept: 'application/json' } });
  if (answer.status === 401) return undefined;
  if (!answer.ok) throw new Error(`cannot ask who is logged in: the console answered ${answer.status}`);
  return (await answer.json()) as Session;
}
