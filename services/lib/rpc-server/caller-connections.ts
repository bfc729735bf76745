import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer, Http2Server, Http2ServerRequest, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { addressKey } from '../client-address/index.ts';
import { type Counter, type Registry, sharedCounter } from '../metrics/index.ts';

export interface ConnectionBounds {
  /** How long a connection is kept without a call that was let in, from its opening. */
  readonly unprovenMs: number;
  /** Connections of all addresses on which no call was let in yet. */
  readonly unproven: number;
  /** Those of one address (one /64) among them. */
  readonly unprovenPerAddress: number;
  /** All connections of one address. */
  readonly perAddress: number;
}

/**
 * A process of ours opens 32 connections to a service, each for a call that follows at once. Several may come from one
 * address, where there is a proxy or a NAT in between.
 */
export const CONNECTION_BOUNDS: ConnectionBounds = {
  unprovenMs: 15_000,
  // Half of what a listener opens: no number of addresses takes the places of callers that were let in.
  unproven: 2_500,
  unprovenPerAddress: 256,
  perAddress: 1_024,
};
/** What is under way when a session is told to end. */
const GRACE_MS = 2_000;

/** A request as Node announces it, of either version of HTTP. */
export type ArrivedRequest = IncomingMessage | Http2ServerRequest;

type Place = Pick<Socket, 'localAddress' | 'remoteAddress' | 'remotePort'>;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  session?: ServerHttp2Session;
  isProven: boolean;
}

interface Count {
  all: number;
  unproven: number;
}

/**
 * The open connections of an RPC listener. Whoever opens one has to be let in with a call within 15 s, the handshake of
 * TLS included; otherwise a session of HTTP/2 hears GOAWAY and is cut two seconds later, and a connection of HTTP/1.1 is
 * cut. Probes of grpc.health.v1 have no token and keep no connection: whoever watches so opens another. One address has
 * 1,024 connections at most, 256 of them before their first call; what comes beyond is closed unheard, and so is what comes while 2,500 connections of all addresses wait for their first call.
 */
export class CallerConnections {
  readonly #bounds: ConnectionBounds;
  readonly #closed: Counter<'reason'>;
  readonly #open = new Map<string, Connection>();
  readonly #counts = new Map<string, Count>();
  #unproven = 0;
  /** Sessions and sockets on which a call was let in: all that a call of theirs costs from then on. */
  readonly #proven = new WeakSet<object>();

  constructor(registry: Registry, bounds = CONNECTION_BOUNDS) {
    this.#bounds = bounds;
    this.#closed = sharedCounter(registry, {
      name: 'sss_rpc_connections_closed_total',
      help: 'Connections of callers of RPC that were closed on them, by why.',
      labelNames: ['reason'] as const,
    });
    for (const reason of ['address full', 'too many without a call', 'no call let in'])
      this.#closed.inc({ reason }, 0);
  }

  /** Follows the connections of a server that does not listen yet. */
  watch(server: Http2Server | Http2SecureServer): void {
    server.on('connection', (socket: Socket) => this.#take(socket));
    server.on('session', (session: ServerHttp2Session) => {
      const connection = this.#open.get(placeOf(session.socket));
      if (connection) connection.session = session;
    });
  }

  /** Notes that a call was let in: its connection stays as long as both sides like. */
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

  #take(socket: Socket): void {
    const address = addressKey(socket.remoteAddress ?? '');
    const count = this.#counts.get(address) ?? { all: 0, unproven: 0 };
    if (count.all >= this.#bounds.perAddress || count.unproven >= this.#bounds.unprovenPerAddress) {
      this.#closed.inc({ reason: 'address full' });
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
    const connection: Connection = { socket, address, isProven: false };
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
    this.#closed.inc({ reason: 'no call let in' });
    const { socket, session } = connection;
    if (!session) {
      socket.destroy();
      return;
    }
    session.close();
    const cut = setTimeout(() => {
      // A call that was let in meanwhile ends first; the session ends behind it.
      if (!connection.isProven) session.destroy();
    }, GRACE_MS);
    cut.unref();
    socket.once('close', () => clearTimeout(cut));
  }
}

/** Tells the open connections of a listener apart, above TLS and below it. */
function placeOf({ localAddress, remoteAddress, remotePort }: Place): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

/** What stays the same from one request of a connection to the next. */
function carrierOf(request: ArrivedRequest): object | undefined {
  return 'stream' in request ? request.stream.session : request.socket;
}
