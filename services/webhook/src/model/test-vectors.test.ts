import { spawnSync } from 'node:child_process';
import { itWith } from '@supplier/lib/testing';
import type { EventId } from '@supplier/lib/text/ids';
import { type PublishedVector, publishedVectors } from '../../testing/published-vectors.ts';
import { EXAMPLE_SECRET, envelopeBytes, exampleStatus } from './envelope.ts';
import { signatureOf } from './signing.ts';

const { tolerance_seconds: tolerance, vectors } = publishedVectors();
const OPENSSL = { command: 'openssl', debianPackage: 'openssl' };

/** Returns the expected verdict of a vector, computed from how its secrets sign. */
function isGenuine(vector: PublishedVector, sign: (secret: string) => string): boolean {
  const { timestamp, now = Number(timestamp) } = vector;
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > tolerance) return false;
  const entries = vector.signature.split(',');
  return vector.secrets.some((secret) => isSecret(secret) && entries.includes(sign(secret)));
}

/** An unset variable, the bare prefix and similar values are not secrets: an attacker who guesses them could sign. */
const isSecret = (secret: string) => /^whsec_[A-Za-z0-9_-]{43}$/.test(secret);

function signWithOpenssl({ timestamp, body }: PublishedVector, secret: string): string {
  const { stdout, status, stderr } = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], {
    input: Buffer.from(`${timestamp}.${body}`),
  });
  if (status !== 0) throw new Error(`openssl failed: ${stderr}`);
  return `v1=${stdout.toString('latin1').split(' ')[0]}`;
}

describe('published test vectors', () => {
  it('include at least a dozen of either kind, each with a unique name', () => {
    expect(new Set(vectors.map(({ description }) => description)).size).toBe(vectors.length);
    expect(vectors.filter(({ valid }) => valid).length).toBeGreaterThanOrEqual(10);
    expect(vectors.filter(({ valid }) => !valid).length).toBeGreaterThanOrEqual(12);
    expect(tolerance).toBe(300);
  });

  it('begin with the example event under the example secret, in the bytes that the service would send', () => {
    const example = vectors[0];
    const { id, occurred_at } = JSON.parse(example?.body ?? '');
    expect(example?.body).toBe(
      Buffer.from(envelopeBytes(id as EventId, occurred_at, exampleStatus)).toString(),
    );
    expect(example).toMatchObject({ valid: true, secrets: [EXAMPLE_SECRET] });
    expect(example?.signature).toBe(
      signatureOf(EXAMPLE_SECRET, Number(example?.timestamp), Buffer.from(example?.body ?? '')),
    );
  });

  it('sign with each unusable secret, so that only a verifier that rejects such a secret passes', () => {
    const unusable = vectors.filter(
      ({ valid, description }) => !valid && /secret.*(?:although|opens)/.test(description),
    );
    expect(unusable).toHaveLength(14);
    for (const { timestamp, signature, secrets, body, description } of unusable) {
      const signatures = secrets
        .filter((secret) => !isSecret(secret))
        .map((secret) => signatureOf(secret, Number(timestamp), Buffer.from(body)));
      expect([description, signatures]).toEqual([description, [signature]]);
    }
  });

  it('include a non-ASCII body, and an equivalent one with escapes', () => {
    const valid = vectors.filter(({ valid }) => valid).map(({ body }) => body);
    const plain = valid.find((body) => /[^\p{ASCII}]/u.test(body));
    const escaped = valid.find((body) => body.includes('\\ud83d\\ude9a') && /^\p{ASCII}*$/u.test(body));
    expect(plain).toMatch(/\\"|\\t/);
    expect(JSON.parse(escaped ?? '')).toEqual(JSON.parse(plain ?? '{}'));
  });

  it.each(vectors)("match the service's signatures: $description", (vector) => {
    const sign = (secret: string) => signatureOf(secret, Number(vector.timestamp), Buffer.from(vector.body));
    expect(isGenuine(vector, sign)).toBe(vector.valid);
  });

  itWith(OPENSSL).each(vectors)('match the signatures of openssl: $description', (vector) => {
    expect(isGenuine(vector, (secret) => signWithOpenssl(vector, secret))).toBe(vector.valid);
  });
});
