import { postResult } from '../../testing/test-engine.ts';
import type { CertificateFacts, PostResult } from '../guarded-client/index.ts';
import { certificateFault, findingsOf } from './findings.ts';

const NOW = new Date('2026-11-20T10:00:00.000Z');
const DAY_MS = 86_400_000;
const after = (ms: number) => new Date(NOW.getTime() + ms);

const certificate = (notAfter: Date): CertificateFacts & { fault: string } => ({
  subject: 'CN=x',
  issuer: 'CN=y',
  notBefore: after(-DAY_MS),
  notAfter,
  tlsVersion: 'TLSv1.3',
  mistrust: undefined,
  namesHost: true,
  fault: '',
});

const ping = (facts: Partial<PostResult>, tookMs = 20) => ({
  ...postResult(facts),
  startedAt: after(-tookMs),
  endedAt: NOW,
});

const admitted = [{ address: '127.0.0.1', admitted: true }];
const lasting = certificate(after(365 * DAY_MS));

describe('preflight findings', () => {
  it('are empty when everything is correct', () => {
    expect(findingsOf({ addresses: admitted, certificate: lasting, ping: ping({}) })).toEqual([]);
  });

  it.each([
    [30 * DAY_MS, []],
    [30 * DAY_MS - 1, ['The certificate expires in less than 30 days.']],
    [2 * DAY_MS - 1, ['The certificate expires in less than 2 days.']],
    [DAY_MS - 1, ['The certificate expires in less than 1 day.']],
  ])('report a certificate that is valid for %i ms', (ms, findings) => {
    const sight = { addresses: admitted, certificate: certificate(after(ms)), ping: ping({}) };
    expect(findingsOf(sight)).toEqual(findings);
  });

  it.each([
    ['connection that ends', { error: 'reset', statusCode: undefined }],
    ['failed handshake', { error: 'tls', statusCode: undefined }],
    ['timeout', { error: 'timeout', statusCode: undefined }],
    ['status', { error: 'status', statusCode: 400 }],
  ] as const)('say after a %s that the receiver asks for a client certificate', (_, result) => {
    const findings = (asksForCertificate: boolean) =>
      findingsOf({
        addresses: admitted,
        certificate: lasting,
        ping: ping({ ...result, asksForCertificate }),
      });
    expect(findings(true).join(' ')).toContain('asks for a client certificate');
    expect(findings(false).join(' ')).not.toContain('client certificate');
  });

  it('say nothing of a client certificate when the ping succeeded without one', () => {
    const sight = { addresses: admitted, certificate: lasting, ping: ping({ asksForCertificate: true }) };
    expect(findingsOf(sight)).toEqual([]);
  });

  it('report a receiver that takes longer than five seconds', () => {
    expect(findingsOf({ addresses: admitted, certificate: lasting, ping: ping({}, 5_000) })).toEqual([]);
    expect(findingsOf({ addresses: admitted, certificate: lasting, ping: ping({}, 5_100) })).toEqual([
      'The ping took 5.1 seconds. Attempts time out after ten.',
    ]);
  });

  it.each([
    ['dns', 'The host name does not resolve to any address.'],
    ['connect', 'The receiver did not accept a TCP connection.'],
    ['tls', 'No TLS connection with version 1.2 or later could be established.'],
    ['timeout', 'The receiver did not respond in time.'],
    ['reset', 'The receiver closed the connection, or its response was not HTTP/1.1.'],
    ['interrupted', 'The ping was interrupted.'],
  ] as const)('report a ping that failed with %s', (error, finding) => {
    const failed = ping({ error, statusCode: undefined });
    expect(findingsOf({ addresses: [], certificate: undefined, ping: failed })).toEqual([finding]);
  });

  it('report why the ping failed even when the certificate was valid on the second connection', () => {
    const failed = ping({ error: 'tls', statusCode: undefined });
    const sight = { addresses: admitted, ping: failed };
    const [finding] = findingsOf({ ...sight, certificate: lasting });
    expect(finding).toBe('No TLS connection with version 1.2 or later could be established.');
    const untrusted = { ...lasting, fault: 'has expired' };
    expect(findingsOf({ ...sight, certificate: untrusted })).toEqual(['The certificate has expired.']);
  });

  it('report a certificate that could not be inspected although the ping succeeded', () => {
    expect(findingsOf({ addresses: admitted, certificate: undefined, ping: ping({}) })).toEqual([
      'The certificate could not be read, because a second connection failed.',
    ]);
  });
});

const day = (days: number) => after(days * DAY_MS);
const sound = { mistrust: undefined, namesHost: true, notBefore: day(-1), notAfter: day(1) };

describe('certificate fault', () => {
  it('is empty when the certificate is trusted, current and for the host', () => {
    expect(certificateFault(sound, NOW)).toBe('');
  });

  it('is listed once, together with every other', () => {
    const expired = { ...sound, mistrust: 'CERT_HAS_EXPIRED', notAfter: day(-1), namesHost: false };
    expect(certificateFault(expired, NOW)).toBe('has expired, and is for a different host');
    const early = { ...sound, mistrust: 'DEPTH_ZERO_SELF_SIGNED_CERT', notBefore: day(1) };
    expect(certificateFault(early, NOW)).toBe('is self-signed, and is not valid yet');
  });

  it('is described by its code when nothing else is known', () => {
    expect(certificateFault({ ...sound, mistrust: 'EE_KEY_TOO_SMALL' }, NOW)).toBe(
      'is not trusted (EE_KEY_TOO_SMALL)',
    );
  });
});
