import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { FailedStep, observeProgram } from '../setup/run-program.mjs';
import { verdictOf, verdictOfRun } from './verdict.mjs';

const VERIFIERS = ['node/verify.mjs', 'python/verify.py'].map(
  (name) => `docs/examples/webhook-verifier/${name}`,
);
/** Committed files with the program that prints each, and its arguments. Later ones are made from earlier ones. */
const PRINTED = [
  ['docs/openapi/v1.json', 'services/gateway/src/print-openapi.ts'],
  ...VERIFIERS.map((path) => [path, 'deploy/commands/samples/print-verifier.ts', path]),
  ['docs/settings.md', 'deploy/commands/settings/print-settings.ts'],
];
const SHARED_SQL = 'deploy/commands/shared-sql/main.ts';
const ADVICE = 'run `npm run generate` and commit the changes';

const runNode = ({ root, env, node, nodeFlags }, args) =>
  observeProgram(node, [...nodeFlags, ...args], { cwd: root, env });

/** Compares the committed files with what the code prints. */
export async function printedFilesAreFresh(machine) {
  const findings = [];
  for (const [path, ...printer] of PRINTED) {
    const { code, output, reason } = await runNode(machine, printer);
    if (code !== 0) findings.push(output || reason);
    else if (output !== readFileSync(join(machine.root, path), 'utf8'))
      findings.push(`stale: ${path}; ${ADVICE}`);
  }
  return verdictOf(findings);
}

/** Compares the parts of migrations that come from `services/lib` with their sources. */
export const sharedSqlIsFresh = async (machine) =>
  verdictOfRun(await runNode(machine, [SHARED_SQL, '--check']));

/** Writes the committed files again. Throws FailedStep when the code fails. */
export async function writeGeneratedFiles(machine) {
  const succeed = async (args) => {
    const { code, output, reason } = await runNode(machine, args);
    if (code !== 0) throw new FailedStep(`${output}\n${args[0]}: ${reason}`);
    return output;
  };
  for (const [path, ...printer] of PRINTED) writeFileSync(join(machine.root, path), await succeed(printer));
  await succeed([SHARED_SQL]);
}

/** Generates the code of the contracts into a temporary folder and compares it with the committed code. */
export async function contractCodeIsFresh({ root, env }) {
  const proto = join(root, 'proto');
  const bin = join(proto, 'node_modules', '.bin');
  const staging = mkdtempSync(join(tmpdir(), 'contracts-'));
  try {
    const generated = await observeProgram(join(bin, 'buf'), ['generate', '--output', staging], {
      cwd: proto,
      env: { ...env, PATH: [bin, env.PATH].join(delimiter) },
    });
    if (generated.code !== 0) return verdictOfRun(generated);
    const folders = [join(staging, 'gen', 'supplier'), join(proto, 'gen', 'supplier')];
    const { code, output, reason } = await observeProgram(
      'git',
      ['diff', '--no-index', '--name-only', ...folders],
      { cwd: root, env },
    );
    return verdictOf(code === 0 ? [] : [output || reason, ADVICE]);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
