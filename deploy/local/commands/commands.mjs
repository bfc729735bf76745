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
  --traced SHARE   the processes trace that share of requests, up to 1, and export it to a local collector
  --out DIR        leads: where bench-leads.json and bench-leads.html are written (default .run)
  --state DIR      keeps the databases in DIR while it measures, instead of .run/bench
  --help           prints this`,
    load: () => import('./bench.mjs'),
  },
  bundle: {
    summary:
      'writes the files of every image: each process and its commands, with all that they need but Node',
    help: `npm run bundle -- [NAME …] [flags]

Bundles every process, or only the named ones, into folders of their own. deploy/Dockerfile copies them into images.

  --out DIR  where they are written, one folder for each (default .run/images)
  --json     the result as JSON: sizes, and the packages that are inside
  --help     prints this`,
    load: () => import('./bundle.mjs'),
  },
  images: {
    summary: 'builds every image with podman or docker and prints its size',
    help: `npm run images -- [NAME …] [flags]

Builds deploy/Dockerfile, one target for each process, or only for the named ones.

  --engine NAME       podman (default) or docker
  --build-image NAME  what the build starts from: Node 20 or later with npm (default node:24-bookworm-slim)
  --base-image NAME   what the images start from: Node 24 (default distroless nodejs24-debian12:nonroot)
  --debootstrap       makes both from Debian's packages and this machine's Node, where no registry of images is
                      reachable, and starts each image's entry in its own files; needs root, debootstrap and podman
  --tag TAG           the tag of the images (default dev)
  --json              the result as JSON
  --help              prints this`,
    load: () => import('./images.mjs'),
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
