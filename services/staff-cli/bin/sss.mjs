#!/usr/bin/env node
// Plain JavaScript that runs on any Node from 20: the command line itself needs one that reads TypeScript. If this one
// is too old, the Node installed with the packages takes over.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest Node that reads TypeScript by default. */
const OLDEST = [22, 19];
const here = dirname(realpathSync(fileURLToPath(import.meta.url)));
const main = join(here, '..', 'src', 'main.ts');
const packaged = join(here, '..', '..', '..', 'node_modules', '.bin', 'node');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) {
  // Later starts reuse the code that the first one compiled.
  module.enableCompileCache?.();
  await import(main);
} else if (existsSync(packaged)) {
  const child = spawn(packaged, ['--disable-warning=ExperimentalWarning', main, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  // A terminal sends Ctrl-C to both processes. Forward signals that only this process receives.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`cannot start sss: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code) => {
    process.exitCode = code ?? 130;
  });
} else {
  console.error(
    `sss requires Node ${OLDEST.join('.')} or later, not ${process.versions.node}: upgrade Node, or run \`npm start -- --help\` once, which installs it`,
  );
  process.exitCode = 1;
}
