import { stackFlags } from './flags.mjs';

/** What the package scripts can do: each with its help text and the module that does it. */
export const commands = {
  start: {
    summary: 'starts the whole service on this machine and shows one submission from end to end',
    help: `npm start [-- flags]

Starts PostgreSQL, NATS, every service and a webhook receiver as real processes, sends a sample
enquiry through them, and serves until Ctrl-C.

${stackFlags}`,
    load: () => import('./start.mjs'),
  },
  test: {
    summary: 'runs every test: unit and service tests, then black-box tests against a stack of its own',
    help: `npm test [-- [--running | --secure] [jest arguments]]

Starts a fresh stack under .run/test, runs the jest projects one after the other (unit, contract, faults)
and stops the stack. Arguments go to jest: a path or pattern picks tests, -t picks by name.

  --secure    tests a stack whose parts talk to each other over TLS, each with rights of its own
  --running   uses the stack that "npm start" runs, which saves starting one; without the faults, which end
              processes. Unit tests see your sources as they are, contract tests the services as they were started.`,
    load: () => import('./test.mjs'),
  },
  bench: {
    summary: 'measures how fast the real processes are on this machine',
    help: `npm run bench -- NAME [flags]

Starts PostgreSQL, NATS and the services that NAME measures, on ports of their own, measures, prints a table
and removes everything. Progress goes to stderr. One at a time, on a machine that does nothing else.

  --list           what can be measured
  --json           the result as JSON
  --check          ends with 1 when a target is missed
  --deliveries N   webhook-delivery: events in each run (default 50000)
  --endpoints N,…  webhook-delivery: endpoints that share them, one run for each number (default 1,20)
  --seconds N      webhook-fairness: how long events are published (default 60);
                   document-upload: how long upload URLs are asked for (default 20);
                   leads: how long leads are sent at each rate (default 15)
  --rates N,…      leads: leads a second, one run for each number (default 20,200,500)
  --rows N         leads: measures again with so many settled leads in every table; a million need 6 GB of disk
                   and some ten minutes
  --short          leads: a few seconds of everything, to see that it works
  --secure         the parts talk to each other over TLS
  --out DIR        leads: where bench-leads.json and bench-leads.html are written (default .run)
  --state DIR      keeps the databases in DIR while it measures, instead of .run/bench
  --help           prints this`,
    load: () => import('./bench.mjs'),
  },
  verify: {
    summary: 'runs every static check and prints one line for each',
    help: `npm run verify [-- name …]

Runs every static check (or only the named ones) to the end, prints one line with its time for each, and the
output of those that failed. Exits non-zero when any failed.`,
    load: () => import('./verify.mjs'),
  },
  format: {
    summary: 'formats the sources and applies the safe fixes of the linter',
    help: 'npm run format\n\nFormats TypeScript, JavaScript, JSON and protos in place and applies safe lint fixes.',
    load: () => import('./format.mjs'),
  },
  generate: {
    summary:
      'generates the code of contracts and database clients, docs/openapi and the schemas of databases anew',
    help: 'npm run generate\n\nGenerates proto/gen, the database client of every service, docs/openapi, and from the migrations schema.sql and\ndocs/databases, also when nothing changed.',
    load: () => import('./generate.mjs'),
  },
};

/** One line per command. */
export function describeCommands() {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`);
  return ['usage: node deploy/local/bootstrap.mjs <command> [arguments | --help]', '', ...lines].join('\n');
}
