import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing } from '@supplier/lib/data/crypto';
import { parse, parseAllDocuments } from 'yaml';

const COMMAND = join(import.meta.dirname, 'prepare-command.ts');
const AUTHORITY = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'prepare-'));
  folder = join(parent, 'prepared');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function prepare(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', COMMAND, ...args, '--to', folder],
    { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '', INIT_CWD: parent } },
  );
  return { code: status, stdout, stderr };
}
const written = (...args: string[]) => {
  const outcome = prepare(...args);
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  return outcome.stdout;
};
const text = (name: string) => readFileSync(join(folder, name), 'utf8');
const texts = () => Object.fromEntries(readdirSync(folder).map((name) => [name, text(name)]));
const given = (name: string, content: string) => {
  writeFileSync(join(parent, name), content);
  return name;
};
/** Returns the entries of a Secret as it would be applied. */
const secret = (name: string): Record<string, string> => {
  const objects = parseAllDocuments(text('secrets.yaml')).map((document) => document.toJS());
  return objects.find((object) => object.metadata.name === name).stringData;
};
const ringOf = (service: string) =>
  JSON.parse(secret('supplier-submissions-key-rings')[`${service}.json`] ?? '');

describe('npm run prepare:install', () => {
  it('plans without writing anything, and names what only the operator has', () => {
    const said = written('plan');
    expect(said).toMatch(/would be written +prepared\/databases\.sql/);
    expect(said).toContain('--quarantine-credentials');
    expect(existsSync(folder)).toBe(false);
  });

  it('writes files readable only by their owner, and prints no secret', () => {
    const said = written('write', '--certificates');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const secrets = [
      ...Object.values(secret('supplier-submissions-databases')),
      ...Object.values(ringOf('account').keys as Record<string, string>),
    ];
    expect(secrets).toHaveLength(13);
    for (const one of secrets) expect(said).not.toContain(one);
    for (const one of Object.values(secret('supplier-submissions-databases')))
      expect(text('databases.sql')).not.toContain(one);
  });

  it('keeps existing values, and adds what is requested later', () => {
    written('write');
    const first = texts();
    expect(written('write')).not.toContain('written');
    expect(texts()).toEqual(first);
    const bucket = given('bucket.json', '{"accessKeyId": "id", "secretAccessKey": "key"}');
    written(
      'write',
      '--quarantine-credentials',
      bucket,
      '--postgresql-ca',
      given('ca.pem', AUTHORITY),
      '--certificates',
    );
    expect(text('secrets.yaml').startsWith(first['secrets.yaml'] ?? '?')).toBe(true);
    expect(JSON.parse(secret('s3-quarantine')['credentials.json'] ?? '')).toEqual({
      accessKeyId: 'id',
      secretAccessKey: 'key',
    });
    expect(secret('postgresql-ca')).toEqual({ 'ca.crt': AUTHORITY });
  });

  it('keeps the certificates in use, which last as long as their kind may', () => {
    written('write', '--certificates');
    const first = texts();
    written('write', '--certificates');
    written('write');
    expect(texts()).toEqual(first);
    const certificates = parseAllDocuments(text('secrets.yaml')).flatMap((document) => {
      const data: Record<string, string> = document.toJS()?.stringData ?? {};
      return Object.values(data).filter((one) => one.startsWith('-----BEGIN CERTIFICATE-----'));
    });
    const days = certificates.map((pem) => {
      const { ca, validFrom, validTo } = new X509Certificate(pem);
      return [ca, Math.round((Date.parse(validTo) - Date.parse(validFrom)) / 86_400_000)] as const;
    });
    const of = (isAuthority: boolean) =>
      new Set(days.flatMap(([ca, count]) => (ca === isAuthority ? [count] : [])));
    expect([...of(false)].filter((count) => count > 398)).toEqual([]);
    expect(of(false).size).toBeGreaterThan(0);
    expect([...of(true)].every((count) => count > 3_600)).toBe(true);
  });

  it("adds the console's shared sessions on request, and keeps them", () => {
    written('write');
    expect(Object.keys(secret('supplier-submissions-key-rings'))).not.toContain('console.json');
    expect(text('databases.sql')).not.toContain('sessions');
    written('write', '--shared-sessions');
    written('write');
    const ring = ringOf('console');
    expect(KeyRing.fromJson(JSON.stringify(ring)).primaryKeyId).toBe('k1');
    expect(parse(text('values.yaml'))).toMatchObject({ console: { sharedSessions: true } });
    written('rotate', 'databases');
    expect(secret('supplier-submissions-databases')).toHaveProperty('sessions-runtime');
    expect(text('databases.sql')).toContain('CREATE DATABASE "sessions" OWNER "sessions"');
    written('rotate', 'key-rings', '--step', 'add');
    expect(Object.keys(ringOf('console').keys)).toEqual(['k1', 'k2']);
  });

  it('replaces earlier values only on request', () => {
    const first = given('first.json', '{"accessKeyId": "id", "secretAccessKey": "first"}');
    const second = given('second.json', '{"accessKeyId": "id", "secretAccessKey": "second"}');
    written('write', '--clean-credentials', first);
    written('write', '--clean-credentials', first);
    const before = texts();
    expect(prepare('write', '--clean-credentials', second)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"rotate stores"'),
    });
    expect(texts()).toEqual(before);
    written('rotate', 'stores', '--clean-credentials', second);
    expect(secret('s3-clean')['credentials.json']).toContain('second');
  });

  it('resumes after an interruption', () => {
    written('write');
    const whole = texts();
    rmSync(join(folder, 'secrets.yaml'));
    writeFileSync(join(folder, 'values.yaml'), 'half');
    written('write');
    expect(texts()).toEqual(whole);
  });

  it('takes every ring through its steps in order, and loses no key', () => {
    written('write');
    const before = ringOf('submission');
    expect(KeyRing.fromJson(JSON.stringify(before)).primaryKeyId).toBe('k1');
    expect(prepare('rotate', 'key-rings', '--step', 'switch')).toMatchObject({
      code: 1,
      stderr: 'account has no key after k1: first, run --step add\n',
    });
    written('rotate', 'key-rings', '--step', 'add', '--service', 'submission');
    const added = ringOf('submission');
    expect(added).toMatchObject({ primary: 'k1', primaryDigestKey: 'd1', keys: before.keys });
    expect(Object.keys(added.keys)).toEqual(['k1', 'k2']);
    expect(prepare('rotate', 'key-rings', '--step', 'add', '--service', 'submission').code).toBe(1);
    expect(prepare('rotate', 'key-rings', '--step', 'remove', '--service', 'submission').code).toBe(1);
    written('rotate', 'key-rings', '--step', 'switch', '--service', 'submission');
    const switched = ringOf('submission');
    expect(switched).toEqual({ ...added, primary: 'k2', primaryDigestKey: 'd2' });
    expect(KeyRing.fromJson(JSON.stringify(switched))).toMatchObject({
      primaryKeyId: 'k2',
      digestKeyId: 'd2',
    });
    written('rotate', 'key-rings', '--step', 'remove', '--service', 'submission');
    expect(Object.keys(ringOf('submission').keys)).toEqual(['k2']);
    expect(JSON.parse(text('prepared.json')).retiredKeys.submission).toEqual({
      keys: before.keys,
      digestKeys: before.digestKeys,
    });
    expect(ringOf('webhook').primary).toBe('k1');
  });

  it.each(['databases', 'nats', 'certificates'])('rotates only %s', (what) => {
    written('write', '--certificates');
    const before = JSON.parse(text('prepared.json'));
    written('rotate', what);
    const after = JSON.parse(text('prepared.json'));
    const key = what === 'databases' ? 'roles' : what;
    expect({ ...after, [key]: before[key] }).toEqual(before);
    expect(after[key]).not.toEqual(before[key]);
    if (what === 'certificates') expect(after.certificates.authority).toEqual(before.certificates.authority);
  });

  it('leaves secrets out of the applied files from then on with the External Secrets operator', () => {
    written('write', '--external-secrets', 'vault');
    written('rotate', 'nats');
    expect(existsSync(join(folder, 'secrets.yaml'))).toBe(false);
    const objects = parseAllDocuments(text('external-secrets.yaml')).map((document) => document.toJS());
    const store = JSON.parse(text('store.json'));
    for (const { kind, metadata, spec } of objects) {
      expect([kind, spec.secretStoreRef.name, spec.target.name]).toEqual([
        'ExternalSecret',
        'vault',
        metadata.name,
      ]);
      const entries = store[spec.dataFrom[0].extract.key];
      expect(Object.keys(entries).length).toBeGreaterThan(0);
      for (const value of Object.values(entries)) expect(text('external-secrets.yaml')).not.toContain(value);
    }
    expect(objects).toHaveLength(3);
  });

  it.each([
    [['frobnicate'], 64, 'is not a command: use plan, write or rotate WHAT'],
    [['rotate', 'all'], 64, 'rotate must be followed by one of'],
    [['rotate', 'stores'], 64, 'rotate stores requires a new value'],
    [['rotate', 'key-rings'], 64, '--step must be one of add, switch, remove'],
    [['rotate', 'key-rings', '--step', 'add', '--service', 'gateway'], 64, '--service must be one of'],
    [['rotate', 'nats', '--step', 'add'], 64, '--step and --service are for key-rings'],
    [['write', '--namespace', 'Not A Name'], 64, 'is not a valid Kubernetes name'],
    [['write', '--nonsense'], 64, "Unknown option '--nonsense'"],
    [['rotate', 'nats'], 1, 'run "write" first'],
    [['write', '--clean-credentials', 'nowhere.json'], 1, 'no such file'],
  ])('refuses %j with %i', (args, code, message) => {
    expect(prepare(...args)).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) });
    expect(existsSync(join(folder, 'prepared.json'))).toBe(false);
  });

  it('refuses another release in the same folder, and a changed file without repeating its content', () => {
    written('write');
    expect(prepare('write', '--release', 'other').stderr).toContain('is for the release leads');
    writeFileSync(join(folder, 'prepared.json'), '{"format": 1, "roles": "hidden"}');
    const { code, stderr } = prepare('write');
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not what was written there')]);
    expect(stderr).not.toContain('hidden');
  });
});
