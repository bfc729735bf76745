import { timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '@supplier/lib/crypto';
import type { Clock } from '@supplier/lib/time';
import type { Download, Upload } from '../object-store.ts';

/** Why a URL is refused: its signature is not of this key ring, or it has expired. */
export type Inadmissible = 'forged' | 'expired';

/** Signs and verifies the URLs of the upload listener. */
export interface SignedLinks {
  upload(upload: Upload): string;
  download(download: Download): string;
  readUpload(key: string, query: URLSearchParams): Upload | Inadmissible;
  readDownload(key: string, query: URLSearchParams): Download | Inadmissible;
}

/**
 * URLs that carry what they admit, signed with HMAC-SHA256 under a key derived from the ring for this purpose alone,
 * one for uploads and one for downloads: neither kind can be turned into the other.
 */
export function signedLinks(publicUrl: string, keyRing: KeyRing, clock: Clock): SignedLinks {
  /** Under each digest key of the ring: the first signs, and all are admitted, so that a new key breaks no link. */
  const signatures = (kind: string, fields: readonly (string | number)[]) =>
    keyRing
      .digests(`document ${kind} link`, JSON.stringify(fields))
      .map((digest) => Buffer.from(digest).toString('base64url'));

  const urlOf = (kind: string, key: string, query: Record<string, string | number>, signed: string[]) => {
    const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const parameters = new URLSearchParams([...pairs, ['signature', signed[0] ?? '']]);
    return `${publicUrl}/${kind}s/${key}?${parameters}`;
  };

  const refusal = (query: URLSearchParams, expected: string[], expiresAt: Date): Inadmissible | undefined => {
    // The encoded texts: several base64url texts decode to the same bytes.
    const given = Buffer.from(query.get('signature') ?? '');
    const isSigned = expected
      .map((text) => Buffer.from(text))
      .map((wanted) => given.length === wanted.length && timingSafeEqual(given, wanted))
      .includes(true);
    if (!isSigned) return 'forged';
    return expiresAt > clock.now() ? undefined : 'expired';
  };

  return {
    upload({ key, byteSize, contentType, expiresAt }) {
      const expires = expiresAt.getTime();
      const query = { size: byteSize, type: contentType, expires };
      return urlOf('upload', key, query, signatures('upload', [key, byteSize, contentType, expires]));
    },
    download({ key, filename: name, contentType, expiresAt }) {
      const filename = name.toWellFormed();
      const expires = expiresAt.getTime();
      const query = { filename, type: contentType, expires };
      return urlOf('download', key, query, signatures('download', [key, filename, contentType, expires]));
    },
    readUpload(key, query) {
      const byteSize = Number(query.get('size'));
      const contentType = query.get('type') ?? '';
      const expires = Number(query.get('expires'));
      const expiresAt = new Date(expires);
      const signed = signatures('upload', [key, byteSize, contentType, expires]);
      return refusal(query, signed, expiresAt) ?? { key, byteSize, contentType, expiresAt };
    },
    readDownload(key, query) {
      const filename = query.get('filename') ?? '';
      const contentType = query.get('type') ?? '';
      const expires = Number(query.get('expires'));
      const expiresAt = new Date(expires);
      const signed = signatures('download', [key, filename, contentType, expires]);
      return refusal(query, signed, expiresAt) ?? { key, filename, contentType, expiresAt };
    },
  };
}
