import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { contained, prepareMounts, whyNotContained } from './contained.ts';
import { ENTRYPOINT } from './targets.ts';

/** A process without settings ends with this code (sysexits.h) and says which ones it lacks. */
const EXIT_CONFIG = 78;
const ENTRY = ['/usr/local/bin/node', ...ENTRYPOINT.slice(1), '/app/src/main.mjs'];
const ENTRY_MS = 60_000;
const DEMONSTRATION_MS = 300_000;

/**
 * Tries images whose files lie unpacked in folders of their names: each entry without settings, and, with `whole`, the
 * demonstration of the local stack on nothing but these files. Their bills of materials are copied to `.run/images`.
 * Throws with what did not hold.
 */
export function tryImages(
  checkout: string,
  folder: string,
  whole: boolean,
  say: (text: string) => void,
): void {
  const why = whyNotContained();
  if (why !== undefined) throw new Error(`the images cannot be tried: ${why}`);
  const bills = join(checkout, '.run', 'images');
  mkdirSync(bills, { recursive: true });
  for (const name of readdirSync(folder)) {
    tryEntry(name, join(folder, name));
    copyFileSync(join(folder, name, 'app', 'sbom.cdx.json'), join(bills, `${name}.sbom.cdx.json`));
  }
  say(`every entry started in its image and named the settings that it lacks; bills of materials: ${bills}`);
  if (whole) demonstrate(checkout, folder);
}

/** Starts the entry in the image's own files, as the image's user. Throws unless it ends for the lack of settings. */
function tryEntry(name: string, files: string): void {
  prepareMounts(files, []);
  const { status, stdout, stderr } = spawnSync(...contained(files, [], ENTRY), {
    encoding: 'utf8',
    env: {},
    timeout: ENTRY_MS,
  });
  const lines = `${stdout}${stderr}`.trim().split('\n');
  if (status !== EXIT_CONFIG || lines.length !== 1 || !/: bad configuration: .*SSS_/.test(lines[0] ?? ''))
    throw new Error(`image ${name} failed: its entry ended with exit code ${status}: ${lines.join('\n')}`);
  const shells = execFileSync('find', [files, '-name', 'sh', '-o', '-name', 'npm', '-o', '-name', 'apt*'], {
    encoding: 'utf8',
  });
  if (shells !== '')
    throw new Error(`image ${name} failed: shell or package manager found: ${shells.trim()}`);
}

/** One submission from end to end, and a document through its scan, with every service in the files of its image. */
function demonstrate(checkout: string, folder: string): void {
  const flags = ['--once', '--fresh', '--state', join('.run', 'image-trial'), '--images', folder];
  const { status } = spawnSync(process.execPath, [join(checkout, 'deploy/local/start.ts'), ...flags], {
    cwd: checkout,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: DEMONSTRATION_MS,
  });
  if (status !== 0) throw new Error('the stack does not work with the files of the images');
}
