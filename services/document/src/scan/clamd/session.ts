import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { within } from '@supplier/lib/runtime/deadlines';
import { ScannerUnavailable } from '../malware-scanner.ts';

/** How long to wait for clamd, in milliseconds, and the maximum length of its replies. */
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
  /** Sends bytes and resolves when more may be sent; to false when clamd has replied or disconnected. */
  send(bytes: Uint8Array): Promise<boolean>;
  replied(): boolean;
  /** The whole reply, without its final NUL. Rejects with ScannerUnavailable when it is cut, late or too long. */
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

/** Reads up to the final NUL. A reply that is cut before it is an error, even if it reads like a verdict. */
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
    // clamd resets the connection when it is sent more than it wants: its reply before that still counts.
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
