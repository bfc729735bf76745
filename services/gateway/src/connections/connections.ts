import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressKey } from '@supplier/lib/rpc/client-address';
import { closeLingering } from '@supplier/lib/rpc/unread-body';
import type { ClosingReason, GatewayMetrics, Listener } from '../metrics.ts';

/** Maximum open connections of one listener, over all clients. */
const MAX_CONNECTIONS = 10_000;
/** Consecutive 429 responses after which a connection is closed: a persistent client has to pay for a new one. */
const MAX_LIMITED_IN_ROW = 20;
/** Time limit for responses in flight on a connection that is about to close. */
const LAST_ANSWERS_MS = 10_000;

export interface Connection {
  /** The peer's address as the operating system reports it; a proxy's address if there is one. */
  readonly address: string;
  /** Whether the peer is a trusted proxy, which sends for many clients. */
  readonly isProxied: boolean;
  /** Responses that have not been fully written. */
  readonly inProgress: Set<ServerResponse>;
  limitedInRow: number;
  /** Whether the client is still sending a body that is not read. */
  isUploading: boolean;
  /** Whether further input is ignored. */
  isEnding: boolean;
}

export interface ConnectionsOptions {
  readonly listener: Listener;
  readonly trustedProxies: readonly string[];
  readonly maxPerAddress: number;
  readonly metrics: Pick<GatewayMetrics, 'connections' | 'connectionsClosed'>;
}

/**
 * Tracks the open connections of a public listener: at most 10,000 in total, and at most the configured number per
 * address (IPv6: /64). Connections of trusted proxies are not counted by address. Each connection lingers on close, so
 * that the last response arrives.
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

  /** Tracks the connections of a server that is not listening yet. */
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
      connection?.inProgress.add(response);
      response.once('close', () => connection?.inProgress.delete(response));
    });
  }

  /** Returns the connection of a socket; undefined if it does not belong to this listener or has closed. */
  of(socket: Duplex): Connection | undefined {
    return this.#open.get(socket);
  }

  countClosed(reason: ClosingReason): void {
    this.#options.metrics.connectionsClosed.inc({ listener: this.#options.listener, reason });
  }

  /**
   * Records whether a response is 429; returns true when the connection must close after it. A proxy's connection stays
   * open, because it carries requests of many clients.
   */
  endsWith(socket: Duplex, isLimited: boolean): boolean {
    const connection = this.#open.get(socket);
    if (!connection || connection.isProxied) return false;
    connection.limitedInRow = isLimited ? connection.limitedInRow + 1 : 0;
    if (connection.limitedInRow === MAX_LIMITED_IN_ROW) this.countClosed('rate limited');
    return connection.limitedInRow >= MAX_LIMITED_IN_ROW;
  }

  /** Records that the client is still sending the body of the request being answered. */
  keepForUpload(socket: Duplex): void {
    const connection = this.#open.get(socket);
    if (connection) connection.isUploading = true;
  }

  /** Closes a connection once the responses to complete requests have been written. */
  endAfterAnswers(socket: Duplex, connection: Connection): void {
    connection.isEnding = true;
    const awaited = new Set([...connection.inProgress].filter(({ req }) => req.complete));
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
      this.countClosed('too many connections from address');
      socket.destroy();
      return;
    }
    const inProgress = new Set<ServerResponse>();
    const state = { limitedInRow: 0, isUploading: false, isEnding: false };
    this.#open.set(socket, { address, isProxied, inProgress, ...state });
    // Node calls this after the last response and would otherwise close the socket with unread data.
    socket.destroySoon = () => this.#end(socket);
  }

  #end(socket: Duplex): void {
    const connection = this.#open.get(socket);
    if (connection) connection.isEnding = true;
    closeLingering(socket, connection?.isUploading);
  }

  /** Takes one of the address's places until the connection closes. */
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

/** Returns a check for whether an address is in one of the CIDR ranges. Malformed addresses are in none. */
function addressesIn(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), familyOf(network));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}
