import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isTested } from '@supplier/lib/testing/programs';
import { readStack } from '../harness/stack.ts';
import { supplier } from '../harness/suppliers.ts';
import { newman } from './tools.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'postman-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Execution {
  readonly item: { readonly name: string };
  readonly response?: { readonly code: number };
}
interface Report {
  readonly run: {
    readonly executions: readonly Execution[];
    readonly failures: readonly { readonly error: { readonly message: string } }[];
  };
}

/** Runs the collection as downloaded; resolves to the name and status of each request, and to the failures. */
async function ran(credential: string) {
  const collection = join(folder, 'collection.json');
  const report = join(folder, 'report.json');
  const download = `${readStack().pages}/guides/downloads/postman-collection.json`;
  writeFileSync(collection, await (await fetch(download)).text());
  const variables = ['--env-var', `bearerToken=${credential}`, '--env-var', `baseUrl=${readStack().gateway}`];
  const output = ['--reporters', 'json', '--reporter-json-export', report, '--timeout-request', '30000'];
  const exit = await run(newman.path, ['run', collection, ...variables, ...output], {
    timeout: newman.withinMs,
  }).then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
  const { executions, failures } = (JSON.parse(readFileSync(report, 'utf8')) as Report).run;
  return {
    exit,
    statuses: executions.map(({ item, response }) => [item.name, response?.code]),
    failures: failures.map(({ error }) => error.message),
  };
}

const declare = isTested('the Postman collection', newman.isAvailable(), 'install npm') ? it : it.skip;

describe('the Postman collection', () => {
  if (declare === it) beforeAll(() => newman.obtain(), newman.withinMs);

  declare('passes from its first to its last request, with nothing set but the credential', async () => {
    const { exit, statuses, failures } = await ran(supplier('promoting').credential);
    expect(failures).toEqual([]);
    expect(statuses).toEqual([
      ['Create a submission', 202],
      ['Read a submission by your reference', 200],
      ['Create a submission on the delivery contract', 200],
      ['Promote a submission to an Application', 200],
      ['Correct the contact of a submission', 200],
      ['Read a submission by its id', 200],
      ['Request a document upload URL', 200],
      ['Upload the file', 200],
      ['Finalize a document upload', 200],
    ]);
    expect(exit).toBe(0);
  });

  declare('passes again, and where the Application is created on acceptance', async () => {
    for (const _run of [1, 2]) {
      const { exit, statuses, failures } = await ran(supplier('alpha').credential);
      expect([failures, exit, statuses.length]).toEqual([[], 0, 9]);
      expect([200, 409]).toContain(statuses[3]?.[1]);
    }
  });

  declare('fails with a wrong credential', async () => {
    const { exit, failures } = await ran(`${supplier('alpha').credential}x`);
    expect(exit).toBe(1);
    expect(failures.length).toBeGreaterThan(7);
  });
});
