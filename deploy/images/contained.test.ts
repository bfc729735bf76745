import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contained, type Mount, NONROOT, prepareMounts, whyNotContained } from './contained.ts';

const why = process.getuid?.() === 0 ? whyNotContained() : 'only root can mount';
if (why) console.warn(`skipped: processes cannot be contained on this machine: ${why}`);
const itContains = why ? it.skip : it;

let root: string;
let given: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'contained-root-'));
  chmodSync(root, 0o755);
  given = mkdtempSync(join(tmpdir(), 'contained-given-'));
  // The programs of this machine, at the places at which it has them.
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(join('usr', name), join(root, name));
  writeFileSync(join(given, 'ring'), 'a ring');
  for (const path of [given, join(given, 'ring')]) chownSync(path, ...ownerOf());
});
afterAll(() => {
  for (const folder of [root, given]) rmSync(folder, { recursive: true, force: true });
});

/** What a process is given belongs to the user of images, as the stack's files do. */
const ownerOf = (): [number, number] =>
  why ? [process.getuid?.() ?? 0, process.getgid?.() ?? 0] : [NONROOT, NONROOT];

function run(script: string, mounts: readonly Mount[]) {
  const all = [{ path: '/usr' }, ...mounts];
  prepareMounts(root, all);
  const [command, args] = contained(root, all, ['/usr/bin/sh', '-c', script]);
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('a contained process', () => {
  itContains('reads what it is given, which may lie below the temporary folder of this machine', () => {
    const file = join(given, 'ring');
    expect(run(`cat ${file} && ls ${tmpdir()}`, [{ path: given }])).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^a ring/),
      stderr: '',
    });
    expect(run(`cat ${file}`, [{ path: file }])).toMatchObject({ status: 0, stdout: 'a ring' });
  });

  itContains('writes to what it may write to and to its own temporary folder, and to nothing else', () => {
    const write = (path: string) => run(`echo new > ${path}`, [{ path: given }]).status;
    mkdirSync(join(root, 'app'), { recursive: true });
    chownSync(join(root, 'app'), NONROOT, NONROOT);
    expect(write('/tmp/own')).toBe(0);
    expect(write(join(given, 'new'))).not.toBe(0);
    expect(write('/app/new')).not.toBe(0);
    expect(run(`echo new > ${join(given, 'new')}`, [{ path: given, writable: true }]).status).toBe(0);
  });
});
