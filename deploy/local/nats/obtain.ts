import { CannotStart } from '../terminal.ts';
import { debianPackage, unpackedPackage } from './debian-package.ts';
import { builtByGo, goInstall } from './go-install.ts';
import { cachedRelease, officialRelease, RELEASE } from './official-release.ts';
import { findOnPath, inspect, type NatsServer, type Source } from './source.ts';
import { atLeast, formatVersion, lacking, WANTED } from './version.ts';

/**
 * Finds a nats-server, or gets one: the first source that has one wins. Throws CannotStart with what to install when
 * none has.
 */
export async function obtainNatsServer(sources: readonly Source[]): Promise<NatsServer> {
  for (const source of sources) {
    const server = await source.find();
    if (server) return server;
  }
  throw new CannotStart(
    `no nats-server: put version ${RELEASE} on PATH (https://nats.io/download), or install Go, ` +
      'or run `apt-get update` as root so that the Debian package can be had',
  );
}

/** The places to look, best first. What an earlier start already got is taken before it is got again. */
export function natsSources(tools: string): Source[] {
  return [
    onPath('PATH', true),
    cachedRelease(tools),
    builtByGo(tools),
    officialRelease(tools),
    goInstall(tools),
    unpackedPackage(tools),
    debianPackage(tools),
    onPath('PATH (an old one)', false),
  ];
}

function onPath(from: string, wantedOnly: boolean): Source {
  return {
    name: from,
    find: async () => {
      const path = findOnPath('nats-server');
      const server = path ? await inspect(path, from) : undefined;
      return server && (!wantedOnly || atLeast(server.version, WANTED)) ? server : undefined;
    },
  };
}

/** One line that says what was taken from where, and what it lacks. */
export function describeServer({ version, from, path }: NatsServer): string {
  const lacks = lacking(version);
  const without = lacks.length > 0 ? `; it lacks ${lacks.join(', ')}` : '';
  return `nats-server ${formatVersion(version)} from ${from} (${path})${without}`;
}
