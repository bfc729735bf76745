import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describePromises, listPromises } from './list-promises.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'list-promises-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function list(files: Readonly<Record<string, string>>, patterns: readonly string[] = []) {
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), source);
  }
  return listPromises(root, ['services', 'test'], patterns);
}

describe('the list of promises', () => {
  it('has each test by folder and file, within its describe blocks', () => {
    const files = list({
      'test/limits.test.ts': `it('refuses the 601st request', () => {});`,
      'services/gateway/upload.test.ts': `
        describe('the upload URL', () => {
          beforeEach(() => {});
          describe('after an hour', () => {
            it('is refused', async () => {});
          });
          it.failing('accepts 10 MB', () => {});
        });`,
      'services/gateway/body.test.ts': `it('rejects a body over 64 KiB', () => {});`,
      'services/gateway/body.ts': `it('is not a test file', () => {});`,
      'services/gateway/node_modules/other/other.test.ts': `it('belongs to a package', () => {});`,
    });

    expect(describePromises(files)).toBe(`services/gateway
  body.test.ts
    rejects a body over 64 KiB
  upload.test.ts
    the upload URL
      after an hour
        is refused
      accepts 10 MB

test
  limits.test.ts
    refuses the 601st request`);
  });

  it('has the tests of a table, a loop and a shared suite once, with the template of their titles', () => {
    const files = list({
      'services/field-suite.ts': `
        export const checkFields = (fields: string[]) => {
          for (const field of fields) it(\`requires \${field.trim()}\`, () => {});
        };`,
      'services/roles.test.ts': `
        describe.each([{ role: 'viewer' }])('a $role', ({ role }) => {
          it.each<[string, number]>([['é', 1]])('may read %s', () => {});
        });
        it.each\`a | b\`('adds $a and $b', () => {});`,
    });

    expect(describePromises(files)).toBe(`services
  field-suite.ts
    requires \${field.trim()}
  roles.test.ts
    a $role
      may read %s
    adds $a and $b`);
  });

  it('reads titles and functions held in constants', () => {
    const files = list({
      'test/constants.test.ts': `
        const LIMIT = 'a limit';
        const describeWithTool = process.env.TOOL ? describe : describe.skip;
        describeWithTool('with ' + LIMIT, () => {
          it(\`keeps \${LIMIT}\`, () => {});
        });
        describe.each([{ declare: it }, { declare: it.failing }])('each', ({ declare }) => {
          declare('is declared', () => {});
          (process.env.CI ? it : it.skip)('is skipped', () => {});
        });`,
    });

    expect(describePromises(files)).toBe(`test
  constants.test.ts
    with a limit
      keeps a limit
    each
      is declared
      is skipped`);
  });

  it('recognizes imported functions that begin with describe or it', () => {
    const files = list({
      'test/chart.test.ts': `
        import { describeWithHelm, itWith, itemsOf } from './tools.ts';
        describeWithHelm('the chart', 4, (helm) => {
          itWith('git')('is packed', () => {}, 60_000);
          const run = itWith('helm');
          run.each([1, 2])('is installed %i times', () => {});
          itemsOf('no block', () => {});
        });`,
    });

    expect(describePromises(files)).toBe(`test
  chart.test.ts
    the chart
      is packed
      is installed %i times`);
  });

  it('names the file and line of a title that it cannot read', () => {
    const files = list({
      'test/computed.test.ts': `
        const check = (title: string) => it(title, () => {});
        check('is hidden');`,
    });

    expect(describePromises(files)).toBe(`test
  computed.test.ts
    (computed title, test/computed.test.ts:2)`);
  });

  it('has only the files whose path contains a pattern', () => {
    const files = list({ 'test/a.test.ts': `it('a', () => {});`, 'test/b.test.ts': `it('b', () => {});` }, [
      'b.test',
    ]);

    expect(files).toEqual([{ path: 'test/b.test.ts', entries: [{ title: 'b', line: 1 }] }]);
  });
});
