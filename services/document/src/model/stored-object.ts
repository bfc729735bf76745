import { randomBytes } from 'node:crypto';

/** An upload that began before its URL expired may still be active for a while; its object is removed after that. */
const UPLOAD_GRACE_MS = 10 * 60_000;
/** A finalize takes seconds; a copy that no document refers to by then was abandoned. */
const COPY_GRACE_MS = 60 * 60_000;

/** Makes a key for an object: random, so that it says nothing of the document and cannot be guessed. */
export function newObjectKey(): string {
  return randomBytes(32).toString('hex');
}

/** No copy takes that long: what was begun before is finished, or its process is gone. */
const COPY_MS = 60_000;

/** Tells whether a copy that was begun at `begunAt` may still be written at `now`. */
export function isBeingCopied(begunAt: Date | undefined, now: Date): boolean {
  return begunAt !== undefined && now.getTime() - begunAt.getTime() < COPY_MS;
}

/**
 * Returns when an upload is removed: once its URL, which expires at `uploadExpiresAt`, can no longer write to the key.
 */
export function incomingRemovalDue(uploadExpiresAt: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), uploadExpiresAt.getTime() + UPLOAD_GRACE_MS));
}

/** Returns when a copy that is about to be made at `now` is removed, unless a document refers to it by then. */
export function copyRemovalDue(now: Date): Date {
  return new Date(now.getTime() + COPY_GRACE_MS);
}
