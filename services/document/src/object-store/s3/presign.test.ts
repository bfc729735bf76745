import { presign, signingKey } from './presign.ts';

const now = new Date('2013-05-24T00:00:00Z');
const example = {
  method: 'GET' as const,
  publicUrl: 'https://examplebucket.s3.amazonaws.com',
  path: '/test.txt',
  region: 'us-east-1',
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  headers: {},
  query: {},
  now,
  expiresAt: new Date(now.getTime() + 86_400_000),
};
const parameters = (url: string) => new URL(url).searchParams;

describe('presigned URL', () => {
  it('matches the example that AWS publishes', () => {
    expect(presign(example)).toBe(
      'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });

  it('is signed with the key that AWS publishes for its derivation example', () => {
    const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
    expect(signingKey(secret, '20150830/us-east-1/iam/aws4_request').toString('hex')).toBe(
      'c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9',
    );
  });

  it('lists every header it fixes, and has a different signature for a different value', () => {
    const put = (length: string) =>
      parameters(
        presign({
          ...example,
          method: 'PUT',
          headers: { 'content-type': 'text/csv', 'content-length': length },
        }),
      );
    expect(put('4').get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host');
    expect(put('4').get('X-Amz-Signature')).not.toBe(put('5').get('X-Amz-Signature'));
  });

  it.each([
    ['fractions of a second are rounded down', 1_999, '1'],
    ['an expiry in the past becomes the minimum', -5_000, '1'],
    ['an expiry beyond a week becomes the maximum', 8 * 86_400_000, '604800'],
  ])('%s', (_what, ms, seconds) => {
    const url = presign({ ...example, expiresAt: new Date(now.getTime() + ms) });
    expect(parameters(url).get('X-Amz-Expires')).toBe(seconds);
  });

  it('encodes any query value as one value', () => {
    const value = `attachment; filename="a&b=c d+e%'()*"`;
    const url = presign({ ...example, query: { 'response-content-disposition': value } });
    expect(parameters(url).get('response-content-disposition')).toBe(value);
    expect(url).not.toMatch(/[ "'()*+]/);
  });
});
