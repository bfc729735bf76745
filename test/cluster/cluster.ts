import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Node } from './node/node.ts';

const LARGEST_OUTPUT = 32 << 20;
const COMMAND_MS = 1_200_000;
const ANSWER_MS = 30_000;
const START_MS = 120_000;

type CommandLine = readonly [string, ...string[]];

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

/** Opens a cluster, given the command lines of kubectl and of Helm for it. */
export async function openCluster(
  kubectl: CommandLine,
  helm: readonly string[],
  { checkout, folder: parent }: { readonly checkout: string; readonly folder: string },
  node?: Node,
) {
  const [folder, programs] = [join(parent, 'checkout'), join(parent, 'programs')];
  for (const path of [folder, programs]) mkdirSync(path);
  for (const name of ['charts', 'deploy', 'docs', 'node_modules', 'package.json', 'services'])
    symlinkSync(join(checkout, name), join(folder, name));
  for (const [name, line] of Object.entries({ kubectl, helm })) {
    const words = line.map((word) => `'${word}'`).join(' ');
    writeFileSync(join(programs, name), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  }
  const env = {
    ...process.env,
    PATH: [programs, process.env.PATH ?? ''].join(delimiter),
    ...Object.fromEntries(
      ['CACHE', 'CONFIG', 'DATA'].map((part) => [`HELM_${part}_HOME`, join(parent, 'helm', part)]),
    ),
  };
  const options = { cwd: folder, env, timeout: COMMAND_MS, maxBuffer: LARGEST_OUTPUT };
  const run = (program: string, args: readonly string[]) =>
    promisify(execFile)(program, args, options).then(
      ({ stdout }) => stdout,
      ({ stderr, message }) => {
        throw new Error(stderr?.trim() || message);
      },
    );
  return {
    api: await openApi(kubectl),
    /** kubectl, as a command line. */
    command: kubectl,
    /** Runs kubectl; resolves to its output, rejects with its error. */
    kubectl: (...args: string[]) => run('kubectl', args),
    /** Runs a script in a folder that looks like a checkout, with the kubectl and Helm of this cluster. */
    shell: (script: string) => run('bash', ['-euo', 'pipefail', '-c', script]),
    folder,
    /** Absent if the cluster isn't ours. */
    node,
  };
}

export type ApiClient = Awaited<ReturnType<typeof openApi>>;

/** The Kubernetes API, through `kubectl proxy`, which can authenticate to any cluster. Objects are unchecked JSON. */
async function openApi([command, ...args]: CommandLine) {
  const proxy = spawn(command, [...args, 'proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(proxy.stdout);
  const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(START_MS) })) as [string];
  const address = /127\.0\.0\.1:\d+/.exec(line)?.[0];
  if (address === undefined) throw new Error(`kubectl proxy: ${line}`);
  const request = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://${address}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const succeed = async (method: string, path: string, body?: object): Promise<string> => {
    const { status, text } = await request(method, path, body);
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return text;
  };
  return {
    /** Resolves to the response, with any status. The other functions reject unless the request succeeds. */
    request,
    get: async <T>(path: string) => JSON.parse(await succeed('GET', path)) as T,
    post: (path: string, body: object) => succeed('POST', path, body),
    close: () => void proxy.kill(),
  };
}
