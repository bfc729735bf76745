// What suppliers and staff do, done where the Services of a cluster are reached by name. Each line of the input is a call of a
// method of `Client`, as JSON; each line of the output is its outcome.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from 'node:tls';
import { type StaffClients, staffClients } from '../../../deploy/local/seed/staff-clients.ts';
import type { Beginning, Call, Client, Outcome } from './client.ts';
import { type Load, startLoad } from './load.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { mainJob, makeSupplier, nothingLost, type Supplier } from './supplier.ts';
import { untilRouted } from './until-routed.ts';

interface Scene {
  readonly api: string;
  readonly staff: StaffClients;
  readonly receiver: Receiver | undefined;
  readonly supplier: Supplier;
}

let known: Scene | undefined;
let load: Load | undefined;
/** Since the last time that all of them were looked for. */
let created: string[] = [];

const methods: Client = {
  async begin({ api, uploads, staff: { urls, token, ...pem }, receiver: wanted }: Beginning) {
    await untilRouted([api, uploads, ...Object.values(urls)]);
    const folder = mkdtempSync(join(tmpdir(), 'client-'));
    const file = (name: keyof typeof pem) => {
      const path = join(folder, name);
      writeFileSync(path, pem[name], { mode: 0o600 });
      return path;
    };
    const files = { authority: file('authority'), certificate: file('certificate'), key: file('key') };
    const staff = staffClients(urls, () => token, files);
    const receiver = wanted && (await startReceiver(wanted));
    known = { api, staff, receiver, supplier: await makeSupplier(staff, { api, uploads }, receiver) };
  },
  mainJob: () => mainJob(scene().supplier, scene().staff, scene().receiver),
  async startLoad(order) {
    load = startLoad(scene().api, scene().supplier.credential, order, created);
  },
  async stopLoad() {
    const report = await load?.stop();
    if (!report) throw new Error('no load was started');
    return report;
  },
  nothingLost() {
    const wanted = created;
    created = [];
    return nothingLost(scene().supplier, wanted);
  },
  certificateAt: (host, port) =>
    new Promise((resolve, reject) => {
      // It is only looked at.
      const socket = connect({ host, port, servername: host, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      });
      socket.on('error', reject);
    }),
};

function scene(): Scene {
  if (!known) throw new Error('nothing has begun');
  return known;
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
