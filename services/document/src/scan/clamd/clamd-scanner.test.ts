import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import {
  answering,
  type FakeClamd,
  isComplete,
  pieces,
  startFakeClamd,
} from '../../../testing/fake-clamd.ts';
import { ScannerLost, type ScanVerdict } from '../malware-scanner.ts';
import { CLAMD_BOUNDS, type ClamdBounds, clamdScanner } from './clamd-scanner.ts';

const MIB = 1024 * 1024;
const NEVER = new AbortController().signal;

let clamd: FakeClamd | undefined;
afterEach(() => clamd?.close());

async function scannerOf(act: Parameters<typeof startFakeClamd>[0], bounds: Partial<ClamdBounds> = {}) {
  clamd = await startFakeClamd(act);
  return clamdScanner(clamd.address, { ...CLAMD_BOUNDS, ...bounds });
}

/** Returns the verdict on `bytes` when clamd replies `reply`. */
async function scanned(
  reply: string,
  bytes: Readable = Readable.from([Buffer.from('hello')]),
): Promise<ScanVerdict> {
  return (await scannerOf(answering(reply))).scan(bytes, NEVER);
}

function endless(chunkBytes = 65_536): Readable {
  return new Readable({
    read() {
      this.push(Buffer.alloc(chunkBytes, 'x'));
    },
  });
}

describe('clamd replies', () => {
  it.each([
    ['stream: OK\0', { kind: 'clean' }],
    ['stream: Win.Test.EICAR_HDB-1 FOUND\0', { kind: 'infected', signature: 'Win.Test.EICAR_HDB-1' }],
    ['stream: a b\x01\n\xe9 FOUND\0', { kind: 'infected', signature: 'a_b____' }],
    [`stream: ${'x'.repeat(3_000)} FOUND\0`, { kind: 'infected', signature: 'x'.repeat(200) }],
    ['stream: Heuristics.Encrypted.Zip FOUND\0', { kind: 'encrypted' }],
    ['stream: Heuristics.Encrypted.PDF FOUND\0', { kind: 'encrypted' }],
    ['stream: Heuristics.Limits.Exceeded.MaxScanSize FOUND\0', { kind: 'limits_exceeded' }],
    ['INSTREAM size limit exceeded. ERROR\0', { kind: 'limits_exceeded' }],
  ])('include the verdict %j', async (reply, verdict) => {
    expect(await scanned(reply)).toEqual(verdict);
  });

  it.each([
    '',
    'stream: OK',
    'stream: Win.Test FOUND',
    '\0',
    'OK\0',
    'stream: OK \0',
    'stream: FOUND\0',
    'stream:  FOUND\0',
    "stream: Can't allocate memory ERROR\0",
    'UNKNOWN COMMAND\0',
    'HTTP/1.1 400 Bad Request\r\n\r\n\0',
    `stream: ${'x'.repeat(5_000)} FOUND\0`,
    'x'.repeat(1_000_000),
  ])('are rejected when they contain no verdict: %j', async (reply) => {
    await expect(scanned(reply)).rejects.toMatchObject({ name: 'ScannerUnavailable' });
  });

  it('are assembled from single bytes', async () => {
    const scanner = await scannerOf((socket, heard) => {
      socket.setNoDelay();
      socket.on('data', async () => {
        if (!isComplete(heard())) return;
        for (const byte of Buffer.from('stream: OK\0')) {
          socket.write(Buffer.from([byte]));
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
    });
    expect(await scanner.scan(Readable.from([Buffer.from('x')]), NEVER)).toEqual({ kind: 'clean' });
  });
});

describe('scanned stream', () => {
  it('reaches clamd in full, in chunks of at most one mebibyte, with one empty chunk at its end', async () => {
    const chunks = [
      Buffer.from('a'),
      Buffer.alloc(0),
      Buffer.alloc(2.5 * MIB, 'b'),
      Buffer.alloc(0),
      Buffer.from('c'),
    ];
    await scanned('stream: OK\0', Readable.from(chunks));
    const sent = pieces(clamd?.received[0] ?? Buffer.alloc(0));
    expect(sent.map(({ length }) => length)).toEqual([1, MIB, MIB, MIB / 2, 1, 0]);
    expect(Buffer.concat(sent).equals(Buffer.concat(chunks))).toBe(true);
  });

  it('is read no faster than clamd reads it', async () => {
    const scanner = await scannerOf((socket) => socket.pause(), { idleMs: 300 });
    let read = 0;
    const bytes = new Readable({
      read() {
        read += 65_536;
        this.push(Buffer.alloc(65_536));
      },
    });
    await expect(scanner.scan(bytes, NEVER)).rejects.toThrow('scanner unavailable: stopped reading');
    expect(read).toBeLessThan(32 * MIB);
  });

  it('that fails rejects with its own error and is destroyed', async () => {
    const bytes = Readable.from(
      (async function* () {
        yield Buffer.from('x');
        throw new Error('the store failed');
      })(),
    );
    await expect(scanned('stream: OK\0', bytes)).rejects.toThrow('the store failed');
    expect(bytes.destroyed).toBe(true);
  });

  it('that clamd has only partly read is not clean', async () => {
    const scanner = await scannerOf((socket) => socket.write('stream: OK\0'));
    const bytes = endless();
    await expect(scanner.scan(bytes, NEVER)).rejects.toThrow('replied before the end of the stream');
    expect(bytes.destroyed).toBe(true);
  });

  it('is not sent to its end once clamd has replied', async () => {
    const scanner = await scannerOf((socket, heard) => {
      socket.on('data', () => {
        if (heard().length > MIB) socket.end('INSTREAM size limit exceeded. ERROR\0');
      });
    });
    expect(await scanner.scan(endless(), NEVER)).toEqual({ kind: 'limits_exceeded' });
  });
});

describe('clamd', () => {
  const cases: [string, (socket: Socket) => void][] = [
    ['that disconnects immediately', (socket) => socket.destroy()],
    ['that resets the connection', (socket) => socket.resetAndDestroy()],
    ['that disconnects during the stream', (socket) => socket.once('data', () => socket.destroy())],
    ['that never replies', () => {}],
  ];
  it.each(cases)('%s is unavailable', async (_what, act) => {
    const scanner = await scannerOf(act, { verdictMs: 200, idleMs: 200, connectMs: 200 });
    for (const bytes of [Readable.from([Buffer.alloc(3 * MIB)]), Readable.from([Buffer.from('x')])]) {
      await expect(scanner.scan(bytes, NEVER)).rejects.toMatchObject({ name: 'ScannerUnavailable' });
      expect(bytes.destroyed).toBe(true);
    }
    await expect(scanner.signatures()).rejects.toMatchObject({ name: 'ScannerUnavailable' });
  });

  it('that disappears during a scan is distinguished from one that was never there', async () => {
    const scanner = await scannerOf((socket) => socket.once('data', () => socket.destroy()));
    const lost = scanner.scan(Readable.from([Buffer.alloc(3 * MIB)]), NEVER);
    await expect(lost).rejects.toBeInstanceOf(ScannerLost);
  });

  it('that is not running is unavailable', async () => {
    const scanner = await scannerOf(() => {});
    await clamd?.close();
    clamd = undefined;
    const bytes = Readable.from([Buffer.from('x')]);
    const refused = scanner.scan(bytes, NEVER);
    await expect(refused).rejects.toThrow('scanner unavailable: connection failed');
    await expect(refused).rejects.not.toBeInstanceOf(ScannerLost);
    expect(bytes.destroyed).toBe(true);
  });

  it('is unavailable when a scan exceeds its time limit', async () => {
    const scanner = await scannerOf(() => {}, { scanMs: 200 });
    await expect(scanner.scan(new Readable({ read() {} }), NEVER)).rejects.toThrow(
      'scanner unavailable: scan timed out',
    );
  });

  it('is disconnected immediately when the scan is aborted', async () => {
    const scanner = await scannerOf(() => {});
    const aborted = new AbortController();
    const scanning = scanner.scan(Readable.from([Buffer.from('x')]), aborted.signal);
    setTimeout(() => aborted.abort(new Error('aborted')), 50);
    await expect(scanning).rejects.toThrow('aborted');
  });
});

describe('signatures', () => {
  const LOCKED_BYTES = 1_000;
  /** A clamd with these replies to VERSION, to a small locked archive and to a large nested one. */
  const set = (version: string, locked: string, nested: string) =>
    scannerOf(
      answering((heard) => {
        if (heard.toString('latin1').startsWith('zVERSION')) return `${version}\0`;
        return heard.length < LOCKED_BYTES ? `stream: ${locked}\0` : `stream: ${nested}\0`;
      }),
    );
  const VERSION = 'ClamAV 1.4.6/27500/Fri Nov 20 09:21:11 2026';
  const ENCRYPTED = 'Heuristics.Encrypted.Zip FOUND';
  const EXCEEDED = 'Heuristics.Limits.Exceeded.MaxRecursion FOUND';

  it('are parsed from the reply to VERSION', async () => {
    const scanner = await set(VERSION, ENCRYPTED, EXCEEDED);
    expect((await scanner.signatures()).official?.version).toBe(27500);
    expect(clamd?.received[0]?.toString()).toBe('zVERSION\0');
  });

  it.each([
    ['encrypted files', 'OK', EXCEEDED],
    ['files over its limits', ENCRYPTED, 'OK'],
  ])('are rejected when clamd does not report %s', async (what, locked, nested) => {
    const scanner = await set(VERSION, locked, nested);
    await expect(scanner.signatures()).rejects.toThrow(`clamd does not report ${what}`);
  });

  it('are not derived from a reply without them', async () => {
    const scanner = await scannerOf(answering('PONG\0'));
    await expect(scanner.signatures()).rejects.toMatchObject({ name: 'ScannerUnavailable' });
  });
});
