import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FindPersonRequest, PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { type FakeServices, startFakeServices } from '../testing/fake-services.ts';

const PURPOSE = ['--purpose', 'subject access request 17'];
const folder = mkdtempSync(join(tmpdir(), 'personal-'));
const requests: FindPersonRequest[] = [];

let shell: FakeServices;
beforeAll(async () => {
  shell = await startFakeServices((router) =>
    router.service(PrivacyService, {
      findPerson: (request) => {
        requests.push(request);
        return {};
      },
    }),
  );
});
beforeEach(() => requests.splice(0));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await shell.close();
});

/** Both commands that search for a person. The export writes nothing when no one is found. */
const commands = [
  ['people find', ['people', 'find', ...PURPOSE], 0],
  ['people export', ['people', 'export', ...PURPOSE, '--out', join(folder, 'out')], 3],
] as const;

describe.each(commands)('%s', (_, words, code) => {
  it("asks for details that identify a person, which keeps them out of the shell's history", async () => {
    const ended = await shell.runAs({ answers: 'ada@example.test' }, ...words);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain('email (leave empty if unknown)');
    expect(ended.stderr).not.toContain('warning');
    expect(requests).toMatchObject([{ email: 'ada@example.test' }]);
  });

  it('reads the details from a file without asking', async () => {
    const file = join(folder, 'person.json');
    writeFileSync(file, '{"telephone": "07700 900123", "purpose": "request 17"}');
    expect((await shell.run(...words, '--from-json', file)).code).toBe(code);
    expect(requests).toMatchObject([{ telephone: '07700 900123' }]);
  });

  it('accepts a flag with a warning', async () => {
    const ended = await shell.run(...words, '--email', 'ada@example.test');
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(/^warning: --email on the command line/);
    expect(ended.stderr).not.toContain('ada@example.test');
    expect(requests).toHaveLength(1);
  });

  it('warns about a flag combined with a file', async () => {
    const file = join(folder, 'beside.json');
    writeFileSync(file, '{"telephone": "07700 900123", "purpose": "request 17"}');
    const ended = await shell.run(...words, '--from-json', file, '--email', 'ada@example.test');
    expect(ended.stderr).toMatch(/^warning: --email on the command line/);
  });

  it('makes no call without details when there is no terminal or no answer', async () => {
    expect(await shell.run(...words)).toMatchObject({ code: 2, stdout: '' });
    expect(await shell.runAs({ answers: '' }, ...words)).toMatchObject({ code: 2, stdout: '' });
    expect(requests).toEqual([]);
    expect(readdirSync(folder)).not.toContain('out');
  });
});
