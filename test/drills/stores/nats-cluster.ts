import type { NatsSecurity } from '../../../deploy/local/nats/program.ts';
import { natsProgram } from '../../../deploy/local/nats/program.ts';
import { choosePorts } from '../../../deploy/local/state/ports.ts';
import type { Stage } from '../stage.ts';
import { type Balancer, balance } from '../upgrade/balancer.ts';

/** The names of the servers, which are also the names of their processes. */
export const SERVERS = ['nats', 'nats2', 'nats3'] as const;
/** Used when they are free: for clients, then for the other servers. */
const USUAL_PORTS = {
  ...{ nats: 21_041, nats2: 21_042, nats3: 21_043 },
  ...{ natsRoute: 21_044, nats2Route: 21_045, nats3Route: 21_046 },
};

/** Three NATS servers behind one address. */
export interface NatsCluster {
  /** Cuts one server off from the other two, but not from its clients. Nothing is lost on the way. */
  cutOff(server: string): void;
  /** Ends that. */
  reconnect(): void;
  close(): void;
}

/** Starts the servers. New connections to `port` go to each of them in turn. */
export async function startNatsCluster(
  { state, supervisor }: Stage,
  program: string,
  port: number,
  isPortAvailable: (port: number) => Promise<boolean>,
  security: NatsSecurity | undefined,
): Promise<NatsCluster> {
  const ports = await choosePorts(USUAL_PORTS, {}, isPortAvailable);
  const address = await balance(port);
  address.route(SERVERS.map((name) => ports[name]));
  const routes: { readonly from: string; readonly to: string; readonly link: Balancer }[] = [];
  for (const from of SERVERS)
    for (const to of SERVERS.filter((other) => other !== from)) {
      const link = await balance();
      link.route([ports[`${to}Route`]]);
      routes.push({ from, to, link });
    }
  for (const name of SERVERS) {
    const own = routes.filter(({ from }) => from === name).map(({ link }) => link.port);
    const member = { name, routePort: ports[`${name}Route`], routes: own };
    await supervisor().start(natsProgram(program, state, ports[name], { security, member }));
  }
  return {
    cutOff(server) {
      for (const { from, to, link } of routes)
        if (from === server || to === server) link.disturb({ hold: 'both' });
    },
    reconnect() {
      for (const { link } of routes) link.disturb();
    },
    close() {
      address.close();
      for (const { link } of routes) link.close();
    },
  };
}
