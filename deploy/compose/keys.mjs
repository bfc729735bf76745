// What the containers of compose.yaml know each other by, in the folder /keys: key rings, an issuer of tokens, its tokens.
// `keep` makes what is missing and renews tokens until it is stopped, `check` ends with 0 when all is there, `staff` prints
// a token for staff. Plain JavaScript without dependencies: it runs in any of the images.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const [, , command, folder = '/keys', documents = '/documents'] = process.argv;
/** The user that the processes run as. */
const NONROOT = 65532;
const ISSUER = 'urn:supplier-submissions:compose';
const LIFETIME_MINUTES = 12 * 60;
const RENEW_MS = 4 * 60 * 60 * 1000;

const SERVICES = ['account', 'submission', 'document', 'billing', 'webhook'];
/** Who calls whom. A token is good for one service only. */
const CALLS = {
  gateway: ['account', 'submission', 'document'],
  submission: ['billing', 'document', 'webhook'],
  billing: ['account', 'submission'],
  webhook: ['submission', 'account'],
  document: ['submission'],
};

const commands = { keep, check, staff };
if (!(command in commands)) {
  console.error('usage: keys.mjs keep | check | staff [FOLDER]');
  process.exit(64);
}
commands[command]();

function keep() {
  // A ring that exists is kept: without it, what it sealed is lost.
  for (const service of SERVICES)
    if (!existsSync(ring(service))) write(ring(service), JSON.stringify(newRing()));
  if (!existsSync(issuerKey()))
    write(issuerKey(), generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  write(join(folder, 'issuers.json'), JSON.stringify([issuer()]));
  renew();
  giveToProcesses(folder);
  if (existsSync(documents)) giveToProcesses(documents);
  setInterval(() => {
    renew();
    giveToProcesses(folder);
  }, RENEW_MS);
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
}

function check() {
  process.exit(existsSync(join(folder, 'tokens', 'document', 'submission')) ? 0 : 1);
}

function staff() {
  console.log(token('administrator', SERVICES, ['staff:admin']));
}

function renew() {
  for (const [caller, called] of Object.entries(CALLS))
    for (const audience of called)
      write(join(folder, 'tokens', caller, audience), token(caller, audience, [`service:${caller}`]));
}

/** What each service believes, in the form that docs/operating.md describes. */
function issuer() {
  const jwk = createPublicKey(privateKey()).export({ format: 'jwk' });
  const callers = [...SERVICES, 'gateway', 'journey'];
  return {
    issuer: ISSUER,
    jwks: { keys: [{ ...jwk, kid: 'compose', alg: 'EdDSA', use: 'sig' }] },
    roleClaim: 'roles',
    roles: ['staff:*'],
    services: Object.fromEntries(callers.map((caller) => [`service:${caller}`, [caller]])),
    maxTokenMinutes: LIFETIME_MINUTES,
  };
}

function token(sub, aud, roles) {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: ISSUER, sub, aud, roles, iat, exp: iat + LIFETIME_MINUTES * 60 };
  const unsigned = `${encode({ alg: 'EdDSA', kid: 'compose' })}.${encode(claims)}`;
  return `${unsigned}.${sign(null, Buffer.from(unsigned), privateKey()).toString('base64url')}`;
}

function newRing() {
  const key = () => randomBytes(32).toString('base64');
  return { primary: 'k1', keys: { k1: key() }, primaryDigestKey: 'd1', digestKeys: { d1: key() } };
}

function ring(service) {
  return join(folder, `${service}.json`);
}

function issuerKey() {
  return join(folder, 'issuer-key.pem');
}

function privateKey() {
  return createPrivateKey(readFileSync(issuerKey()));
}

function encode(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Readers see the old or the new text, never a part. */
function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.draft`, text, { mode: 0o600 });
  renameSync(`${path}.draft`, path);
}

/** Volumes begin as root's. Elsewhere than in its container nobody else reads them. */
function giveToProcesses(path) {
  if (process.getuid?.() !== 0) return;
  chownSync(path, NONROOT, NONROOT);
  for (const { parentPath, name } of readdirSync(path, { recursive: true, withFileTypes: true }))
    chownSync(join(parentPath, name), NONROOT, NONROOT);
}
