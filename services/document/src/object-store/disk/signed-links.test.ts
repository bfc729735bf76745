import { KeyRing } from '@supplier/lib/data/crypto';
import { systemClock } from '@supplier/lib/text/time';
import { signedLinks } from './signed-links.ts';

const bytes = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const linksUnder = (...ids: number[]) =>
  signedLinks(
    'https://documents.test',
    KeyRing.fromJson(
      JSON.stringify({
        primary: 'k1',
        keys: { k1: bytes(9) },
        primaryDigestKey: `d${ids[0]}`,
        digestKeys: Object.fromEntries(ids.map((id) => [`d${id}`, bytes(id)])),
      }),
    ),
    systemClock,
  );

describe('links signed before the digest key was replaced', () => {
  const upload = {
    key: 'a'.repeat(32),
    byteSize: 3,
    contentType: 'text/csv',
    expiresAt: new Date(Date.now() + 60_000),
  };
  const admitted = (url: string, ...ids: number[]) =>
    linksUnder(...ids).readUpload(upload.key, new URL(url).search.slice(1));

  it('are accepted with either signing key while the old key is in the ring, and rejected as forged after it is removed', () => {
    const old = linksUnder(1).upload(upload);
    expect(admitted(old, 1, 2)).toMatchObject(upload);
    expect(admitted(old, 2, 1)).toMatchObject(upload);
    expect(admitted(old, 2)).toBe('forged');
    expect(admitted(linksUnder(2, 1).upload(upload), 1, 2)).toMatchObject(upload);
    expect(admitted(old.replace('size=3', 'size=4'), 2, 1)).toBe('forged');
  });
});
