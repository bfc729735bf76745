/** Command: `npm run prepare:install`, or `sss-prepare`. Generates the secrets of an installation and the files to apply. */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { reasonOf } from '../local/terminal.ts';
import { withCertificates, withNewCertificates } from './certificates.ts';
import { filesOf } from './files.ts';
import { alone, changesIn, readPrepared, writePrepared } from './folder.ts';
import { prepareHelp } from './help.mjs';
import {
  completed,
  type Prepared,
  preparedSchema,
  RING_STEPS,
  RINGS,
  type Ring,
  ringsOf,
  type S3Credentials,
  withNewNatsUsers,
  withNewRoles,
  withRingStep,
} from './prepared.ts';
import { PROGRAM } from './processes.ts';

const here = process.env.INIT_CWD ?? process.cwd();
const ROTATED = ['databases', 'nats', 'certificates', 'stores', 'key-rings'] as const;
/** A DNS label, with room for suffixes. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,51}[a-z0-9])?$/;

/** Wrong usage. */
class Misused extends Error {}

type Flags = ReturnType<typeof parseFlags>['values'];

function parseFlags() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        to: { type: 'string', default: 'prepared' },
        release: { type: 'string' },
        namespace: { type: 'string' },
        certificates: { type: 'boolean', default: false },
        'shared-sessions': { type: 'boolean', default: false },
        'quarantine-credentials': { type: 'string' },
        'clean-credentials': { type: 'string' },
        'postgresql-ca': { type: 'string' },
        'nats-ca': { type: 'string' },
        'external-secrets': { type: 'string' },
        step: { type: 'string' },
        service: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new Misused(reasonOf(error));
  }
}

async function main(): Promise<void> {
  const { values: flags, positionals } = parseFlags();
  if (flags.help) return console.log(prepareHelp(PROGRAM));
  const [command, ...further] = positionals;
  const folder = resolve(here, flags.to);
  const change = changeOf(command, further, flags);
  if (command === 'plan') return report(folder, flags, await change(readPrepared(folder)), false);
  await alone(folder, async () => report(folder, flags, await change(readPrepared(folder)), true));
}

type Change = (present: Prepared | undefined) => Promise<Prepared>;

function changeOf(command: string | undefined, [what, ...further]: string[], flags: Flags): Change {
  if (further.length === 0)
    switch (command) {
      case 'plan':
      case 'write':
        if (what === undefined) return (present) => extended(present, flags);
        break;
      case 'rotate': {
        const rotate = rotationOf(what, flags);
        return async (present) => {
          if (!present) throw new Error(`nothing has been prepared in ${flags.to}: run "write" first`);
          return await rotate(present);
        };
      }
    }
  throw new Misused(
    `"${[command, what, ...further].filter(Boolean).join(' ')}" is not a command: use plan, write or rotate WHAT`,
  );
}

function rotationOf(
  what: string | undefined,
  flags: Flags,
): (present: Prepared) => Prepared | Promise<Prepared> {
  if (what !== 'key-rings' && (flags.step !== undefined || flags.service !== undefined))
    throw new Misused('--step and --service are for key-rings');
  switch (what) {
    case 'databases':
      return withNewRoles;
    case 'nats':
      return withNewNatsUsers;
    case 'certificates':
      return withNewCertificates;
    case 'stores': {
      const given = givenIn(flags);
      if (!Object.values(given).some(Boolean))
        throw new Misused(`rotate stores requires a new value: --${Object.values(FLAG_OF).join(', --')}`);
      return (present) => withGiven(present, given);
    }
    case 'key-rings': {
      const step = RING_STEPS.find((one) => one === flags.step);
      if (!step) throw new Misused(`--step must be one of ${RING_STEPS.join(', ')}`);
      const { service } = flags;
      const unknown = service?.find((name) => !isRing(name));
      if (unknown !== undefined)
        throw new Misused(`--service must be one of ${RINGS.join(', ')}, not ${unknown}`);
      return (present) => withRingStep(present, step, service?.filter(isRing) ?? ringsOf(present));
    }
    default:
      throw new Misused(`rotate must be followed by one of ${ROTATED.join(', ')}`);
  }
}

const isRing = (text: string): text is Ring => RINGS.some((ring) => ring === text);

/** What only the operator has, and how the cluster gets its Secrets, as far as the flags state it. */
interface Given {
  readonly store?: string | undefined;
  readonly quarantine?: S3Credentials | undefined;
  readonly clean?: S3Credentials | undefined;
  readonly postgresql?: string | undefined;
  readonly nats?: string | undefined;
}
const FLAG_OF = {
  store: 'external-secrets',
  quarantine: 'quarantine-credentials',
  clean: 'clean-credentials',
  postgresql: 'postgresql-ca',
  nats: 'nats-ca',
} as const satisfies Record<keyof Given, keyof Flags>;

const givenIn = (flags: Flags): Given => ({
  store: flags[FLAG_OF.store],
  quarantine: credentials(flags, FLAG_OF.quarantine),
  clean: credentials(flags, FLAG_OF.clean),
  postgresql: text(flags[FLAG_OF.postgresql]),
  nats: text(flags[FLAG_OF.nats]),
});

const withGiven = <Some extends Pick<Prepared, 's3' | 'authorities' | 'store'>>(
  present: Some,
  { store, quarantine, clean, postgresql, nats }: Given,
): Some => ({
  ...present,
  ...(store !== undefined && { store }),
  s3: { ...present.s3, ...(quarantine && { quarantine }), ...(clean && { clean }) },
  authorities: { ...present.authorities, ...(postgresql && { postgresql }), ...(nats && { nats }) },
});

/** Rejects flags that differ from existing values: only `rotate` changes those. */
function refuseOther({ store, s3, authorities }: Prepared, given: Given): void {
  const present: Given = { store, ...s3, ...authorities };
  for (const name of Object.keys(FLAG_OF) as (keyof Given)[])
    if (given[name] && present[name] && JSON.stringify(given[name]) !== JSON.stringify(present[name]))
      throw new Error(`--${FLAG_OF[name]} differs from the stored value: replace it with "rotate stores"`);
}

/** Adds the values from the flags without changing existing ones. */
async function extended(present: Prepared | undefined, flags: Flags): Promise<Prepared> {
  const release = named('release', present?.release, flags.release, 'leads');
  const namespace = named('namespace', present?.namespace, flags.namespace, 'suppliers');
  const given = givenIn(flags);
  if (present) refuseOther(present, given);
  const prepared = completed({
    ...withGiven(present ?? { s3: {}, authorities: {} }, given),
    release,
    namespace,
    ...(flags['shared-sessions'] && { sharedSessions: true as const }),
  });
  return flags.certificates || present?.certificates ? await withCertificates(prepared) : prepared;
}

function named(
  what: 'release' | 'namespace',
  present: string | undefined,
  asked: string | undefined,
  usual: string,
) {
  if (present !== undefined && asked !== undefined && asked !== present)
    throw new Error(`this folder is for the ${what} ${present}: use another one for ${asked} (--to)`);
  const name = present ?? asked ?? usual;
  if (!NAME.test(name)) throw new Misused(`--${what} ${name} is not a valid Kubernetes name`);
  return name;
}

const text = (path: string | undefined) =>
  path === undefined ? undefined : readFileSync(resolve(here, path), 'utf8');

function credentials(flags: Flags, flag: 'quarantine-credentials' | 'clean-credentials') {
  const given = text(flags[flag]);
  if (given === undefined) return undefined;
  const shape = preparedSchema.shape.s3.shape[flag === 'clean-credentials' ? 'clean' : 'quarantine'];
  try {
    return shape.parse(JSON.parse(given));
  } catch {
    throw new Error(`--${flag}: the file must have {"accessKeyId": …, "secretAccessKey": …}`);
  }
}

/** Writes the files if requested, and reports each file, what is missing, and what to do next. */
function report(folder: string, flags: Flags, prepared: Prepared, writes: boolean) {
  const files = filesOf(prepared);
  const changes = changesIn(folder, files);
  if (writes) writePrepared(folder, prepared, files);
  const where = relative(here, folder) || '.';
  const [missing, next] = [missingIn(prepared), nextSteps(where, prepared)];
  if (flags.json)
    return console.log(JSON.stringify({ folder: where, files: changes, missing, next }, undefined, 2));
  const words = writes
    ? { new: 'written', changes: 'written again', same: 'kept' }
    : { new: 'would be written', changes: 'would be written again', same: 'would be kept' };
  for (const { name, change } of changes) console.log(`${words[change].padEnd(24)} ${join(where, name)}`);
  const list = (title: string, lines: readonly string[]) =>
    lines.length > 0 && console.log(['', title, ...lines.map((line) => `  ${line}`)].join('\n'));
  list('you must provide:', missing);
  if (writes) list('next:', next);
}

/** Returns the missing values that only the operator has. */
function missingIn({ s3, authorities, certificates }: Prepared): string[] {
  const wanted: readonly [unknown, string, string][] = [
    [s3.quarantine, 'credentials of the quarantine bucket, unless roles give access', FLAG_OF.quarantine],
    [s3.clean, 'credentials of the clean bucket, unless roles give access', FLAG_OF.clean],
    [authorities.postgresql, "PostgreSQL's certificate authority, unless it is public", FLAG_OF.postgresql],
    [authorities.nats, "NATS's certificate authority, unless it is public", FLAG_OF.nats],
  ];
  return [
    ...wanted.flatMap(([present, what, flag]) => (present ? [] : [`${what} (--${flag} FILE)`])),
    ...(certificates
      ? []
      : ['certificates of the processes, unless cert-manager issues them (--certificates)']),
  ];
}

function nextSteps(folder: string, { release, namespace, store }: Prepared): string[] {
  const file = (name: string) => join(folder, name);
  return [
    `psql --host … --username … --file ${file('databases.sql')}`,
    `include ${file('nats-users.conf')} in the configuration of NATS, and reload it; restart it if it had no accounts before`,
    ...(store !== undefined ? [`put the entries of ${file('store.json')} into the store`] : []),
    `kubectl apply --namespace ${namespace} --filename ${file(store === undefined ? 'secrets.yaml' : 'external-secrets.yaml')}`,
    `helm install ${release} … --namespace ${namespace} --values production.yaml --values ${file('values.yaml')}`,
    `or, if it is already installed: kubectl rollout restart deployment --namespace ${namespace} --selector app.kubernetes.io/instance=${release}`,
    `keep a copy of ${file('prepared.json')} separate from all backups: without its key rings, encrypted data is lost`,
  ];
}

try {
  await main();
} catch (error) {
  console.error(reasonOf(error));
  if (error instanceof Misused) console.error(`see ${PROGRAM} --help`);
  process.exitCode = error instanceof Misused ? 64 : 1;
}
