import type { Readable } from 'node:stream';

/**
 * The part of the store an object is in. Suppliers can write to `incoming` only; `held` are finalized documents that
 * wait for their scan, out of the suppliers' reach; `clean` are scanned and clean documents, the only ones to be
 * downloaded.
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

/** The one object that an upload URL admits, and until when. */
export interface Upload {
  readonly key: string;
  readonly contentType: string;
  readonly byteSize: number;
  readonly expiresAt: Date;
  /** Opaque: whose uploads are bounded together where we serve them. */
  readonly owner?: string;
}

/** Name and type of a download, and until when its URL works. */
export interface Download {
  readonly key: string;
  readonly filename: string;
  readonly contentType: string;
  readonly expiresAt: Date;
}

/**
 * Stores the bytes of documents under random keys. Every method rejects with StoreUnavailable, and has changed nothing,
 * when the store cannot be reached, is full or is read-only.
 */
export interface ObjectStore {
  /** Whether the names of files can be read in the URLs of downloads. */
  readonly showsNames: boolean;
  /** A URL that accepts a PUT of exactly this size and type into `incoming`; it may be repeated until it expires. */
  uploadUrl(upload: Upload): Promise<string>;
  /** A URL that a clean object can be downloaded from. */
  downloadUrl(download: Download): Promise<string>;
  /** Size, type and ETag of an object; undefined when there is none. */
  stat(area: Area, key: string): Promise<StoredObject | undefined>;
  /** The bytes of the object of `etag`; rejects with ObjectChanged when it is gone or was replaced. */
  read(area: Area, key: string, etag: string): Promise<Readable>;
  /**
   * Copies the object of `etag`, whole or not at all, and resolves to the ETag of the copy. Rejects with ObjectChanged
   * when the object is gone or was replaced. Replaces the target: copying again is no error.
   */
  copy(from: { area: Area; key: string; etag: string }, to: { area: Area; key: string }): Promise<string>;
  /** Removes an object; removing one that does not exist is no error. */
  remove(area: Area, key: string): Promise<void>;
  /** Every object of an area, in no order. */
  list(area: Area): AsyncIterable<ListedObject>;
  /** Resolves when the store answers. */
  check(): Promise<void>;
}

/** The store cannot work at the moment; nothing was changed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** `operation` completes the sentence "cannot …". */
  constructor(operation: string, cause?: unknown) {
    super(`object store unavailable: cannot ${operation}`, { cause });
  }
}

/** The object is gone, or is not the one of the given ETag any more. */
export class ObjectChanged extends Error {
  override readonly name = 'ObjectChanged';
  constructor() {
    super('object is gone or was replaced');
  }
}
