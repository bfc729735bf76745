// Acts as suppliers and staff, in a place where a cluster's Services are reachable by name. Each input line is a call
// of a method of `Client`, as JSON; each output line is its result.
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { staffClients } from '../../../deploy/local/seed/staff-clients.ts';
import { reasonOf } from '../../../deploy/local/terminal.ts';
import { eventually } from '../eventually.ts';
import { type Load, startLoad } from './load.ts';
import { type Beginning, mainJob, makeSupplier, nothingLost, type Supplier } from './supplier.ts';

const ROUTED_MS = 60_000;
let supplier: Supplier;
let load: Load;
const created: string[] = [];

export type Client = typeof methods;
const methods = {
  /** Creates a supplier: an account, a sandbox credential and a webhook endpoint. Must be called first. */
  async begin({ staff: { urls, token, tls }, ...addresses }: Beginning): Promise<void> {
    for (const url of [addresses.api, addresses.uploads, ...Object.values(urls)]) await untilRouted(url);
    const folder = mkdtempSync(join(tmpdir(), 'client-'));
    const at = (name: string) => join(folder, name);
    for (const [name, text] of Object.entries(tls))
      writeFileSync(at(name), text, { encoding: 'base64', mode: 0o600 });
    const files = { authority: at('ca.crt'), certificate: at('tls.crt'), key: at('tls.key') };
    const staff = staffClients(urls, () => token, files);
    supplier = await makeSupplier(staff, addresses);
  },
  /** Runs one enquiry, from its create to its Application, its webhook and a document. */
  mainJob: () => mainJob(supplier),
  async startLoad(perSecond: number): Promise<void> {
    load = startLoad(supplier.api, supplier.credential, perSecond, created);
  },
  stopLoad: async () => load.stop(),
  /** Reads every submission created since the last call until it is decided; rejects if one isn't found or decided in time. */
  nothingLost: () => nothingLost(supplier, created.splice(0)),
  /** Returns the fingerprint of the certificate presented at an address. */
  async certificateAt(host: string, port: number): Promise<string> {
    const socket = connectTls({ host, port, servername: host, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  },
};

/** Waits until an address accepts connections: nodes route to ready pods a moment after Helm has finished. */
async function untilRouted(url: string): Promise<void> {
  const { hostname, port, protocol } = new URL(url);
  await eventually(ROUTED_MS, async () => {
    const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname);
    await once(socket, 'connect').finally(() => socket.destroy());
  });
}

for await (const line of createInterface(process.stdin)) {
  const { method, args } = JSON.parse(line) as { method: keyof Client; args: readonly unknown[] };
  const act = methods[method] as (...given: readonly unknown[]) => Promise<unknown>;
  const outcome = await act(...args).then(
    (result) => ({ result }),
    (error: unknown) => ({ failed: reasonOf(error) }),
  );
  console.log(JSON.stringify(outcome));
}
process.exit();
