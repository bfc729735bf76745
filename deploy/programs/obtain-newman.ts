/** What runs collections of Postman, from the npm registry. As a program: installs it if it is not there yet. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areThere, folderOf, obtainedOnce } from './obtained-once.ts';
import { findOnPath } from './on-path.ts';

const run = promisify(execFile);

/** Half a minute, and longer while others work. */
export const INSTALL_MS = 300_000;
const VERSION = '6.2.2';
const NAME = { name: `newman-${VERSION}` };

export const NEWMAN = join(folderOf(NAME), 'node_modules/.bin/newman');
/** Whether it is there, or what it takes to install it. */
export const canBeHad = (): boolean => areThere(NAME) || findOnPath('npm') !== undefined;

/** Installs newman unless it is there, beside the project: none of its 150 packages is one of the project's own. */
export async function obtainNewman(): Promise<void> {
  await obtainedOnce({
    ...NAME,
    withinMs: INSTALL_MS,
    obtain: async (folder) => {
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const flags = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund'];
      await run('npm', ['install', ...flags, `newman@${VERSION}`], { cwd: folder, timeout: INSTALL_MS });
    },
  });
}

if (import.meta.main) {
  console.log(`newman ${VERSION} …`);
  await obtainNewman();
}
