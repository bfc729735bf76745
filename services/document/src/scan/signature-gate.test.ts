import { startTestProcess } from '@supplier/lib/testing';
import type { SignatureSet } from '../model/signatures.ts';
import { type Scanner, ScannerUnavailable } from './malware-scanner.ts';
import { signatureGate } from './signature-gate.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const RECENT: SignatureSet = { official: { version: 27500, publishedAt: NOW } };

function gateOver(signatures: () => SignatureSet, anySignatures = false) {
  const process = startTestProcess('scanner');
  let checks = 0;
  const scanner: Scanner = {
    scan: () => Promise.reject(new Error('nothing is scanned here')),
    async signatures() {
      checks += 1;
      return signatures();
    },
  };
  const policy = { maxAgeDays: 7, anySignatures };
  let elapsed = 0;
  const gate = signatureGate({
    scanner,
    policy,
    clock: { now: () => NOW },
    log: process.log,
    elapsedMs: () => elapsed,
  });
  const pass = (ms: number) => {
    elapsed += ms;
  };
  return { gate, lines: process.lines, checks: () => checks, pass };
}

describe('signatureGate', () => {
  it('checks the signatures once in 30 seconds', async () => {
    const { gate, checks, pass } = gateOver(() => RECENT);
    for (let look = 0; look < 5; look += 1) expect(await gate.admitted()).toEqual(['sandbox', 'production']);
    expect(checks()).toBe(1);
    pass(30_000);
    await gate.admitted();
    expect(checks()).toBe(2);
  });

  it('admits no environment while the signatures are unfit, and logs each reason once', async () => {
    let signatures: SignatureSet = { official: undefined };
    const { gate, lines, pass } = gateOver(() => signatures);
    for (let look = 0; look < 3; look += 1) {
      expect(await gate.admitted()).toEqual([]);
      pass(30_000);
    }
    signatures = { official: { version: 1, publishedAt: new Date(0) } };
    expect(await gate.admitted()).toEqual([]);
    pass(30_000);
    signatures = RECENT;
    expect(await gate.admitted()).toEqual(['sandbox', 'production']);
    expect(lines.map(({ level, reason }) => [level, reason])).toEqual([
      ['warn', 'no official signatures'],
      ['warn', 'signatures too old'],
      ['info', 'signatures too old'],
    ]);
  });

  it('logs the environment to which the override applies', async () => {
    const { gate, lines } = gateOver(() => ({ official: undefined }), true);
    expect(await gate.admitted()).toEqual(['sandbox']);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      reason: 'no official signatures; only sandbox documents are scanned',
    });
  });

  it('checks an unavailable scanner with increasing back-off, and logs that once', async () => {
    let unavailable = true;
    const { gate, lines, checks, pass } = gateOver(() => {
      if (unavailable) throw new ScannerUnavailable('connection failed');
      return RECENT;
    });
    const gaps: number[] = [];
    for (let failure = 0, before = 0; failure < 8; failure += 1) {
      let waited = 0;
      for (before = checks(); checks() === before; waited += 500) {
        pass(500);
        expect(await gate.admitted()).toEqual([]);
      }
      gaps.push(waited);
    }
    expect(gaps.slice(1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    expect(gate.available()).toBe(false);
    unavailable = false;
    pass(60_000);
    expect(await gate.admitted()).toEqual(['sandbox', 'production']);
    expect(gate.available()).toBe(true);
    gate.scannerFailed(new ScannerUnavailable('connection failed'));
    pass(1_000);
    expect(await gate.admitted()).toEqual(['sandbox', 'production']);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['warn', 'scanning paused'],
      ['info', 'scanning resumed'],
      ['warn', 'scanning paused'],
      ['info', 'scanning resumed'],
    ]);
  });

  it('admits no environment after a failed scan, until the scanner has answered again', async () => {
    const { gate, checks, pass } = gateOver(() => RECENT);
    await gate.admitted();
    gate.scannerFailed(new ScannerUnavailable('connection lost'));
    expect(await gate.admitted()).toEqual([]);
    expect(checks()).toBe(1);
    pass(1_000);
    expect(await gate.admitted()).toEqual(['sandbox', 'production']);
  });
});
