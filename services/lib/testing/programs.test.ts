import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPythonWithRequests, itWith, type Program } from './programs.ts';

const sh = (proof?: readonly string[]): Program => ({
  command: 'sh',
  debianPackage: 'dash',
  ...(proof ? { proof } : {}),
});
const { CI, PATH } = process.env;
const { TEST_RESULTS } = process.env;
beforeEach(() => {
  delete process.env.TEST_RESULTS;
});
afterEach(() => {
  process.env.PATH = PATH;
  process.env.TEST_RESULTS = TEST_RESULTS;
  if (CI === undefined) delete process.env.CI;
  else process.env.CI = CI;
});

describe('a test that needs a program', () => {
  it.each<{ has: string; programs: readonly Program[]; runs: boolean }>([
    { has: 'its command', programs: [sh()], runs: true },
    { has: 'its command and library', programs: [sh(['-c', 'exit 0'])], runs: true },
    { has: 'its command without its library', programs: [sh(['-c', 'exit 1'])], runs: false },
    { has: 'no such command', programs: [{ ...sh(), command: 'no-such-program' }], runs: false },
    {
      has: 'no such command to ask for the library',
      programs: [{ ...sh(['-c', '']), command: '/no/such/program' }],
      runs: false,
    },
    { has: 'its file', programs: [{ ...sh(), command: '/bin/sh' }], runs: true },
    { has: 'no such file', programs: [{ ...sh(), command: '/no/such/file' }], runs: false },
    { has: 'one of two', programs: [sh(), { ...sh(), command: 'no-such-program' }], runs: false },
  ])('where the machine has $has: runs=$runs, and always in a pipeline', ({ programs, runs }) => {
    delete process.env.CI;
    expect(itWith(...programs)).toBe(runs ? it : it.skip);
    process.env.CI = 'true';
    expect(itWith(...programs)).toBe(it);
  });
});

it('examples in Python get their library from a virtual environment, made once, without Debian’s package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'python-'));
  const script = (path: string, text: string) => writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  // Its pip installs a library, and its Python succeeds only with that.
  script(join(folder, 'pip'), 'touch "$(dirname "$0")/library"');
  script(join(folder, 'python'), '[ -f "$(dirname "$0")/library" ]');
  script(
    join(folder, 'python3'),
    `echo >> ${folder}/made; mkdir "$3/bin"; cp ${folder}/pip ${folder}/python "$3/bin"`,
  );
  process.env.PATH = `${folder}:${PATH}`;
  const python = join(folder, 'python-requests/bin/python');
  expect(findPythonWithRequests('/no/such/python3', folder)).toBe(python);
  expect(findPythonWithRequests('/no/such/python3', folder)).toBe(python);
  expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('\n');
  expect(findPythonWithRequests('/bin/true', folder)).toBe('/bin/true');
  rmSync(folder, { recursive: true });
});
