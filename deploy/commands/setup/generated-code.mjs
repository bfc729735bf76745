import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announce } from './announce.mjs';
import { runProgram } from './run-program.mjs';
import { forget, isDone, printOf, remember } from './stamps.mjs';
import { root, servicesWithSchema } from './workspace.mjs';

const proto = join(root, 'proto');
const contractSources = [
  'supplier',
  'buf.yaml',
  'buf.gen.yaml',
  'generate.mjs',
  'generate-comments.mjs',
  'package.json',
];

const contractsPrint = () => printOf(contractSources.map((name) => join(proto, name)));
const schemaFile = (service) => join(root, 'services', service, 'prisma', 'schema.prisma');
const clientsPrint = (service) =>
  printOf([schemaFile(service), join(root, 'services', service, 'package.json')]);

/** True when the code of contracts and database clients belongs to their present sources. */
export function codeGenerated() {
  const contracts = existsSync(join(proto, 'gen', 'grpc')) && isDone('contracts', contractsPrint());
  return contracts && staleClients().length === 0;
}

/** Generates JavaScript and types from the protos. */
export async function generateContracts(machine, { always }) {
  const print = contractsPrint();
  if (!always && existsSync(join(proto, 'gen', 'grpc')) && isDone('contracts', print)) return;
  forget('contracts');
  const says = 'generating contracts';
  await announce(says, () =>
    runProgram(says, machine.node, ['generate.mjs'], { cwd: proto, env: machine.env }),
  );
  remember('contracts', print);
}

/** Generates the database client of each service whose schema changed, two at a time. */
export async function generateDatabaseClients(machine, { always }) {
  const queue = always ? servicesWithSchema() : staleClients();
  if (queue.length === 0) return;
  const lane = async () => {
    for (let service = queue.shift(); service; service = queue.shift())
      await generateClient(machine, service);
  };
  await announce('generating database clients', () => Promise.all([lane(), lane()]));
}

const staleClients = () =>
  servicesWithSchema().filter(
    (service) =>
      !existsSync(join(root, 'services', service, 'src', 'db', 'generated', 'client.ts')) ||
      !isDone(`client-${service}`, clientsPrint(service)),
  );

async function generateClient(machine, service) {
  const print = clientsPrint(service);
  forget(`client-${service}`);
  const cwd = join(root, 'services', service);
  // Generating needs no schema engine, but the tool insists on having one and would download it.
  const env = { ...machine.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' };
  await runProgram(
    `database client of ${service}`,
    join(cwd, 'node_modules', '.bin', 'prisma'),
    ['generate'],
    {
      cwd,
      env,
    },
  );
  remember(`client-${service}`, print);
}
