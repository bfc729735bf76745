/** What is run: the staff's command line, and what operators prepare an installation with; a file each. */
export const PROGRAMS = {
  sss: 'services/staff-cli/src/main.ts',
  'sss-prepare': 'deploy/prepare/prepare-command.ts',
} as const;
/** What the package has of the documentation, as MANUAL.md. */
export const MANUAL = 'docs/staff.md';

/** What npm is told of the package. It depends on nothing: all that it needs is in its files. */
export const manifestOf = (version: string): string =>
  `${JSON.stringify(
    {
      name: '@supplier/sss',
      version,
      description: "The staff's command line of the supplier submission service.",
      type: 'module',
      license: 'UNLICENSED',
      bin: Object.fromEntries(Object.keys(PROGRAMS).map((name) => [name, `${name}.mjs`])),
      engines: { node: '>=20' },
      files: ['*.mjs', 'MANUAL.md', 'THIRD-PARTY-LICENSES', 'sbom.cdx.json'],
    },
    undefined,
    2,
  )}\n`;

export const readmeOf = (version: string): string => `# sss

The staff's command line of the supplier submission service. It needs Node 20 or later, and nothing else.

    npm install --global sss-${version}.tgz
    sss --help
    sss login --context staging
    sss-prepare --help      # for operators: makes up the secrets of an installation

Where it goes is described in \`~/.config/sss/config.json\`. MANUAL.md has that, how to do common things, and exit codes.
\`source <(sss completion bash)\` has the shell complete commands, flags and values.
`;
