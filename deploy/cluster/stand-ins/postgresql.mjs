// What the entry of PostgreSQL's official image does with what the chart gives it: makes the files of the server at its
// first start and runs the scripts of /docker-entrypoint-initdb.d before anybody can connect, then runs the server.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const {
  PGDATA: data = '/var/lib/postgresql/data',
  POSTGRES_PASSWORD,
  POSTGRES_HOST_AUTH_METHOD,
} = process.env;
const SCRIPTS = '/docker-entrypoint-initdb.d';

if (!existsSync(join(data, 'PG_VERSION'))) initialise();
const server = spawn('postgres', ['-D', data, '-c', 'listen_addresses=*', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// The image's stop signal: a fast shutdown, which ends the sessions instead of waiting for them.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => server.kill('SIGINT'));
server.on('exit', (code) => process.exit(code ?? 1));

function initialise() {
  if (!POSTGRES_PASSWORD) throw new Error('POSTGRES_PASSWORD is not set');
  const passwordFile = '/tmp/password';
  writeFileSync(passwordFile, `${POSTGRES_PASSWORD}\n`, { mode: 0o600 });
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  run('initdb', ['--pgdata', data, '--username=postgres', '--pwfile', passwordFile, ...locale]);
  rmSync(passwordFile);
  appendFileSync(join(data, 'pg_hba.conf'), `host all all all ${POSTGRES_HOST_AUTH_METHOD}\n`);
  const scripts = existsSync(SCRIPTS) ? readdirSync(SCRIPTS).filter((name) => name.endsWith('.sql')) : [];
  // A server for one user: a statement is a line.
  for (const script of scripts.sort())
    run('postgres', ['--single', '-D', data, 'postgres'], readFileSync(join(SCRIPTS, script)));
}

function run(program, args, input = '') {
  const { status, stderr, error } = spawnSync(program, args, { input, encoding: 'utf8' });
  if (status !== 0 || /\b(?:ERROR|FATAL):/.test(stderr))
    throw new Error(`${program}: ${error?.message ?? stderr}`);
}
