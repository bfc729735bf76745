import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressesIn, addressKey } from '@supplier/lib/rpc/client-address';
import { closeLingering } from '@supplier/lib/rpc/unread-body';
import type { ClosingReason, GatewayMetrics, Listener } from '../metrics.ts';

/** Open connections of one listener, from all clients together. */
const MAX_CONNECTIONS = 10_000;
/** Answers 429 in a row after which a connection ends: a client that goes on has to pay for a new one. */
const MAX_LIMITED_IN_ROW = 20;
/** What an answer under way may take once its connection is to end. */
const LAST_ANSWERS_MS = 10_000;

/** One open connection. */
export interface Connection {
  /** As the operating system knows it; of a proxy where there is one in between. */
  readonly address: string;
  /** Whether it is a trusted proxy's, who speaks for many. */
  readonly isProxied: boolean;
  /** Responses that have not been written to their end. */
  readonly underWay: Set<ServerResponse>;
  limitedInRow: number;
  /** Its client is still sending a body that nobody reads. */
  isUploading: boolean;
  /** Nothing that still comes on it is answered. */
  isEnding: boolean;
}

export interface ConnectionsOptions {
  readonly listener: Listener;
  readonly trustedProxies: readonly string[];
  readonly maxPerAddress: number;
  readonly metrics: Pick<GatewayMetrics, 'connections' | 'connectionsClosed'>;
}

/**
 * The open connections of a public listener: at most 10,000, and of one address (one /64) no more than set; those of
 * trusted proxies are not counted by address. Each ends lingering, so that the last answer arrives.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #isProxy: (address: string) => boolean;
  readonly #open = new WeakMap<Duplex, Connection>();
  readonly #perAddress = new Map<string, number>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#isProxy = addressesIn(options.trustedProxies);
  }

  /** Follows the connections of a server that does not listen yet. */
  watch(server: Server): void {
    const open = this.#options.metrics.connections.labels({ listener: this.#options.listener });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('drop', () => this.countClosed('listener full'));
    server.on('connection', (socket: Socket) => {
      open.inc();
      socket.once('close', () => open.dec());
      this.#take(socket);
    });
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#open.get(socket);
      connection?.underWay.add(response);
      response.once('close', () => connection?.underWay.delete(response));
    });
  }

  /** Undefined for what is no connection of this listener, or no longer. */
  of(socket: Duplex): Connection | undefined {
    return this.#open.get(socket);
  }

  countClosed(reason: ClosingReason): void {
    this.#options.metrics.connectionsClosed.inc({ listener: this.#options.listener, reason });
  }

  /**
   * Notes whether an answer is 429; true when its connection is to end with it. What a proxy sends is many people's, and
   * its connection stays.
   */
  endsWith(socket: Duplex, isLimited: boolean): boolean {
    const connection = this.#open.get(socket);
    if (!connection || connection.isProxied) return false;
    connection.limitedInRow = isLimited ? connection.limitedInRow + 1 : 0;
    if (connection.limitedInRow === MAX_LIMITED_IN_ROW) this.countClosed('rate limited');
    return connection.limitedInRow >= MAX_LIMITED_IN_ROW;
  }

  /** Notes that the client still sends the body of the request that is being answered. */
  keepForUpload(socket: Duplex): void {
    const connection = this.#open.get(socket);
    if (connection) connection.isUploading = true;
  }

  /** Ends a connection when the answers that are under way for whole requests have been written. */
  endAfterAnswers(socket: Duplex, connection: Connection): void {
    connection.isEnding = true;
    const awaited = new Set([...connection.underWay].filter(({ req }) => req.complete));
    if (awaited.size === 0) {
      closeLingering(socket);
      return;
    }
    const cut = setTimeout(() => socket.destroy(), LAST_ANSWERS_MS);
    socket.once('close', () => clearTimeout(cut));
    for (const response of awaited) {
      response.once('close', () => {
        awaited.delete(response);
        if (awaited.size === 0) closeLingering(socket);
      });
    }
  }

  #take(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const isProxied = this.#isProxy(address);
    if (!isProxied && !this.#hasPlace(socket, addressKey(address))) {
      this.countClosed('address full');
      socket.destroy();
      return;
    }
    const underWay = new Set<ServerResponse>();
    const state = { limitedInRow: 0, isUploading: false, isEnding: false };
    this.#open.set(socket, { address, isProxied, underWay, ...state });
    // Node calls it when the last answer is written, and would close under what is not read.
    socket.destroySoon = () => this.#end(socket);
  }

  #end(socket: Duplex): void {
    const connection = this.#open.get(socket);
    if (connection) connection.isEnding = true;
    closeLingering(socket, connection?.isUploading);
  }

  /** Takes one of the address's places until the connection is closed. */
  #hasPlace(socket: Socket, key: string): boolean {
    const taken = this.#perAddress.get(key) ?? 0;
    if (taken >= this.#options.maxPerAddress) return false;
    this.#perAddress.set(key, taken + 1);
    socket.once('close', () => {
      const left = (this.#perAddress.get(key) ?? 1) - 1;
      if (left > 0) this.#perAddress.set(key, left);
      else this.#perAddress.delete(key);
    });
    return true;
  }
}
