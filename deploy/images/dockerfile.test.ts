import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_LINE_ENTRYPOINT, commandLineTarget, ENTRYPOINT, everyTarget } from './targets.ts';

const dockerfile = readFileSync(join(import.meta.dirname, '../Dockerfile'), 'utf8');
/** Returns the text of each stage, by name. */
const stages = new Map(
  dockerfile
    .split(/^FROM /m)
    .slice(1)
    .map((text) => [/ AS (\w+)$/m.exec(text)?.[1] ?? '', text]),
);
const runtime = stages.get('runtime') ?? '';

describe('the Dockerfile', () => {
  it('has a stage for every image, with only the files of its bundle', () => {
    const images = new Map([...stages].filter(([name]) => name !== 'build' && name !== 'runtime'));
    expect([...images.keys()].sort()).toEqual(everyTarget.map(({ name }) => name).sort());
    for (const [name, text] of images) {
      const lines = text.trim().split('\n');
      expect(name === commandLineTarget.name ? lines.slice(0, 3) : lines).toEqual([
        `runtime AS ${name}`,
        `LABEL org.opencontainers.image.title="supplier-submissions-${name}"`,
        `COPY --from=build /images/${name} /app`,
      ]);
    }
  });

  it('has an image of the command line, which takes its commands as arguments', () => {
    const lines = (stages.get(commandLineTarget.name) ?? '').trim().split('\n').slice(3);
    expect(lines.filter((line) => !line.startsWith('#'))).toEqual([
      `ENTRYPOINT ${JSON.stringify(COMMAND_LINE_ENTRYPOINT).replaceAll(',', ', ')}`,
      'CMD ["--help"]',
    ]);
  });

  it('starts Node directly, as an unprivileged user, without a shell in between', () => {
    expect(runtime).toMatch(/^USER 65532:65532$/m);
    expect(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(runtime)?.[1] ?? '')).toEqual(ENTRYPOINT);
    expect(runtime).toMatch(/^CMD \["src\/main\.mjs"\]$/m);
    expect(runtime).not.toMatch(/^RUN /m);
  });

  it('takes its base images and its labels as arguments', () => {
    for (const argument of ['BUILD_IMAGE', 'BASE_IMAGE', 'VERSION', 'REVISION', 'LICENSES', 'SOURCE'])
      expect(dockerfile).toMatch(new RegExp(`^ARG ${argument}=`, 'm'));
    for (const [label, argument] of Object.entries({
      version: 'VERSION',
      revision: 'REVISION',
      licenses: 'LICENSES',
      source: 'SOURCE',
    }))
      expect(runtime).toContain(`org.opencontainers.image.${label}="\${${argument}}"`);
  });
});
