// What the pods of the trial run: a server that says what it sees, and does as it is told.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { hostname } from 'node:os';

let healthy = true;
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined);
const attempt = (action) => {
  try {
    action();
    return 'done';
  } catch (error) {
    return error.code;
  }
};

const views = {
  '/': () => 'good',
  '/live': () => (healthy ? 'good' : undefined),
  '/break': () => {
    healthy = false;
    return 'broken';
  },
  '/seen': () => ({
    greeting: process.env.GREETING,
    password: process.env.PASSWORD,
    pod: process.env.POD,
    address: process.env.ADDRESS,
    arguments: process.argv.slice(2),
    folder: process.cwd(),
    user: process.getuid(),
    group: process.getgid(),
    groups: process.getgroups(),
    capabilities: /^CapEff:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1],
    pid: process.pid,
    hostname: hostname(),
    secretFile: read('/etc/secret/password'),
    secretMode: (statSync('/etc/secret/password').mode & 0o777).toString(8),
    audience: JSON.parse(
      Buffer.from((read('/var/run/tokens/other') ?? '..').split('.')[1] ?? '', 'base64url').toString() ||
        '{}',
    ).aud,
    writesRoot: attempt(() => writeFileSync('/made', '')),
    writesApp: attempt(() => writeFileSync('/app/made', '')),
    writesScratch: attempt(() => appendFileSync('/scratch/made', '.')),
    seesCheckout: existsSync(process.env.CHECKOUT ?? '/'),
    digest: createHash('sha256').update('x').digest('hex').slice(0, 4),
  }),
  '/secret': () => read('/etc/secret/password'),
};

const server = createServer((request, response) => {
  const said = views[request.url]?.();
  response.writeHead(said === undefined ? 500 : 200, draining ? { connection: 'close' } : {});
  response.end(typeof said === 'string' ? said : JSON.stringify(said));
});
let draining = false;
server.listen(8080);
/** Whoever keeps a connection learns with its next answer that it ends: closed at once, a request may be on its way on it. */
const DRAINED_MS = 500;
process.on('SIGTERM', () => {
  draining = true;
  setTimeout(() => server.close(() => process.exit(0)), DRAINED_MS);
});
