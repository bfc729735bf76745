import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { addAbortSignal, Readable } from 'node:stream';
import { within } from '@supplier/lib/runtime/deadlines';
import { readVersionReply, type SignatureSet } from '../../model/signatures.ts';
import { type Scanner, ScannerLost, ScannerUnavailable, type ScanVerdict } from '../malware-scanner.ts';
import { checkLimits, checkSettings } from './clamd-settings.ts';

const MAX_CHUNK_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;
const NEVER = new AbortController().signal;
const MAX_NAME_LENGTH = 200;
/** What the scanner of a local stack replies to VERSION. It knows only the EICAR test file. */
export const EICAR_SCANNER = 'EICAR scanner';
const STREAM_TOO_LONG = 'INSTREAM size limit exceeded. ERROR';

/**
 * Returns a scanner that uses ClamAV's clamd, with one connection per command and replies terminated by NUL. A clamd
 * that is not configured to report what it could not scan, or that scans less than the largest document where one is
 * given, counts as unavailable: `signatures` rejects. So does the scanner of a local stack, unless this is one.
 */
export function clamdScanner(
  address: NetConnectOpts,
  bounds: ClamdBounds = CLAMD_BOUNDS,
  { largestBytes, isLocal = false }: { readonly largestBytes?: number; readonly isLocal?: boolean } = {},
): Scanner {
  /** Reset when clamd is lost: the next one may have a different configuration. */
  let limitsChecked = false;

  async function scan(bytes: Readable, signal: AbortSignal): Promise<ScanVerdict> {
    const timeout = AbortSignal.timeout(bounds.scanMs);
    addAbortSignal(AbortSignal.any([signal, timeout]), bytes);
    let session: Session | undefined;
    try {
      session = await openSession(address, bounds);
      return await scanOver(session, bytes, signal, bounds);
    } catch (error) {
      if (error instanceof ScannerUnavailable) limitsChecked = false;
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) throw new ScannerLost('scan timed out', error);
      throw session && error instanceof ScannerUnavailable ? new ScannerLost(error.failure, error) : error;
    } finally {
      bytes.destroy();
    }
  }

  async function signatures(): Promise<SignatureSet> {
    const version = await runCommand(address, 'VERSION', bounds).catch((error: unknown) => {
      limitsChecked = false;
      throw error;
    });
    if (isLocal && version === EICAR_SCANNER) return { official: undefined };
    const set = readVersionReply(version);
    if (!set) throw new ScannerUnavailable('unknown reply to VERSION');
    await checkSettings((bytes) => scan(Readable.from([bytes]), NEVER));
    if (largestBytes !== undefined && !limitsChecked) {
      await checkLimits((bytes) => scan(bytes, NEVER), largestBytes);
      limitsChecked = true;
    }
    return set;
  }

  return { scan, signatures };
}

async function scanOver(
  session: Session,
  bytes: Readable,
  signal: AbortSignal,
  { verdictMs }: ClamdBounds,
): Promise<ScanVerdict> {
  const close = () => session.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const sentAll = await sendAll(session, bytes);
    const verdict = verdictOf(await session.reply(verdictMs));
    if (!sentAll && verdict.kind === 'clean')
      throw new ScannerUnavailable('replied before the end of the stream');
    return verdict;
  } finally {
    signal.removeEventListener('abort', close);
    session.close();
  }
}

/**
 * Sends the stream in length-prefixed chunks, with an empty one to end it. Resolves to whether all of it was sent: it
 * stops early when clamd has replied or disconnected.
 */
async function sendAll(session: Session, bytes: Readable): Promise<boolean> {
  if (!(await session.send(Buffer.from('zINSTREAM\0')))) return false;
  for await (const chunk of bytes) {
    for (const part of parts(chunk)) {
      if (!(await session.send(lengthOf(part.length)))) return false;
      if (!(await session.send(part))) return false;
    }
  }
  if (session.replied()) return false;
  await session.send(lengthOf(0));
  return true;
}

/**
 * Splits a chunk into parts of at most the maximum size. An empty chunk yields nothing, because its length would end
 * the stream.
 */
function* parts(chunk: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < chunk.length; start += MAX_CHUNK_BYTES)
    yield chunk.subarray(start, start + MAX_CHUNK_BYTES);
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes);
  return length;
}

async function runCommand(address: NetConnectOpts, command: string, bounds: ClamdBounds): Promise<string> {
  const session = await openSession(address, bounds);
  try {
    await session.send(Buffer.from(`z${command}\0`));
    return await session.reply(bounds.connectMs);
  } finally {
    session.close();
  }
}

/** Returns the verdict in clamd's reply to INSTREAM. Throws ScannerUnavailable for any other reply. */
function verdictOf(reply: string): ScanVerdict {
  if (reply === 'stream: OK') return { kind: 'clean' };
  if (reply === STREAM_TOO_LONG) return { kind: 'limits_exceeded' };
  const found = /^stream: (.+) FOUND$/s.exec(reply)?.[1];
  if (found === undefined) throw new ScannerUnavailable('unknown reply');
  if (found.startsWith('Heuristics.Encrypted.')) return { kind: 'encrypted' };
  if (found.startsWith('Heuristics.Limits.Exceeded')) return { kind: 'limits_exceeded' };
  return { kind: 'infected', signature: printable(found) };
}

function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '_').slice(0, MAX_NAME_LENGTH);
}

/** Time limits for clamd, in milliseconds, and the maximum length of its replies. */
export interface ClamdBounds {
  readonly connectMs: number;
  /** Between two chunks that clamd accepts. */
  readonly idleMs: number;
  /** From the last chunk to the verdict; longer than clamd's own limit (MaxScanTime). */
  readonly verdictMs: number;
  /** A whole scan; shorter than the lease of a scan. */
  readonly scanMs: number;
  readonly maxReplyBytes: number;
}

export const CLAMD_BOUNDS: ClamdBounds = {
  connectMs: 3_000,
  idleMs: 30_000,
  verdictMs: 150_000,
  scanMs: 300_000,
  maxReplyBytes: 4_096,
};

/** One connection to clamd, for one command. */
export interface Session {
  /** Sends bytes and resolves when more may be sent; resolves to false when clamd has replied or disconnected. */
  send(bytes: Uint8Array): Promise<boolean>;
  replied(): boolean;
  /**
   * Resolves to the whole reply without its final NUL. Rejects with ScannerUnavailable when the reply is truncated,
   * late or too long.
   */
  reply(withinMs: number): Promise<string>;
  close(): void;
}

/** Connects to clamd. Rejects with ScannerUnavailable. */
export async function openSession(address: NetConnectOpts, bounds: ClamdBounds): Promise<Session> {
  const socket = connect(address);
  const { connectMs, idleMs, maxReplyBytes } = bounds;
  const reply = readReply(socket, maxReplyBytes);
  try {
    await inTime(connectMs, 'connection timed out', opened(socket));
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    async send(bytes) {
      if (reply.ended()) return false;
      if (socket.write(bytes)) return true;
      await inTime(idleMs, 'stopped reading', Promise.race([drained(socket), reply.settled]));
      return !reply.ended();
    },
    replied: reply.ended,
    reply: (withinMs) => inTime(withinMs, 'reply timed out', reply.text),
    close: () => socket.destroy(),
  };
}

function opened(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', (cause) => reject(new ScannerUnavailable('connection failed', cause)));
  });
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve);
  });
}

interface Reply {
  readonly text: Promise<string>;
  /** Resolves, never rejects, at the end of the reply. */
  readonly settled: Promise<void>;
  ended(): boolean;
}

/** Reads up to the final NUL. A reply truncated before it is an error, even if it looks like a verdict. */
function readReply(socket: Socket, maxBytes: number): Reply {
  let ended = false;
  let received = Buffer.alloc(0);
  let failure: unknown;
  const text = new Promise<string>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      if (ended) return;
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf(0);
      if (end >= 0 && end <= maxBytes) finish(() => resolve(received.toString('latin1', 0, end)));
      else if (received.length > maxBytes) finish(() => reject(new ScannerUnavailable('reply too long')));
    });
    // clamd resets the connection when it is sent more than it accepts: its earlier reply still counts.
    socket.on('error', (cause) => {
      failure = cause;
    });
    socket.once('close', () => finish(() => reject(new ScannerUnavailable('connection lost', failure))));
    function finish(settle: () => void): void {
      ended = true;
      settle();
    }
  });
  const settled = text.then(
    () => undefined,
    () => undefined,
  );
  return { text, settled, ended: () => ended };
}

function inTime<Result>(ms: number, failure: string, work: Promise<Result>): Promise<Result> {
  return within(ms, work, () => {
    throw new ScannerUnavailable(failure);
  });
}
