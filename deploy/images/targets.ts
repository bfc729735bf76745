/** One image: the entry files of one process, and of the commands that its operators run beside it. */
export interface ImageTarget {
  readonly name: string;
  /** Folder under `services`. */
  readonly service: string;
  /** Names that files of the image get, and the sources that they are made of, below `services`. The first is what runs. */
  readonly entries: readonly [Entry, ...Entry[]];
  /** Folders of the service that its code reads at run time. */
  readonly data: readonly string[];
  /** File of the service with a list of files that are in its data as code: their licences are passed on, too. */
  readonly madeOf?: string;
}

export interface Entry {
  readonly name: string;
  readonly source: string;
}

/** How every image starts Node: the entry point of the Dockerfile. */
export const ENTRYPOINT = [
  'node',
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=8',
] as const;

/** What the database is made of, and what its runtime role may do. */
const DATABASE = ['prisma/migrations', 'prisma/grants.json'];
const ofService = (service: string, ...names: [string, ...string[]]) =>
  names.map((name) => ({ name, source: `${service}/src/${name}.ts` }));
/** Commands that every database with an outbox and consumers may need. */
const EVENT_COMMANDS: readonly Entry[] = [
  { name: 'redrive', source: 'lib/events/event-bus/redrive.ts' },
  { name: 'replay', source: 'lib/events/outbox/replay.ts' },
];

/** Every image of the processes of the system. */
export const imageTargets: readonly ImageTarget[] = [
  target('gateway', 'gateway', ofService('gateway', 'main', 'migrate'), [...DATABASE, 'guides']),
  target(
    'account',
    'account',
    [...ofService('account', 'main', 'migrate', 'verify-audit'), ...EVENT_COMMANDS],
    DATABASE,
  ),
  target(
    'submission',
    'submission',
    [
      ...ofService('submission', 'main', 'migrate', 'verify-audit', 'rotate-keys', 'renew-match-keys'),
      { name: 'policy-program', source: 'submission/src/policies/policy-program.ts' },
      ...EVENT_COMMANDS,
    ],
    [...DATABASE, 'policy'],
  ),
  target(
    'document',
    'document',
    [
      ...ofService(
        'document',
        'main',
        'migrate',
        'verify-audit',
        'rotate-keys',
        'set-up-store',
        'check-store',
      ),
      ...EVENT_COMMANDS,
    ],
    DATABASE,
  ),
  target(
    'scanner',
    'document',
    [
      { name: 'main', source: 'document/src/scanner.ts' },
      { name: 'content-program', source: 'document/src/content/content-program.ts' },
    ],
    DATABASE,
  ),
  target(
    'billing',
    'billing',
    [...ofService('billing', 'main', 'migrate', 'verify-audit'), ...EVENT_COMMANDS],
    DATABASE,
  ),
  target(
    'webhook',
    'webhook',
    [...ofService('webhook', 'main', 'migrate', 'verify-audit', 'rotate-keys'), ...EVENT_COMMANDS],
    DATABASE,
  ),
  {
    ...target('console', 'console', ofService('console', 'main'), ['dist/pages']),
    madeOf: 'dist/made-of.json',
  },
];

/**
 * The image of the staff's command line, which is no process of the system: what follows its name are its arguments. Beside
 * it lies what prepares installations.
 */
export const commandLineTarget = target(
  'sss',
  'staff-cli',
  [...ofService('staff-cli', 'main'), { name: 'prepare', source: '../deploy/prepare/prepare-command.ts' }],
  [],
);
export const COMMAND_LINE_ENTRYPOINT = [
  'node',
  '--disable-warning=ExperimentalWarning',
  '/app/src/main.mjs',
] as const;

/** Every image that there is. */
export const everyTarget: readonly ImageTarget[] = [commandLineTarget, ...imageTargets];

function target(
  name: string,
  service: string,
  entries: readonly Entry[],
  data: readonly string[],
): ImageTarget {
  const [first, ...others] = entries;
  if (!first) throw new Error(`invalid image ${name}: no entry`);
  return { name, service, entries: [first, ...others], data };
}
