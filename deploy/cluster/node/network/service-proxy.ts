import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Route } from './routes.ts';

const CONNECT_MS = 5_000;

/** A connection that was made: by the address it came from, to an endpoint of a route. */
export interface Made {
  readonly from: string;
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly endpoint: { readonly address: string; readonly port: number };
  /** How many endpoints refused it before. */
  readonly refused: number;
}

export interface ServiceProxy {
  /** From now on; connections that there are stay until they end. */
  use(routes: readonly Route[]): void;
}

/**
 * Listens on every route that has an endpoint, and hands each connection to the next endpoint in turn, or to the one after
 * where that refuses. A route without endpoints refuses.
 */
export function serviceProxy(made: (connection: Made) => void): ServiceProxy {
  const listening = new Map<string, { server: Server; route: Route }>();

  function serve(key: string, client: Socket): void {
    client.on('error', () => client.destroy());
    const current = listening.get(key);
    const [first, ...others] = current?.route.endpoints ?? [];
    if (!current || !first) {
      client.resetAndDestroy();
      return;
    }
    // The one whose turn it was goes to the end.
    listening.set(key, { ...current, route: { ...current.route, endpoints: [...others, first] } });
    attempt(client, current.route, 0);
  }

  function attempt(client: Socket, route: Route, refused: number): void {
    const endpoint = route.endpoints[refused];
    if (!endpoint || client.destroyed) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({
      host: endpoint.address,
      port: endpoint.port,
      allowHalfOpen: true,
      noDelay: true,
    });
    const giveUp = () => {
      upstream.destroy();
      attempt(client, route, refused + 1);
    };
    upstream.setTimeout(CONNECT_MS, giveUp);
    upstream.once('error', giveUp);
    upstream.once('connect', () => {
      upstream.setTimeout(0);
      upstream.removeListener('error', giveUp);
      made({
        from: client.remoteAddress ?? '',
        ...{ namespace: route.namespace, service: route.service, port: route.port, endpoint, refused },
      });
      join(client, upstream);
    });
  }

  return {
    use(routes) {
      const wanted = new Map(
        routes.filter(({ endpoints }) => endpoints.length > 0).map((each) => [keyOf(each), each]),
      );
      for (const [key, { server }] of listening) {
        if (wanted.has(key)) continue;
        listening.delete(key);
        server.close();
      }
      for (const [key, route] of wanted) {
        const server =
          listening.get(key)?.server ??
          createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (client) =>
            serve(key, client),
          )
            .on('error', () => undefined)
            .listen(route.port, route.address);
        listening.set(key, { server, route });
      }
    },
  };
}

const keyOf = ({ address, port }: Route) => `${address}:${port}`;

/** Each side's end is passed on by itself; an error or a reset of one resets the other. */
function join(client: Socket, upstream: Socket): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.pipe(to);
    from.on('error', () => undefined);
    from.once('close', (failed) => {
      if (failed) to.resetAndDestroy();
      else if (!to.writableEnded) to.end();
    });
  }
}
