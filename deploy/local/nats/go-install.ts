import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../supervisor/run-to-end.ts';
import { RELEASE } from './official-release.ts';
import { findOnPath, inspect, type Source } from './source.ts';

/** Building on two slow cores with nothing cached takes a minute or two. */
const BUILD_MS = 240_000;
const from = `go install of version ${RELEASE}`;
const folder = (tools: string) => join(tools, `go-${RELEASE}`);

/** The server that an earlier start built. */
export function builtByGo(tools: string): Source {
  return {
    name: 'go install (already built)',
    find: () => inspect(join(folder(tools), 'nats-server'), from),
  };
}

/** Builds the server with the machine's Go. */
export function goInstall(tools: string): Source {
  return {
    name: 'go install',
    find: async () => {
      const go = findOnPath('go');
      if (!go) return undefined;
      const GOBIN = folder(tools);
      mkdirSync(GOBIN, { recursive: true });
      await runToEnd(go, ['install', `github.com/nats-io/nats-server/v2@v${RELEASE}`], {
        cwd: tools,
        env: { ...process.env, GOBIN },
        withinMs: BUILD_MS,
      });
      return inspect(join(GOBIN, 'nats-server'), from);
    },
  };
}
