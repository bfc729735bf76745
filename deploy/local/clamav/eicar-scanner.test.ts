import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { CLAMD_BOUNDS, clamdScanner } from '../../../services/document/src/scan/clamd/clamd-scanner.ts';
import { EICAR } from '../../../services/document/testing/eicar.ts';
import { scanForEicar } from './eicar-scanner.ts';

const MIB = 1024 * 1024;
const server = createServer({ allowHalfOpen: true }, scanForEicar);
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void server.close());

const scannerOf = (isLocal: boolean) =>
  clamdScanner({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }, CLAMD_BOUNDS, {
    largestBytes: 25 * MIB,
    isLocal,
  });
const verdictOf = (...chunks: Buffer[]) =>
  scannerOf(true).scan(Readable.from(chunks), new AbortController().signal);

describe('the scanner of a machine without clamd', () => {
  const infected = { kind: 'infected', signature: 'Eicar-Test-Signature' };
  const test = Buffer.from(EICAR);

  it('finds the EICAR test file wherever it is, and nothing else', async () => {
    const filler = Buffer.alloc(MIB - 30, 'x');
    expect(await verdictOf(test)).toEqual(infected);
    expect(await verdictOf(filler, test, filler)).toEqual(infected);
    expect(await verdictOf(...Array.from(test, (byte) => Buffer.from([byte])))).toEqual(infected);
    // Across two of the largest chunks.
    expect(await verdictOf(Buffer.concat([filler, test, filler]))).toEqual(infected);
    expect(await verdictOf(test.subarray(1), filler, test.subarray(0, -1))).toEqual({ kind: 'clean' });
    expect(await verdictOf()).toEqual({ kind: 'clean' });
  });

  it('scans 32 MiB and no more', async () => {
    const most = Array.from({ length: 32 }, () => Buffer.alloc(MIB));
    expect(await verdictOf(...most)).toEqual({ kind: 'clean' });
    expect(await verdictOf(...most, Buffer.from('x'))).toEqual({ kind: 'limits_exceeded' });
  });

  it('is accepted by a local stack, without official signatures, and by no other deployment', async () => {
    expect(await scannerOf(true).signatures()).toEqual({ official: undefined });
    await expect(scannerOf(false).signatures()).rejects.toThrow('unknown reply to VERSION');
  });
});
