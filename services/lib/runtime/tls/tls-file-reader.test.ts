import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTestAuthority, startTestProcess } from '../../testing/index.ts';
import { ConfigError } from '../config/index.ts';
import { TlsFileReader, tlsFiles } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tls-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(path(name), text);
const authority = await makeTestAuthority();
const [first, second, expired] = [
  await authority.issue({ hosts: ['a'] }),
  await authority.issue({ hosts: ['a'] }),
  await authority.issue({ hosts: ['a'], valid: 'until yesterday' }),
];
const files = tlsFiles({
  SSS_TLS_CERTIFICATE_FILE: path('own.pem'),
  SSS_TLS_KEY_FILE: path('own-key.pem'),
  SSS_TLS_CA_FILE: path('ca.pem'),
});

let { log, lines } = startTestProcess('account');
const read = () => new TlsFileReader(files, log);
const said = () => lines.map(({ msg, reason }) => [msg, reason].filter(Boolean).join(': '));

beforeEach(() => {
  ({ log, lines } = startTestProcess('account'));
  write('own.pem', first.cert);
  write('own-key.pem', first.key);
  write('ca.pem', `for a test\n${authority.pem}\n${authority.pem}`);
});

it('the TLS file reader returns no files when nothing is set', () => {
  expect(new TlsFileReader(tlsFiles({}), log).material).toEqual({ minVersion: 'TLSv1.2' });
});

it.each([
  ['own.pem', 'no certificate', 'SSS_TLS_CERTIFICATE_FILE must name a file with PEM certificates'],
  ['own.pem', expired.cert, 'SSS_TLS_CERTIFICATE_FILE names a certificate that has expired'],
  ['own-key.pem', second.key, 'SSS_TLS_KEY_FILE must name the key of the certificate'],
  ['own-key.pem', '', 'SSS_TLS_KEY_FILE must name the key of the certificate'],
  ['ca.pem', '', 'SSS_TLS_CA_FILE must name a file with PEM certificates'],
  [
    'ca.pem',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    'SSS_TLS_CA_FILE must name a file with PEM certificates',
  ],
])('the TLS file reader throws when %s is invalid', (name, text, why) => {
  write(name, text);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`bad configuration: ${why}`);
});

it('the TLS file reader throws when a file, or the other one of a pair, is missing', () => {
  rmSync(path('ca.pem'));
  expect(read).toThrow('bad configuration: SSS_TLS_CA_FILE must name a readable file');
  expect(() => tlsFiles({ SSS_TLS_KEY_FILE: 'x' })).toThrow('SSS_TLS_CERTIFICATE_FILE is missing');
  expect(() => tlsFiles({ SSS_TLS_CERTIFICATE_FILE: 'x' })).toThrow('SSS_TLS_KEY_FILE is missing');
});

it('the TLS file reader loads renewed files once, and does not reload unchanged ones', () => {
  const reader = read();
  expect(reader.refresh()).toBe(false);
  write('own.pem', second.cert);
  write('own-key.pem', second.key);
  expect(reader.refresh()).toBe(true);
  expect(reader.material).toMatchObject(second);
  expect(reader.refresh()).toBe(false);
  expect(said()).toEqual(['TLS files reloaded']);
});

it('the TLS file reader keeps the current files while new ones are invalid, and logs each once', () => {
  const reader = read();
  write('own.pem', second.cert);
  for (const _ of [1, 2]) expect(reader.refresh()).toBe(false);
  rmSync(path('own.pem'));
  for (const _ of [1, 2]) expect(reader.refresh()).toBe(false);
  expect(reader.material).toMatchObject(first);
  write('own.pem', second.cert);
  write('own-key.pem', second.key);
  expect(reader.refresh()).toBe(true);
  expect(said()).toEqual([
    'TLS files unusable: SSS_TLS_KEY_FILE must name the key of the certificate',
    'TLS files unusable: SSS_TLS_CERTIFICATE_FILE must name a readable file',
    'TLS files reloaded',
  ]);
});

it('the TLS file reader loads the previous files again when they are restored', () => {
  const reader = read();
  write('own.pem', 'torn');
  expect(reader.refresh()).toBe(false);
  write('own.pem', first.cert);
  expect(reader.refresh()).toBe(true);
  expect(reader.material).toMatchObject(first);
});
