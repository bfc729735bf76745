import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { itWith } from '@supplier/lib/testing';
import { EXAMPLE_RECEIVERS, FOLDER } from '../../testing/example-receivers.ts';
import { publishedVectors, VECTORS_FILE } from '../../testing/published-vectors.ts';
import { EXAMPLE_SECRET } from './envelope.ts';
import { signatureOf } from './signing.ts';

const scratch = mkdtempSync(join(tmpdir(), 'verifier-examples-'));
afterAll(() => rmSync(scratch, { recursive: true }));

describe.each(EXAMPLE_RECEIVERS)('verifier in $language', ({ language, needs, command }) => {
  itWith(...needs)('judges every published vector correctly, and reports each wrong verdict', () => {
    const [program, ...args] = command(scratch);
    const judge = (file: string) => spawnSync(program, [...args, 'vectors', file], { encoding: 'utf8' });
    const { vectors } = publishedVectors();
    expect(judge(fileURLToPath(VECTORS_FILE))).toMatchObject({ status: 0, stderr: '' });

    // With every verdict reversed, each vector must be reported, which shows that none is skipped.
    const turned = vectors.map((vector) => ({ ...vector, valid: !vector.valid }));
    const file = join(scratch, `${language.replace('#', 'sharp')}.json`);
    writeFileSync(file, JSON.stringify({ vectors: turned }));
    const { status, stderr } = judge(file);
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toEqual(vectors.map(({ description }) => `wrong: ${description}`));
  });
});

/** Arguments of `verify` that a typed language can't get, in the source text of each of the others. */
const MISUSES = {
  Node: {
    command: ['node', '--input-type=module', '--eval'],
    load: `import { verify } from '${FOLDER}node/verify.mjs';
const said = (headers, now) => { try { return verify(Buffer.from('{}'), headers, [SECRET], now); } catch (error) { return error.message; } };
const headers = (timestamp, signature) => ({ 'svc-webhook-timestamp': timestamp, 'svc-webhook-signature': signature });
const print = (...all) => console.log(JSON.stringify(all));
const SECRET =`,
    nows: ['AT', 'NaN', 'String(AT)', 'new Date(AT * 1000)', "'soon'", '{}', 'true', '[AT]', 'BigInt(AT)'],
    signatures: ["'v1=é'", "'\\ud800'", '7', '{}', 'undefined'],
  },
  Python: {
    command: ['python3', '-c'],
    load: `import json, sys
from email.header import Header
sys.path.insert(0, '${FOLDER}python')
from verify import verify
def said(headers, now):
    try:
        return verify(b'{}', headers, [SECRET], now)
    except Exception as error:
        return repr(error)
def headers(timestamp, signature):
    return {'svc-webhook-timestamp': timestamp, 'svc-webhook-signature': signature}
def print_all(*all):
    print(json.dumps(all))
SECRET =`,
    nows: ['AT', "float('nan')", 'str(AT)', "'soon'", '{}', '[AT]', "float('inf')"],
    signatures: ["'v1=é'", "'\\ud800'", "b'v1=\\xe9'", "Header(b'v1=\\xe9', 'unknown-8bit')", '7', 'None'],
  },
} as const;

describe.each(EXAMPLE_RECEIVERS.filter(({ sends }) => sends))(
  'verify in $language',
  ({ language, needs }) => {
    const { command, load, nows, signatures } = MISUSES[language as keyof typeof MISUSES];
    const at = 1_768_469_401;
    const genuine = signatureOf(EXAMPLE_SECRET, at, Buffer.from('{}'));
    /** Runs the calls, and returns their verdicts. */
    function verdicts(calls: readonly string[]): unknown {
      const print = language === 'Node' ? 'print' : 'print_all';
      const source = `${load} '${EXAMPLE_SECRET}'\nAT = ${at}\n${print}(${calls.join(', ')})`;
      const [program, ...flags] = command;
      const { stdout, stderr } = spawnSync(
        program,
        [...flags, language === 'Node' ? source.replace('\nAT', '\nconst AT') : source],
        {
          encoding: 'utf8',
        },
      );
      expect(stderr).toBe('');
      return JSON.parse(stdout);
    }

    itWith(...needs)('refuses a time that is not a number', () => {
      const calls = nows.map((now) => `said(headers('${at}', '${genuine}'), ${now})`);
      expect(verdicts(calls)).toEqual(nows.map((now) => now === 'AT'));
    });

    itWith(...needs)('refuses a header that is not ASCII or not a text, without an exception', () => {
      const calls = signatures.flatMap((odd) => [
        `said(headers('${at}', ${odd}), AT)`,
        `said(headers(${odd}, '${genuine}'), AT)`,
      ]);
      expect(verdicts(calls)).toEqual(calls.map(() => false));
    });
  },
);
