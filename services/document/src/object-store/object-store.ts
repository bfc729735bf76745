import type { Readable } from 'node:stream';

/**
 * The area of the store that contains an object. Suppliers can write only to `incoming`; `held` contains finalized
 * documents awaiting their scan, out of the suppliers' reach; `clean` contains documents scanned as clean, the only
 * ones that can be downloaded.
 */
export type Area = 'incoming' | 'held' | 'clean';

export interface StoredObject {
  readonly byteSize: number;
  readonly contentType: string;
  /** Opaque; changes whenever the bytes do. */
  readonly etag: string;
}

export interface ListedObject {
  readonly key: string;
  readonly byteSize: number;
  readonly storedAt: Date;
}

/** The object that an upload URL admits, and its expiry. */
export interface Upload {
  readonly key: string;
  readonly contentType: string;
  readonly byteSize: number;
  readonly expiresAt: Date;
}

/** Filename and type of a download, both visible in its URL, and the URL's expiry. */
export interface Download {
  readonly key: string;
  readonly filename: string;
  readonly contentType: string;
  readonly expiresAt: Date;
}

/**
 * Stores the bytes of documents under random keys. Every method rejects with StoreUnavailable and changes nothing when
 * the store cannot be reached, is full or is read-only.
 */
export interface ObjectStore {
  /**
   * Returns a URL that accepts a PUT of exactly this size and type into `incoming`; the PUT may be repeated until it
   * expires.
   */
  uploadUrl(upload: Upload): Promise<string>;
  /** Returns a URL for downloading a clean object. */
  downloadUrl(download: Download): Promise<string>;
  /** Returns the size, type and ETag of an object; undefined when there is none. */
  stat(area: Area, key: string): Promise<StoredObject | undefined>;
  /** Reads the object with `etag`; rejects with ObjectChanged when it is gone or was replaced. */
  read(area: Area, key: string, etag: string): Promise<Readable>;
  /**
   * Copies the object with `etag`, in full or not at all, and resolves to the ETag of the copy. Rejects with
   * ObjectChanged when the object is gone or was replaced. Replaces the target, so it can be repeated.
   */
  copy(from: { area: Area; key: string; etag: string }, to: { area: Area; key: string }): Promise<string>;
  /** Removes an object; succeeds if it does not exist. */
  remove(area: Area, key: string): Promise<void>;
  list(area: Area): AsyncIterable<ListedObject>;
  /** Resolves when the store responds. */
  check(): Promise<void>;
}

/** The store is currently unavailable; nothing was changed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** `operation` completes the sentence "cannot …". */
  constructor(operation: string, cause?: unknown) {
    super(`object store unavailable: cannot ${operation}`, { cause });
  }
}

/** The object is gone, or no longer has the given ETag. */
export class ObjectChanged extends Error {
  override readonly name = 'ObjectChanged';
  constructor() {
    super('object is gone or was replaced');
  }
}
