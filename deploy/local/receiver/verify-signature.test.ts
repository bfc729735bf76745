import { createHmac } from 'node:crypto';
import { verifySignature } from './verify-signature.ts';

const SECRET = 'whsec_0123456789abcdef';
const NOW = 1_790_000_000;
const rawBody = Buffer.from('{"id":"1","data":{"name":"Zoë"}}');

const hmac = (secret: string, timestamp: string, body: Uint8Array) =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
const signed = (over: { timestamp?: string; signature?: string } = {}) => {
  const timestamp = over.timestamp ?? String(NOW);
  return { timestamp, signature: over.signature ?? `v1=${hmac(SECRET, timestamp, rawBody)}`, rawBody };
};

describe('verifySignature', () => {
  it('accepts a signature over the timestamp, a dot and the raw bytes', () => {
    expect(verifySignature(signed(), [SECRET], NOW)).toBe(true);
  });

  it('uses the complete secret, including its prefix', () => {
    expect(verifySignature(signed(), [SECRET.slice('whsec_'.length)], NOW)).toBe(false);
  });

  it('accepts any matching v1 entry of several, and ignores other schemes', () => {
    const good = `v1=${hmac(SECRET, String(NOW), rawBody)}`;
    expect(
      verifySignature(signed({ signature: `v2=abc, v1=${'0'.repeat(64)}, ${good}` }), [SECRET], NOW),
    ).toBe(true);
    expect(verifySignature(signed({ signature: good.replace('v1=', 'v2=') }), [SECRET], NOW)).toBe(false);
  });

  it('accepts either of two secrets during a rotation', () => {
    expect(verifySignature(signed(), ['whsec_new', SECRET], NOW)).toBe(true);
  });

  it.each([
    [-300, true],
    [300, true],
    [-301, false],
    [301, false],
  ])('treats a timestamp %i seconds away as %s', (offset, expected) => {
    expect(verifySignature(signed({ timestamp: String(NOW + offset) }), [SECRET], NOW)).toBe(expected);
  });

  it('refuses another body, another secret, a shortened signature, and missing or malformed headers', () => {
    expect(verifySignature({ ...signed(), rawBody: Buffer.from('{}') }, [SECRET], NOW)).toBe(false);
    expect(verifySignature(signed(), ['whsec_other'], NOW)).toBe(false);
    expect(verifySignature(signed({ signature: 'v1=abcd' }), [SECRET], NOW)).toBe(false);
    expect(verifySignature({ ...signed(), signature: undefined }, [SECRET], NOW)).toBe(false);
    expect(verifySignature({ ...signed(), timestamp: undefined }, [SECRET], NOW)).toBe(false);
    expect(verifySignature(signed({ timestamp: `${NOW}.5` }), [SECRET], NOW)).toBe(false);
    expect(verifySignature(signed(), [], NOW)).toBe(false);
  });
});
