import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import type { Installation } from './installation.ts';
import { commandsIn, scriptOf } from './pages.ts';
import type { Facts } from './progress.ts';

const PAGE = 'runbooks.md';
const SSS = join(import.meta.dirname, '../../services/staff-cli/bin/sss.mjs');
/** Incomplete commands, commands that need a larger machine, and commands that need cert-manager. */
const NOT_RUN = ['k logs', 'k scale', 'k get certificate'];

/** Runs the commands of docs/runbooks.md, and one staff command. Two of them restart pods. */
export async function lookedUp({ shell, folder }: Cluster, installation: Installation): Promise<Facts> {
  const { staff } = await installation.known();
  for (const [name, text] of Object.entries(staff.tls))
    writeFileSync(join(folder, name), text, { encoding: 'base64', mode: 0o600 });
  const known = [
    'shopt -s expand_aliases',
    `export SSS_CONFIG_DIR=${join(folder, 'sss-config')}`,
    `sss() { ${process.execPath} ${SSS} "$@"; }`,
    scriptOf(PAGE, "alias k='kubectl"),
  ].join('\n');
  const commands = commandsIn(PAGE, 'k ').filter(
    (command) => command.startsWith('k logs -l') || !NOT_RUN.some((one) => command.startsWith(one)),
  );
  for (const command of commands)
    await shell(`${known}\n${command}`).catch((error: Error) => {
      throw new Error(`${command}: ${error.message}`);
    });
  const answer = await shell(`${known}\nexport SSS_TOKEN=${staff.token}\nsss parked list --json`);
  JSON.parse(answer.slice(answer.indexOf('{')));
  await installation.workloads.settled();
  return { 'commands run': commands.length };
}
