import { randomBytes } from 'node:crypto';

/** An upload that began before its URL expired may remain active; its object is removed after this time. */
const UPLOAD_GRACE_MS = 10 * 60_000;
/** A finalize takes seconds; a copy without a referring document after this time is abandoned. */
const COPY_GRACE_MS = 60 * 60_000;

/** Returns a new object key: random, so that it reveals nothing about the document and cannot be guessed. */
export function newObjectKey(): string {
  return randomBytes(32).toString('hex');
}

/** Longer than any copy takes: one that began earlier is finished, or its process has died. */
const COPY_MS = 60_000;

/** Returns whether a copy that began at `startedAt` may still be in progress at `now`. */
export function isBeingCopied(startedAt: Date | undefined, now: Date): boolean {
  return startedAt !== undefined && now.getTime() - startedAt.getTime() < COPY_MS;
}

/**
 * Returns when an upload is removed: after its URL, which expires at `uploadExpiresAt`, can no longer write to the key.
 */
export function incomingRemovalDue(uploadExpiresAt: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), uploadExpiresAt.getTime() + UPLOAD_GRACE_MS));
}

/** Returns when a copy that is about to be made at `now` is removed, unless a document refers to it by then. */
export function copyRemovalDue(now: Date): Date {
  return new Date(now.getTime() + COPY_GRACE_MS);
}
