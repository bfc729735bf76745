import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CURL, itWith } from '@supplier/lib/testing/programs';
import { checkout, SSS_FUNCTION, staffShell } from '../../harness/staff-cli.ts';

/** Some sixty commands, on a busy machine. */
const PAGE_MS = 420_000;
const BLOCK = /^```sh\n([\s\S]*?)^```$/gm;

const page = readFileSync(join(checkout, 'docs', 'staff.md'), 'utf8');
const shell = staffShell();
afterAll(shell.close);

itWith(CURL)(
  'every command on the staff page works as published',
  async () => {
    const blocks = [...page.matchAll(BLOCK)].map(([, block = '']) => block);
    expect(blocks.length).toBeGreaterThanOrEqual(15);
    // Prints a marker before each block, so that a failure shows which block failed. The first block runs the command
    // from the checkout; a hundred more such calls would spend their time on starting from source.
    const script = blocks
      .map((block, at) => `echo "=== block ${at + 1}" >&2\n${block}${at === 0 ? SSS_FUNCTION : ''}`)
      .join('\n');
    const bash = shell.program('bash', ['-euo', 'pipefail', '-s'], script);
    const { code, stderr } = await bash.ended;
    const last = stderr.slice(stderr.lastIndexOf('=== block'));
    expect({ code, last: code === 0 ? '' : last }).toEqual({ code: 0, last: '' });
  },
  PAGE_MS,
);
