import { fingerprintOf, newSigningSecret, signatureOf, signedHeaders } from './signing.ts';

describe('signing secret', () => {
  it('consists of the prefix and 32 random bytes, and never repeats', () => {
    const secrets = new Set(Array.from({ length: 100 }, newSigningSecret));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  });

  it('has a fingerprint of eight hex digits of its SHA-256', () => {
    expect(fingerprintOf('whsec_two')).toBe('78488485');
  });
});

const SECRET = 'whsec_c3VwcGxpZXItc3VibWlzc2lvbi12ZWN0b3ItMQ';
const ENVELOPE =
  '{"id":"0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10","type":"submission.status_changed",' +
  '"occurred_at":"2026-11-20T10:15:30.123Z","data":{"status":"accepted"}}';

/** Each expected value comes from `(printf '<timestamp>.'; cat body) | openssl dgst -sha256 -hmac '<secret>'`. */
const VECTORS = [
  {
    what: 'a compact envelope',
    secret: SECRET,
    timestamp: 1_795_169_730,
    body: ENVELOPE,
    expected: '48d41ce812f4ebdfb3dcdaa1c370e84b7acebf796131d7ba04013481a9cf7827',
  },
  {
    what: 'text beyond ASCII, counted in its UTF-8 bytes',
    secret: 'whsec_two',
    timestamp: 0,
    body: '{"name":"Zoë & Søn — 東京 🚚"}',
    expected: 'eb00e7452fc666b06b3a7b9d50a313603679ccd01499a1a698c2852c3dc94000',
  },
  {
    what: 'an empty body',
    secret: SECRET,
    timestamp: 1_795_169_730,
    body: '',
    expected: '3d9fd7ffc2153e893c0fc9ab09c66feaed29efa73245170c3e9a4a08d1caec6e',
  },
];

describe('signature', () => {
  it.each(VECTORS)(
    'of $what matches the value that openssl computes',
    ({ secret, timestamp, body, expected }) => {
      expect(signatureOf(secret, timestamp, Buffer.from(body))).toBe(`v1=${expected}`);
    },
  );

  it('is keyed with the secret including its prefix: without the prefix it differs', () => {
    const body = Buffer.from(ENVELOPE);
    expect(signatureOf(SECRET.slice('whsec_'.length), 1_795_169_730, body)).not.toBe(
      signatureOf(SECRET, 1_795_169_730, body),
    );
  });
});

describe('headers of an attempt', () => {
  const body = Buffer.from(ENVELOPE);

  it('match the contract exactly', () => {
    const headers = signedHeaders(
      '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10',
      body,
      SECRET,
      new Date(1_795_169_730_999),
    );
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Svc-Webhooks/1',
      'Svc-Webhook-Id': '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10',
      'Svc-Webhook-Timestamp': '1795169730',
      'Svc-Webhook-Signature': 'v1=48d41ce812f4ebdfb3dcdaa1c370e84b7acebf796131d7ba04013481a9cf7827',
    });
  });

  it('change with the time of the attempt', () => {
    const first = signedHeaders('x', body, SECRET, new Date(1_795_169_730_000));
    const second = signedHeaders('x', body, SECRET, new Date(1_795_169_731_000));
    expect(second['Svc-Webhook-Timestamp']).toBe('1795169731');
    expect(second['Svc-Webhook-Signature']).not.toBe(first['Svc-Webhook-Signature']);
    expect(second['Svc-Webhook-Id']).toBe(first['Svc-Webhook-Id']);
  });
});
