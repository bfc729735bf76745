/** An image: the entries of a process and of its commands. */
export interface ImageTarget {
  readonly name: string;
  /** Folder under `services`. */
  readonly service: string;
  /** Names in the image, and sources below `services`. The first one runs by default. */
  readonly entries: readonly [Entry, ...Entry[]];
  /** Folders that the service reads at run time. */
  readonly data: readonly string[];
  /** A list of files that are bundled in the data, for their licences. */
  readonly madeOf?: string;
}

export interface Entry {
  readonly name: string;
  readonly source: string;
}

/** No signal opens a debugger. */
export const NO_DEBUGGER = '--disable-sigusr1';
const NODE = ['node', '--disable-warning=ExperimentalWarning', NO_DEBUGGER] as const;
/** The entry points of the Dockerfile. */
export const ENTRYPOINT = [...NODE, '--max-semi-space-size=8'] as const;
export const COMMAND_LINE_ENTRYPOINT = [...NODE, '/app/src/main.mjs'] as const;

const DATABASE = ['prisma/migrations', 'prisma/grants.json'];
const REDRIVE = { name: 'redrive', source: 'lib/events/event-bus/redrive.ts' };
const REPLAY = { name: 'replay', source: 'lib/events/outbox/replay.ts' };
const main = (source: string): Entry => ({ name: 'main', source });

/** Returns the image of a service with a database, with its own commands in addition to the usual ones. */
const withEvents = (service: string, commands: readonly string[] = []): ImageTarget => ({
  name: service,
  service,
  entries: [
    main(`${service}/src/main.ts`),
    ...['migrate', 'verify-audit', ...commands].map((name) => ({
      name,
      source: `${service}/src/${name}.ts`,
    })),
    // Billing publishes no events.
    ...(service === 'billing' ? [REDRIVE] : [REDRIVE, REPLAY]),
  ],
  data: DATABASE,
});
const CONFIGURE_STREAMS = {
  name: 'configure-streams',
  source: 'lib/events/configure-streams/configure-streams.ts',
};
const submission = withEvents('submission', ['rotate-keys', 'renew-match-keys']);
const policies = { name: 'policy-program', source: 'submission/src/policies/policy-program.ts' };
const contents = { name: 'content-program', source: 'document/src/content/content-program.ts' };

export const imageTargets: readonly ImageTarget[] = [
  {
    ...{ name: 'gateway', service: 'gateway', data: [...DATABASE, 'guides'] },
    entries: [main('gateway/src/main.ts'), { name: 'migrate', source: 'gateway/src/migrate.ts' }],
  },
  withEvents('account'),
  {
    ...submission,
    entries: [...submission.entries, policies, CONFIGURE_STREAMS],
    data: [...DATABASE, 'policy'],
  },
  withEvents('document', ['rotate-keys', 'set-up-store', 'check-store']),
  {
    ...{ name: 'scanner', service: 'document', data: DATABASE },
    entries: [
      main('document/src/scanner.ts'),
      { name: 'serve-content', source: 'document/src/serve-content.ts' },
      contents,
    ],
  },
  withEvents('billing'),
  withEvents('webhook', ['rotate-keys']),
  {
    ...{
      name: 'console',
      service: 'console',
      data: ['dist/pages', ...DATABASE],
      madeOf: 'dist/made-of.json',
    },
    entries: [main('console/src/main.ts'), { name: 'migrate', source: 'console/src/migrate.ts' }],
  },
];

/** The staff command line, and the command that prepares installations. */
export const commandLineTarget: ImageTarget = {
  ...{ name: 'sss', service: 'staff-cli', data: [] },
  entries: [
    main('staff-cli/src/main.ts'),
    { name: 'prepare', source: '../deploy/prepare/prepare-command.ts' },
  ],
};

export const everyTarget: readonly ImageTarget[] = [commandLineTarget, ...imageTargets];
