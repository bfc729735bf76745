import { timingSafeEqual } from 'node:crypto';
import type { AssociatedData, KeyRing } from '@supplier/lib/data/crypto';
import type { Clock } from '@supplier/lib/text/time';
import type { Download, Upload } from '../object-store.ts';

/** Why a URL is refused: it does not match exactly one issued with this key ring, or it has expired. */
export type Inadmissible = 'forged' | 'expired';

/** The first query is the one that is issued. */
type Queries = readonly [string, ...string[]];

/** Signs and verifies the URLs of the upload listener. A query is the text after the `?`. */
export interface SignedLinks {
  upload(upload: Upload): string;
  download(download: Download): string;
  readUpload(key: string, query: string): Upload | Inadmissible;
  readDownload(key: string, query: string): Download | Inadmissible;
}

/**
 * Returns a signer of URLs that contain what they admit, signed with HMAC-SHA256 under keys derived from the ring only
 * for this purpose, one for uploads and one for downloads, so that neither kind can be turned into the other. Filenames
 * are sealed, because URLs end up in browser histories and proxy logs.
 */
export function signedLinks(publicUrl: string, keyRing: KeyRing, clock: Clock): SignedLinks {
  /**
   * One signature for each digest key of the ring: the first key signs and all are accepted, so that a new key breaks
   * no link.
   */
  const signatures = (kind: string, fields: readonly (string | number)[]) =>
    keyRing
      .digests(`document ${kind} link`, JSON.stringify(fields))
      .map((digest) => Buffer.from(digest).toString('base64url'));

  /** The equivalent queries, one for each key: those signed under an older key are still accepted. */
  const queriesOf = (kind: string, key: string, query: Record<string, string | number>): Queries => {
    const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const [first, ...others] = signatures(kind, [key, ...Object.values(query)]).map(
      (signature) => `${new URLSearchParams([...pairs, ['signature', signature]])}`,
    );
    return [first ?? '', ...others];
  };

  /**
   * Compares the full text: a link has only one valid spelling, without parameters that are repeated, added or written
   * differently.
   */
  const refusal = (given: string, wanted: Queries, expires: number): Inadmissible | undefined => {
    if (!wanted.map((query) => isEqual(query, given)).includes(true)) return 'forged';
    return expires > clock.now().getTime() ? undefined : 'expired';
  };

  const uploadQueries = (
    { key, byteSize, contentType, owner = '' }: Omit<Upload, 'expiresAt'>,
    expires: number,
  ) => queriesOf('upload', key, { size: byteSize, type: contentType, ...(owner ? { owner } : {}), expires });
  const downloadQueries = (key: string, name: string, type: string, expires: number) =>
    queriesOf('download', key, { name, type, expires });

  return {
    upload(upload) {
      const [query] = uploadQueries(upload, upload.expiresAt.getTime());
      return `${publicUrl}/uploads/${upload.key}?${query}`;
    },
    download({ key, filename, contentType, expiresAt }) {
      const sealed = keyRing.seal(Buffer.from(filename.toWellFormed()), nameAad(key));
      const name = Buffer.from(sealed).toString('base64url');
      const [query] = downloadQueries(key, name, contentType, expiresAt.getTime());
      return `${publicUrl}/downloads/${key}?${query}`;
    },
    readUpload(key, query) {
      const given = new URLSearchParams(query);
      const expires = Number(given.get('expires'));
      const upload = {
        key,
        byteSize: Number(given.get('size')),
        contentType: given.get('type') ?? '',
        owner: given.get('owner') ?? '',
      };
      return (
        refusal(query, uploadQueries(upload, expires), expires) ?? { ...upload, expiresAt: new Date(expires) }
      );
    },
    readDownload(key, query) {
      const given = new URLSearchParams(query);
      const [name, contentType] = [given.get('name') ?? '', given.get('type') ?? ''];
      const expires = Number(given.get('expires'));
      const refused = refusal(query, downloadQueries(key, name, contentType, expires), expires);
      if (refused) return refused;
      const filename = Buffer.from(keyRing.open(Buffer.from(name, 'base64url'), nameAad(key))).toString();
      return { key, filename, contentType, expiresAt: new Date(expires) };
    },
  };
}

function isEqual(ours: string, theirs: string): boolean {
  const [a, b] = [Buffer.from(ours), Buffer.from(theirs)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function nameAad(key: string): AssociatedData {
  return { table: 'download', column: 'filename', row: key };
}
