import { timingSafeEqual } from 'node:crypto';
import type { AssociatedData, KeyRing } from '@supplier/lib/crypto';
import type { Clock } from '@supplier/lib/time';
import type { Download, Upload } from '../object-store.ts';

/** Why a URL is refused: it is not, sign for sign, one that was issued with this key ring, or it has expired. */
export type Inadmissible = 'forged' | 'expired';

/** Signs and verifies the URLs of the upload listener. A query is the text behind the `?`. */
export interface SignedLinks {
  upload(upload: Upload): string;
  download(download: Download): string;
  readUpload(key: string, query: string): Upload | Inadmissible;
  readDownload(key: string, query: string): Download | Inadmissible;
}

/**
 * URLs that carry what they admit, signed with HMAC-SHA256 under a key derived from the ring for this purpose alone,
 * one for uploads and one for downloads: neither kind can be turned into the other. Names of files are sealed: URLs end
 * in histories and in logs of proxies.
 */
export function signedLinks(publicUrl: string, keyRing: KeyRing, clock: Clock): SignedLinks {
  const sign = (kind: string, fields: readonly (string | number)[]) =>
    Buffer.from(keyRing.digest(`document ${kind} link`, JSON.stringify(fields))).toString('base64url');

  const queryOf = (kind: string, key: string, query: Record<string, string | number>) => {
    const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    return `${new URLSearchParams([...pairs, ['signature', sign(kind, [key, ...Object.values(query)])]])}`;
  };

  /** Compares whole texts: one link has one spelling, without parameters that are repeated, added or written otherwise. */
  const refusal = (given: string, wanted: string, expires: number): Inadmissible | undefined => {
    const [ours, theirs] = [Buffer.from(wanted), Buffer.from(given)];
    if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return 'forged';
    return expires > clock.now().getTime() ? undefined : 'expired';
  };

  const uploadQuery = (
    { key, byteSize, contentType, owner = '' }: Omit<Upload, 'expiresAt'>,
    expires: number,
  ) => queryOf('upload', key, { size: byteSize, type: contentType, ...(owner ? { owner } : {}), expires });
  const downloadQuery = (key: string, name: string, type: string, expires: number) =>
    queryOf('download', key, { name, type, expires });

  return {
    upload: (upload) =>
      `${publicUrl}/uploads/${upload.key}?${uploadQuery(upload, upload.expiresAt.getTime())}`,
    download({ key, filename, contentType, expiresAt }) {
      const sealed = keyRing.seal(Buffer.from(filename.toWellFormed()), nameAad(key));
      const name = Buffer.from(sealed).toString('base64url');
      return `${publicUrl}/downloads/${key}?${downloadQuery(key, name, contentType, expiresAt.getTime())}`;
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
        refusal(query, uploadQuery(upload, expires), expires) ?? { ...upload, expiresAt: new Date(expires) }
      );
    },
    readDownload(key, query) {
      const given = new URLSearchParams(query);
      const [name, contentType] = [given.get('name') ?? '', given.get('type') ?? ''];
      const expires = Number(given.get('expires'));
      const refused = refusal(query, downloadQuery(key, name, contentType, expires), expires);
      if (refused) return refused;
      const filename = Buffer.from(keyRing.open(Buffer.from(name, 'base64url'), nameAad(key))).toString();
      return { key, filename, contentType, expiresAt: new Date(expires) };
    },
  };
}

function nameAad(key: string): AssociatedData {
  return { table: 'download', column: 'filename', row: key };
}
