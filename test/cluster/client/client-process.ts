// Acts as suppliers and staff, in a place where a cluster's Services are reachable by name. Each input line is a call
// of a method of `Client`, as JSON; each output line is its result.
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { type StaffClients, staffClients } from '../../../deploy/local/seed/staff-clients.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import type { Beginning, Call, Client, Outcome } from './client.ts';
import { type Load, startLoad } from './load.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { mainJob, makeSupplier, nothingLost, type Supplier } from './supplier.ts';

let api: string;
let staff: StaffClients;
let receiver: Receiver | undefined;
let supplier: Supplier;
let load: Load | undefined;
let created: string[] = [];

const methods: Client = {
  async begin({ staff: { urls, token, ...pem }, receiver: wanted, ...addresses }: Beginning) {
    await untilRouted([...Object.values(addresses), ...Object.values(urls)]);
    api = addresses.api;
    const folder = mkdtempSync(join(tmpdir(), 'client-'));
    const file = (name: keyof typeof pem) => {
      const path = join(folder, name);
      writeFileSync(path, pem[name], { mode: 0o600 });
      return path;
    };
    const files = { authority: file('authority'), certificate: file('certificate'), key: file('key') };
    staff = staffClients(urls, () => token, files);
    receiver = wanted && (await startReceiver(wanted));
    supplier = await makeSupplier(staff, addresses, receiver);
  },
  mainJob: () => mainJob(supplier, staff, receiver),
  async startLoad(order) {
    load = startLoad(api, supplier.credential, order, created);
  },
  async stopLoad() {
    const report = await load?.stop();
    if (!report) throw new Error('no load was started');
    return report;
  },
  nothingLost() {
    const wanted = created;
    created = [];
    return nothingLost(supplier, wanted);
  },
  certificateAt: (host, port) =>
    new Promise((resolve, reject) => {
      const socket = connectTls({ host, port, servername: host, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      });
      socket.on('error', reject);
    }),
};

const ROUTED_MS = 60_000;

/** Waits until these addresses accept connections: nodes route to ready pods a moment after Helm has finished. */
async function untilRouted(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    const { hostname, port, protocol } = new URL(url);
    const routed = await waitUntil(
      async () => {
        const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname);
        const connected = await once(socket, 'connect').catch(() => undefined);
        socket.destroy();
        return connected;
      },
      { withinMs: ROUTED_MS, everyMs: 100 },
    );
    if (!routed) throw new Error(`${url} accepts no connections after ${ROUTED_MS} ms`);
  }
}

async function outcomeOf({ id, method, args }: Call): Promise<Outcome> {
  try {
    const act = methods[method] as (...given: readonly unknown[]) => Promise<unknown>;
    return { id, result: await act(...args) };
  } catch (error) {
    return { id, failed: error instanceof Error ? error.message : String(error) };
  }
}

const input = createInterface(process.stdin);
input.on('line', async (line) => console.log(JSON.stringify(await outcomeOf(JSON.parse(line) as Call))));
input.on('close', () => process.exit());
