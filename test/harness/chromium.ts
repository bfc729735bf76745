import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A browser, and the environment in which it starts. */
export interface Chromium {
  readonly executablePath: string;
  readonly env?: Record<string, string>;
}

/** Debian's Chromium without windows renders the same pages as the whole one with less than half the work. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync);
const FOLDER = join(import.meta.dirname, '../../.run/tools');
/** The package contains Chromium for this platform only. */
const isPackaged = process.platform === 'linux' && process.arch === 'x64';

export const hasChromium = INSTALLED !== undefined || isPackaged;

/** Returns the system's Chromium, or else the packaged one, which is unpacked on first use (3 s, 200 MB). */
export function findChromium(): Chromium {
  if (INSTALLED !== undefined) return { executablePath: INSTALLED };
  const require = createRequire(import.meta.url);
  const main = require.resolve('@sparticuz/chromium');
  const { version } = JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8'));
  const folder = join(FOLDER, `chromium-${version}`);
  if (!existsSync(folder)) unpack(main, folder);
  const env = {
    ...(process.env as Record<string, string>),
    // Libraries and fonts that come with it, for machines that have none.
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_FILE: join(folder, FONTS),
    HOME: folder,
    LANG: 'en_GB.UTF-8',
  };
  return { executablePath: join(folder, 'chromium'), env };
}

const FONTS = 'own-fonts.conf';

/** The package's own file expects its fonts in /tmp. */
const fontsOf = (folder: string) =>
  `<fontconfig><dir>${join(folder, 'fonts', 'fonts')}</dir><cachedir>${join(folder, 'font-cache')}</cachedir></fontconfig>`;

/** The package unpacks to the folder for temporary files; test processes may do so at the same time. */
function unpack(main: string, folder: string): void {
  mkdirSync(FOLDER, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  const program = `import(${JSON.stringify(main)}).then(({ default: chromium }) => chromium.executablePath())`;
  const env = { ...process.env, TMPDIR: unfinished, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' };
  execFileSync(process.execPath, ['--eval', program], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(join(unfinished, FONTS), fontsOf(folder));
  try {
    renameSync(unfinished, folder);
  } catch {
    // Another process was faster.
    rmSync(unfinished, { recursive: true });
  }
}
