import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unused-numbers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const CUSTOMERS = 1_200;

/** Returns the values made by a separate process that assumes it is the first worker and that the clock is frozen. */
async function madeByAProcess(): Promise<Record<string, string>[]> {
  const enquiries = join(import.meta.dirname, 'enquiries.ts');
  const code = `
    Date.now = () => 0;
    const { newCustomer, newShortCompanyNumber } = await import(${JSON.stringify(enquiries)});
    const made = Array.from({ length: ${CUSTOMERS} }, () => ({ ...newCustomer(), short: newShortCompanyNumber() }));
    console.log(JSON.stringify(made));`;
  const env = { ...process.env, STACK_FILE: join(folder, 'stack.json'), JEST_WORKER_ID: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    env,
    maxBuffer: 10 << 20,
  });
  return JSON.parse(stdout) as Record<string, string>[];
}

it('unused numbers never give two customers the same value, in processes that run concurrently or one after the other', async () => {
  const together = await Promise.all([madeByAProcess(), madeByAProcess(), madeByAProcess()]);
  const all = [...together.flat(), ...(await madeByAProcess())];
  expect(all).toHaveLength(4 * CUSTOMERS);
  for (const name of ['email', 'telephone', 'company_number', 'short'])
    expect([name, new Set(all.map((customer) => customer[name])).size]).toEqual([name, all.length]);
});
