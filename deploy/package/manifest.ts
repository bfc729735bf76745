/** The one file that is run. */
export const PROGRAM = 'sss.mjs';
/** What the package has of the documentation, as MANUAL.md. */
export const MANUAL = 'docs/staff.md';

/** What npm is told of the package. It depends on nothing: all that it needs is in its one file. */
export const manifestOf = (version: string): string =>
  `${JSON.stringify(
    {
      name: '@supplier/sss',
      version,
      description: "The staff's command line of the supplier submission service.",
      type: 'module',
      license: 'UNLICENSED',
      bin: { sss: PROGRAM },
      engines: { node: '>=20' },
      files: [PROGRAM, 'MANUAL.md', 'THIRD-PARTY-LICENSES', 'sbom.cdx.json'],
    },
    undefined,
    2,
  )}\n`;

export const readmeOf = (version: string): string => `# sss

The staff's command line of the supplier submission service. It needs Node 20 or later, and nothing else.

    npm install --global sss-${version}.tgz
    sss --help
    sss login --context staging

Where it goes is described in \`~/.config/sss/config.json\`. MANUAL.md has that, how to do common things, and exit codes.
\`source <(sss completion bash)\` has the shell complete commands, flags and values.
`;
