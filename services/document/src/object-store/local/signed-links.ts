import { timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '@supplier/lib/data/crypto';
import type { Clock } from '@supplier/lib/text/time';
import type { Download, Upload } from '../object-store.ts';

/** What a URL admits: what is signed besides its path. */
type Fields = Readonly<Record<string, string>>;
type Kind = 'uploads' | 'downloads';

/** Signs and verifies the URLs of the upload listener. */
export interface SignedLinks {
  upload(upload: Upload): string;
  download(download: Download): string;
  /**
   * Returns the fields of a URL's query, the text after `?`; `forged` unless it is exactly as issued for that kind and
   * key.
   */
  read(kind: Kind, key: string, query: string): Fields | 'forged' | 'expired';
}

/**
 * Returns a signer of URLs (HMAC-SHA256 under the digest keys of the ring). Signs with the primary key and accepts
 * every key, so that links survive a rotation.
 */
export function signedLinks(publicUrl: string, keyRing: KeyRing, clock: Clock): SignedLinks {
  const queriesOf = (kind: Kind, key: string, fields: Fields): string[] =>
    keyRing
      .digests(`document ${kind}`, JSON.stringify([key, Object.entries(fields)]))
      .map((digest) => Buffer.from(digest).toString('base64url'))
      .map((signature) => new URLSearchParams({ ...fields, signature }).toString());
  const urlOf = (kind: Kind, key: string, fields: Fields): string =>
    `${publicUrl}/${kind}/${key}?${queriesOf(kind, key, fields)[0]}`;
  const expiry = ({ expiresAt }: { expiresAt: Date }) => String(expiresAt.getTime());

  return {
    upload: (upload) =>
      urlOf('uploads', upload.key, {
        size: String(upload.byteSize),
        type: upload.contentType,
        expires: expiry(upload),
      }),
    download: (download) =>
      urlOf('downloads', download.key, {
        name: download.filename.toWellFormed(),
        type: download.contentType,
        expires: expiry(download),
      }),
    read(kind, key, query) {
      const { signature: _, ...fields } = Object.fromEntries(new URLSearchParams(query));
      // Compares the whole text: no parameter may be added, repeated, moved or written differently.
      if (!queriesOf(kind, key, fields).some((issued) => isEqual(issued, query))) return 'forged';
      return Number(fields.expires) > clock.now().getTime() ? fields : 'expired';
    },
  };
}

function isEqual(ours: string, theirs: string): boolean {
  const [a, b] = [Buffer.from(ours), Buffer.from(theirs)];
  return a.length === b.length && timingSafeEqual(a, b);
}
