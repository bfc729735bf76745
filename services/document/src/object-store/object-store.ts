import type { Readable } from 'node:stream';

/**
 * Where an object lies. Suppliers can write to `incoming` and nowhere else; `held` is what was finalized and waits for
 * its scan, out of their reach; only what was scanned and found clean is in `clean`, and only that can be downloaded.
 */
export type Area = 'incoming' | 'held' | 'clean';

export interface StoredObject {
  readonly byteSize: number;
  readonly contentType: string;
  /** Changes whenever the bytes do; opaque. */
  readonly etag: string;
}

export interface ListedObject {
  readonly key: string;
  readonly byteSize: number;
  readonly storedAt: Date;
}

/** The one object that an upload URL admits, and until when. */
export interface Upload {
  readonly key: string;
  readonly contentType: string;
  readonly byteSize: number;
  readonly expiresAt: Date;
}

/** What a download is called and served as, and until when its URL works. */
export interface Download {
  readonly key: string;
  readonly filename: string;
  readonly contentType: string;
  readonly expiresAt: Date;
}

/**
 * Keeps the bytes of documents. Keys are random and mean nothing. Every method rejects with StoreUnavailable when the
 * store cannot be reached, is full or read-only, and has changed nothing then.
 */
export interface ObjectStore {
  /** A URL that takes one PUT of exactly this size and type into `incoming`, again until it expires. */
  uploadUrl(upload: Upload): Promise<string>;
  /** A URL that a clean object can be read from. */
  downloadUrl(download: Download): Promise<string>;
  /** What is known of an object; undefined when there is none. */
  stat(area: Area, key: string): Promise<StoredObject | undefined>;
  /** The bytes of the object as long as it is the one of `etag`; rejects with ObjectChanged when it is gone or another. */
  read(area: Area, key: string, etag: string): Promise<Readable>;
  /**
   * Copies the object of `etag`, whole or not at all, and resolves to the ETag of the copy. Rejects with ObjectChanged
   * when the object is gone or another. What lies at the target is replaced: copying again is no error.
   */
  copy(from: { area: Area; key: string; etag: string }, to: { area: Area; key: string }): Promise<string>;
  /** Removes an object; removing what is not there is no error. */
  remove(area: Area, key: string): Promise<void>;
  /** Every object of an area, in no order. */
  list(area: Area): AsyncIterable<ListedObject>;
  /** Resolves when the store answers. */
  check(): Promise<void>;
}

/** The store cannot do its work at the moment; nothing was changed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  constructor(what: string, cause?: unknown) {
    super(`the object store could not ${what}`, { cause });
  }
}

/** The object is gone, or no longer the one that was meant. */
export class ObjectChanged extends Error {
  override readonly name = 'ObjectChanged';
  constructor() {
    super('the object is gone or no longer the one that was meant');
  }
}
