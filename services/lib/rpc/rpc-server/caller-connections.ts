import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer, Http2Server, Http2ServerRequest, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { type Counter, type Registry, sharedCounter } from '../../runtime/metrics/index.ts';
import { addressKey } from '../client-address/index.ts';

export interface ConnectionBounds {
  /** How long a connection may stay open without an admitted call. */
  readonly unprovenMs: number;
  readonly unproven: number;
  /** Maximum of connections without an admitted call, for one address (one /64). */
  readonly unprovenPerAddress: number;
  readonly perAddress: number;
}

/** Each of our processes opens 32 connections to a service; several may share an address. */
export const CONNECTION_BOUNDS: ConnectionBounds = {
  unprovenMs: 15_000,
  // Half of what a listener accepts, so that admitted callers keep their places under any number of new addresses.
  unproven: 2_500,
  unprovenPerAddress: 256,
  perAddress: 1_024,
};
/** Time for calls in flight after a session is asked to close. */
const GRACE_MS = 2_000;
/** The fraction of `unprovenMs` after which a connection without an admitted call takes no more calls. */
const LAST_CALL = 0.8;

/** A request as Node emits it, for either HTTP version. */
export type ArrivedRequest = IncomingMessage | Http2ServerRequest;

type Place = Pick<Socket, 'localAddress' | 'remoteAddress' | 'remotePort'>;

interface Connection {
  readonly socket: Socket;
  /** On the monotonic clock, in milliseconds. */
  readonly openedAt: number;
  readonly address: string;
  session?: ServerHttp2Session;
  isProven: boolean;
}

interface Count {
  all: number;
  unproven: number;
}

/**
 * Tracks the connections of an RPC listener, within the bounds above; further ones are closed immediately. Without an
 * admitted call in time, a session gets GOAWAY and is cut two seconds later, and HTTP/1.1 is cut. Health probes have no
 * token, so they do not count.
 */
export class CallerConnections {
  readonly #bounds: ConnectionBounds;
  readonly #closed: Counter<'reason'>;
  readonly #open = new Map<string, Connection>();
  readonly #counts = new Map<string, Count>();
  #unproven = 0;
  #closing = false;
  /** Sessions and sockets with an admitted call; later calls cost only this lookup. */
  readonly #proven = new WeakSet<object>();

  constructor(registry: Registry, bounds = CONNECTION_BOUNDS) {
    this.#bounds = bounds;
    this.#closed = sharedCounter(registry, {
      name: 'sss_rpc_connections_closed_total',
      help: 'RPC connections closed by the server, by reason.',
      labelNames: ['reason'] as const,
    });
    for (const reason of [
      'too many connections from address',
      'too many without a call',
      'admission refused',
    ])
      this.#closed.inc({ reason }, 0);
  }

  /** Tracks the connections of a server that is not listening yet. */
  watch(server: Http2Server | Http2SecureServer): void {
    server.on('connection', (socket: Socket) => this.#take(socket));
    server.on('session', (session: ServerHttp2Session) => {
      const connection = this.#open.get(placeOf(session.socket));
      if (connection) connection.session = session;
      if (this.#closing) session.close();
    });
  }

  /** Sends GOAWAY to all sessions and cuts them after two seconds. The server must not listen any more. */
  async closeSessions(): Promise<void> {
    this.#closing = true;
    const sessions = [...this.#open.values()].flatMap(({ session }) => session ?? []);
    const ended = sessions.map((session) => new Promise((resolve) => session.once('close', resolve)));
    for (const session of sessions) session.close();
    // A client may keep its session open; calls in flight have until then.
    const cut = setTimeout(() => {
      for (const { session } of this.#open.values()) session?.destroy();
    }, GRACE_MS);
    cut.unref();
    await Promise.all(ended);
  }

  /** Records that a call was admitted: its connection stays open as long as both sides want. */
  prove(request: ArrivedRequest): void {
    const carrier = carrierOf(request);
    if (!carrier || this.#proven.has(carrier)) return;
    this.#proven.add(carrier);
    const connection = this.#open.get(placeOf(request.socket));
    if (!connection || connection.isProven) return;
    connection.isProven = true;
    this.#unproven -= 1;
    const count = this.#counts.get(connection.address);
    if (count) count.unproven -= 1;
  }

  /** Returns whether a connection is about to be cut, and must say `Connection: close`. */
  isEnding(request: ArrivedRequest): boolean {
    const carrier = carrierOf(request);
    if (!carrier || this.#proven.has(carrier)) return false;
    const connection = this.#open.get(placeOf(request.socket));
    if (!connection || connection.isProven) return false;
    return performance.now() - connection.openedAt > this.#bounds.unprovenMs * LAST_CALL;
  }

  #take(socket: Socket): void {
    const address = addressKey(socket.remoteAddress ?? '');
    const count = this.#counts.get(address) ?? { all: 0, unproven: 0 };
    if (count.all >= this.#bounds.perAddress || count.unproven >= this.#bounds.unprovenPerAddress) {
      this.#closed.inc({ reason: 'too many connections from address' });
      socket.destroy();
      return;
    }
    if (this.#unproven >= this.#bounds.unproven) {
      this.#closed.inc({ reason: 'too many without a call' });
      socket.destroy();
      return;
    }
    this.#unproven += 1;
    count.all += 1;
    count.unproven += 1;
    this.#counts.set(address, count);
    const connection: Connection = { socket, address, openedAt: performance.now(), isProven: false };
    const place = placeOf(socket);
    this.#open.set(place, connection);
    const deadline = setTimeout(() => this.#end(connection), this.#bounds.unprovenMs);
    deadline.unref();
    socket.once('close', () => {
      clearTimeout(deadline);
      if (this.#open.get(place) === connection) this.#open.delete(place);
      count.all -= 1;
      if (!connection.isProven) {
        count.unproven -= 1;
        this.#unproven -= 1;
      }
      if (count.all === 0) this.#counts.delete(address);
    });
  }

  #end(connection: Connection): void {
    if (connection.isProven) return;
    this.#closed.inc({ reason: 'admission refused' });
    const { socket, session } = connection;
    if (!session) {
      socket.destroy();
      return;
    }
    session.close();
    const cut = setTimeout(() => {
      // If a call was admitted meanwhile, the session ends after it.
      if (!connection.isProven) session.destroy();
    }, GRACE_MS);
    cut.unref();
    socket.once('close', () => clearTimeout(cut));
  }
}

/** Identifies an open connection of a listener, both above and below TLS. */
function placeOf({ localAddress, remoteAddress, remotePort }: Place): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

/** Returns the object that all requests of a connection share. */
function carrierOf(request: ArrivedRequest): object | undefined {
  return 'stream' in request ? request.stream.session : request.socket;
}
