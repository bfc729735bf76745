import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { observeProgram } from '../setup/run-program.mjs';

/** Generates the contracts' code into a folder of its own and compares it with the committed code. */
export async function contractsAreFresh(machine) {
  const proto = join(machine.root, 'proto');
  const staging = mkdtempSync(join(tmpdir(), 'contracts-'));
  try {
    const bin = join(proto, 'node_modules', '.bin');
    const env = { ...machine.env, PATH: `${bin}:${machine.env.PATH}` };
    const made = await observeProgram(join(bin, 'buf'), ['generate', '--output', staging], {
      cwd: proto,
      env,
    });
    if (made.code !== 0) return { verdict: 'failed', output: made.output || made.reason };
    const stale = compare(join(staging, 'gen', 'supplier'), join(proto, 'gen', 'supplier'));
    const output = stale.map((name) => `stale: proto/gen/supplier/${name}`).join('\n');
    return stale.length === 0
      ? { verdict: 'passed', output: '' }
      : { verdict: 'failed', output: `${output}\nrun \`npm run generate\` and commit what it changes` };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function compare(fresh, committed) {
  const wanted = contentsOf(fresh);
  const found = contentsOf(committed);
  const names = new Set([...wanted.keys(), ...found.keys()]);
  return [...names].filter((name) => wanted.get(name) !== found.get(name)).sort();
}

function contentsOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath ?? entry.path, entry.name);
      return [relative(folder, path), readFileSync(path, 'utf8')];
    }),
  );
}
