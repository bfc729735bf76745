import { delimiter, join } from 'node:path';
import { buildConsolePages, consolePagesBuilt } from './console-pages.mjs';
import { dependenciesInstalled, installDependencies } from './dependencies.mjs';
import { codeGenerated, generateContracts, generateDatabaseClients } from './generated-code.mjs';
import { buildGuides, guidesBuilt } from './guides.mjs';
import { withSetupLock } from './lock.mjs';
import { nodeFlags, nodeRuntime } from './node-runtime.mjs';
import { root } from './workspace.mjs';

/**
 * Brings this checkout to the point where it can run: packages, generated code, the suppliers' guides, the staff's console, a Node that is new enough.
 * What is already done is not done again. Resolves to the machine that the commands work with.
 */
export async function setUp() {
  if (!dependenciesInstalled()) await withSetupLock(installDependencies);
  const machine = describeMachine();
  if (!codeGenerated() || !guidesBuilt() || !consolePagesBuilt())
    await withSetupLock(() => generate(machine));
  return machine;
}

async function generate(machine) {
  await generateContracts(machine, { always: false });
  await Promise.all([
    generateDatabaseClients(machine, { always: false }),
    buildGuides(machine),
    buildConsolePages(machine),
  ]);
}

function describeMachine() {
  const PATH = [join(root, 'node_modules', '.bin'), process.env.PATH].filter(Boolean).join(delimiter);
  return { root, node: nodeRuntime(), nodeFlags, env: { ...process.env, PATH } };
}
